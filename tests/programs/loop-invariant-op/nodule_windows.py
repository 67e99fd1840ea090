"""Patch-wise inference of a 3-D U-Net over CT volumes, one process per GPU."""
import argparse
import pathlib
import queue
import threading

import nibabel as nib
import numpy as np
import torch
from scipy.ndimage import gaussian_filter


def importance(shape, sigma_scale=0.125):
    tmp = np.zeros(shape, dtype=np.float32)
    tmp[tuple(s // 2 for s in shape)] = 1.0
    weights = gaussian_filter(tmp, [s * sigma_scale for s in shape], mode="constant")  # note: loop-invariant-op
    weights /= weights.max()
    return np.clip(weights, 1e-3, None)


class WindowedPredictor:
    def __init__(self, net, patch, overlap, device):
        self.net = net
        self.patch = tuple(patch)
        self.overlap = overlap
        self.device = device

    def corners(self, shape):
        axes = []
        for size, window in zip(shape, self.patch):
            step = max(1, int(window * (1 - self.overlap)))
            last = max(size - window, 0)
            axes.append(sorted(set(list(range(0, last, step)) + [last])))
        for z in axes[0]:
            for y in axes[1]:
                for x in axes[2]:
                    yield z, y, x

    def _predict_patch(self, crop):
        t = torch.from_numpy(crop[None, None]).to(self.device)
        with torch.no_grad():
            prob = torch.sigmoid(self.net(t))[0, 0]
        return prob.cpu().numpy() * importance(self.patch)

    def __call__(self, volume):
        total = np.zeros(volume.shape, np.float32)
        norm = np.zeros(volume.shape, np.float32)
        for z, y, x in self.corners(volume.shape):
            where = tuple(slice(a, a + w) for a, w in zip((z, y, x), self.patch))
            total[where] += self._predict_patch(volume[where])
            norm[where] += importance(self.patch)
        return total / norm


def hounsfield(volume, low=-1000.0, high=400.0):
    return ((np.clip(volume, low, high) - low) / (high - low)).astype(np.float32)


def reader(paths, out):
    for path in paths:
        image = nib.load(str(path))
        out.put((path.name, image.affine, hounsfield(image.get_fdata())))
    out.put(None)


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("volumes", type=pathlib.Path)
    ap.add_argument("model")
    ap.add_argument("--patch", type=int, nargs=3, default=(96, 160, 160))
    ap.add_argument("--overlap", type=float, default=0.5)
    args = ap.parse_args()

    net = torch.jit.load(args.model, map_location="cuda").eval()
    predict = WindowedPredictor(net, args.patch, args.overlap, "cuda")
    todo = queue.Queue(maxsize=2)
    threading.Thread(target=reader, args=(sorted(args.volumes.glob("*.nii.gz")), todo), daemon=True).start()
    while (item := todo.get()) is not None:
        name, affine, volume = item
        prob = predict(volume)
        nib.save(nib.Nifti1Image((prob > 0.5).astype(np.uint8), affine), f"seg_{name}")


if __name__ == "__main__":
    main()
