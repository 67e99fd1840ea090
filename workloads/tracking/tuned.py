"""Follows a vehicle seen from a drone with a Siamese network, and tells how well boxes overlap."""

import argparse
import json

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn

TEMPLATE, SEARCH = 32, 64
SCALES = (0.96, 1.0, 1.04)


def generate_video(frames, height, width, seed):
    """A bright vehicle on a textured ground; the camera drifts, the vehicle turns, sizes change."""
    rng = np.random.default_rng(seed)
    ground = F.interpolate(
        torch.tensor(rng.random((1, 3, 60, 80)), dtype=torch.float32),
        size=(2 * height, 2 * width),
        mode="bilinear",
    )[0].numpy()
    pattern = rng.random((3, 4, 4)).astype(np.float32) + 0.5
    x, y, angle, camera = width / 2, height / 2, 0.3, np.array([height / 2, width / 2])
    for number in range(frames):
        top, left = camera.astype(int)
        frame = ground[:, top : top + height, left : left + width].copy()
        side = int(18 + 4 * np.sin(number / 15))
        x0, y0 = int(x - side / 2), int(y - side / 2)
        rows = np.arange(side) * 4 // side
        frame[:, y0 : y0 + side, x0 : x0 + side] = pattern[:, rows][:, :, rows]
        yield frame, (x0, y0, side, side)
        angle += rng.normal(scale=0.2)
        x = float(np.clip(x + 3 * np.cos(angle), 30, width - 30))
        y = float(np.clip(y + 3 * np.sin(angle), 30, height - 30))
        camera = np.clip(camera + rng.normal(size=2), 0, [height - 1, width - 1])


class Features(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(
            nn.Conv2d(3, 24, 5, padding=2),
            nn.ReLU(),
            nn.Conv2d(24, 32, 3, stride=2, padding=1),
            nn.ReLU(),
            nn.Conv2d(32, 32, 3, padding=1),
        )

    def forward(self, x):
        return F.normalize(F.instance_norm(self.layers(x)), dim=1)


class SiamFC(nn.Module):
    def __init__(self):
        super().__init__()
        self.features = Features()

    def forward(self, z, search):
        x = self.features(search)
        return F.conv2d(x, z) / z[0].numel()


def crop(frame, center, size, output):
    """A square around `center`, at `output` x `output` pixels; the mean fills what lies outside."""
    x, y = center
    half = int(round(size)) // 2
    mean = frame.mean(axis=(1, 2))
    patch = np.empty((3, 2 * half, 2 * half), dtype=np.float32)
    patch[:] = mean[:, None, None]
    top, left = int(y) - half, int(x) - half
    seen = frame[:, max(top, 0) : top + 2 * half, max(left, 0) : left + 2 * half]
    row, column = max(-top, 0), max(-left, 0)
    patch[:, row : row + seen.shape[1], column : column + seen.shape[2]] = seen
    patch = torch.from_numpy(patch).unsqueeze(0)
    return F.interpolate(patch, size=(output, output), mode="bilinear", align_corners=False)


@torch.no_grad()
def track(model, video, device):
    boxes = []
    window = np.outer(np.hanning(129), np.hanning(129))
    for number, (frame, box) in enumerate(video):
        if number == 0:
            x, y, side = box[0] + box[2] / 2, box[1] + box[3] / 2, box[2]
            template = model.features(crop(frame, (x, y), 2 * side, TEMPLATE).to(device))
            boxes.append((box, box))
            continue
        best = None
        crops = [crop(frame, (x, y), 4 * side * scale, SEARCH) for scale in SCALES]
        responses = model(template, torch.cat(crops).to(device))
        responses = F.interpolate(responses, size=(129, 129), mode="bicubic")[:, 0]
        for scale, response in zip(SCALES, responses):
            response = response.cpu().detach().numpy() * (0.7 + 0.3 * window)
            if best is None or response.max() > best[0]:
                best = response.max(), scale, np.unravel_index(response.argmax(), response.shape)
        _, scale, (row, column) = best
        step = 4 * side * scale / SEARCH * 32 / 128
        x, y = x + (column - 64) * step, y + (row - 64) * step
        side = side * (0.7 + 0.3 * scale)
        boxes.append((box, (x - side / 2, y - side / 2, side, side)))
    return boxes


def overlap(a, b):
    width = min(a[0] + a[2], b[0] + b[2]) - max(a[0], b[0])
    height = min(a[1] + a[3], b[1] + b[3]) - max(a[1], b[1])
    inside = max(width, 0) * max(height, 0)
    return inside / (a[2] * a[3] + b[2] * b[3] - inside)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--videos", type=int, default=3)
    parser.add_argument("--frames", type=int, default=80)
    options = parser.parse_args()
    device = "cuda" if torch.cuda.is_available() else "cpu"
    torch.manual_seed(0)
    model = SiamFC().to(device).eval()
    overlaps = []
    for seed in range(options.videos):
        boxes = track(model, generate_video(options.frames, 240, 320, seed), device)
        overlaps += [overlap(true, told) for true, told in boxes]
    success = np.mean(np.array(overlaps) > 0.5)
    print(f"mean overlap {np.mean(overlaps):.3f}, success {success:.3f}")
    print(json.dumps({"overlap": round(float(np.mean(overlaps)), 4), "success": success}))


if __name__ == "__main__":
    main()
