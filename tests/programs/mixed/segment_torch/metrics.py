import torch
import torch.nn.functional as F
from torch.utils.data import DataLoader


def iou_per_image(logits, masks):
    scores = []
    for i in range(logits.shape[0]):
        p = torch.sigmoid(logits[i]) > 0.5  # finding: per-slice-op
        inter = (p & masks[i].bool()).sum()
        union = (p | masks[i].bool()).sum()
        scores.append(inter / union.clamp(min=1))
    return torch.stack(scores)


def upsample(maps, size):
    out = []
    for m in maps:
        out.append(F.interpolate(m[None], size=size, mode="bilinear"))  # finding: per-slice-op
    return torch.cat(out)


def upsample_each(maps, sizes):
    return [F.interpolate(m[None], size=s, mode="bilinear")[0] for m, s in zip(maps, sizes)]


def relative(points):
    distances = torch.zeros(len(points), len(points))
    for i in range(len(points)):
        for j in range(len(points)):
            distances[i, j] = torch.norm(points[i] - points[j])  # finding: eager-loop
    return distances


def scan(cell, sequence, hidden):
    outputs = []
    for t in range(sequence.size(1)):
        hidden = cell(sequence[:, t], hidden)
        outputs.append(hidden)
    return torch.stack(outputs, 1)


def argmax_rows(batch):
    return torch.tensor([torch.argmax(row) for row in batch])  # finding: per-slice-op


@torch.no_grad()
def validate(model, dataset, device):
    loader = DataLoader(dataset, batch_size=8, num_workers=4)
    total, seen = 0.0, 0
    for images, masks in loader:
        logits = model(images.to(device))
        total += iou_per_image(logits.squeeze(1), masks.to(device)).sum().item()
        seen += len(images)
    return total / seen


def predict_folder(model, images):
    results = []
    with torch.no_grad():
        for image in images:
            results.append(model(image.unsqueeze(0)).sigmoid())  # finding: predict-per-item
    return torch.cat(results)


class Tracker:
    def __init__(self, model):
        self.model = model.eval()
        self.state = None

    def step(self, frame):
        with torch.no_grad():
            self.state = self.model(frame[None], self.state)
        return self.state

    def follow(self, frames):
        return [self.step(frame) for frame in frames]
