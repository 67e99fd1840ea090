import torch
from torch import Tensor


def area(boxes: Tensor) -> Tensor:
    return (boxes[:, 2] - boxes[:, 0]) * (boxes[:, 3] - boxes[:, 1])


def iou(a: Tensor, b: Tensor) -> Tensor:
    low = torch.maximum(a[:, None, :2], b[:, :2])
    high = torch.minimum(a[:, None, 2:], b[:, 2:])
    both = (high - low).clamp(min=0).prod(2)
    return both / (area(a)[:, None] + area(b) - both)


def nms(boxes: Tensor, scores: Tensor, limit: float):
    order = scores.argsort(descending=True)
    keep = []
    while order.numel():
        first = order[0]
        keep.append(first)
        rest = order[1:]
        order = rest[iou(boxes[first][None], boxes[rest])[0] <= limit]
    return torch.stack(keep)


def anchors(sizes, ratios):
    out = []
    for size in sizes:
        for ratio in ratios:
            w, h = size * ratio**0.5, size / ratio**0.5
            out.append([-w / 2, -h / 2, w / 2, h / 2])
    return torch.tensor(out)


def normalized(images: Tensor, mean: Tensor, std: Tensor) -> Tensor:
    done = []
    for i in range(images.shape[0]):
        done.append(torch.div(images[i] - mean, std))  # finding: per-slice-op, sample-loop
    return torch.stack(done)


def pick(features: Tensor, index: Tensor) -> Tensor:
    rows = torch.stack([features[i] for i in index])  # finding: looped-lookup
    return rows


def mark(shape, hits: Tensor) -> Tensor:
    mask = torch.zeros(shape)
    for y, x in hits:
        mask[y, x] = 1.0  # finding: looped-update
    return mask


def paint(canvas: Tensor, boxes) -> Tensor:
    for x0, y0, x1, y1 in boxes:
        canvas[y0:y1, x0:x1] += 1
    return canvas


def targets(boxes: Tensor, anchors: Tensor, limit=0.5) -> Tensor:
    overlap = iou(anchors, boxes)
    best, which = overlap.max(1)
    return torch.where(best > limit, which, torch.full_like(which, -1))
