"""A VQ-VAE's helpers, in PyTorch."""
import torch
import torch.nn.functional as F
from torch import nn


class Quantizer(nn.Module):
    def __init__(self, codes=512, width=64):
        super().__init__()
        self.book = nn.Parameter(torch.randn(codes, width))

    def forward(self, z):
        distances = torch.cdist(z.flatten(0, 1), self.book)
        codes = distances.argmin(1).view(z.shape[:2])
        quantized = F.embedding(codes, self.book)
        return z + (quantized - z).detach(), codes

    def look_up(self, codes):
        rows = []
        for code in codes.tolist():
            rows.append(self.book[code])  # finding: looped-lookup
        return torch.stack(rows)

    def usage(self, codes):
        used = torch.zeros(self.book.shape[0])
        for code in codes.flatten().tolist():
            used[code] += 1  # finding: looped-update
        return used / used.sum()


def soft_threshold(x, limit):
    out = torch.zeros_like(x)
    for i in range(x.shape[0]):  # finding: looped-branch
        if x[i] > limit:
            out[i] = x[i] - limit
        elif x[i] < -limit:
            out[i] = x[i] + limit
    return out


def noises(count):
    levels = []
    while len(levels) < count:
        levels.append(torch.rand(1).item())  # finding: looped-draw
    return torch.tensor(levels)


def dropped_layers(layers, x, rate):
    for layer in layers:
        if torch.rand(()) > rate:
            x = layer(x)
    return x


def similarities(images, texts):
    rows = []
    for image in images:
        rows.append(F.cosine_similarity(image[None], texts, dim=1))  # finding: per-slice-op
    return torch.stack(rows)


def nms_order(boxes, scores, limit=0.5):
    kept = []
    order = scores.argsort(descending=True).tolist()
    while order:
        best = order.pop(0)
        kept.append(best)
        order = [other for other in order if iou(boxes[best], boxes[other]) < limit]
    return kept


def iou(a, b):
    low = torch.maximum(a[:2], b[:2])
    high = torch.minimum(a[2:], b[2:])
    both = (high - low).clamp(min=0).prod()
    return both / ((a[2:] - a[:2]).prod() + (b[2:] - b[:2]).prod() - both)


def pad(sequences):
    longest = max(len(sequence) for sequence in sequences)
    out = torch.zeros(len(sequences), longest, dtype=torch.long)
    for row, sequence in enumerate(sequences):
        out[row, : len(sequence)] = torch.tensor(sequence)
    return out


if __name__ == "__main__":
    quantizer = Quantizer()
    z = torch.randn(32, 100, 64)
    _, codes = quantizer(z)
    print(quantizer.look_up(codes[0]).shape, quantizer.usage(codes).max())
    print(soft_threshold(torch.randn(10_000), 0.1).mean(), noises(1000).std())
    print(similarities(torch.randn(200, 64), torch.randn(300, 64)).shape)
    print(pad([[1, 2], [3, 4, 5]]))
