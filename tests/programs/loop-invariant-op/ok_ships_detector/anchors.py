import itertools

import torch


def level_anchors(height, width, stride, sizes, ratios):
    ys = (torch.arange(height) + 0.5) * stride
    xs = (torch.arange(width) + 0.5) * stride
    cy, cx = torch.meshgrid(ys, xs, indexing="ij")
    shapes = [(s * r ** 0.5, s / r ** 0.5) for s, r in itertools.product(sizes, ratios)]
    wh = torch.tensor(shapes)
    centers = torch.stack([cx, cy], dim=-1).reshape(-1, 1, 2).expand(-1, len(shapes), 2)
    wh = wh[None].expand(centers.size(0), -1, 2)
    return torch.cat([centers, wh], dim=-1).reshape(-1, 4)


def pyramid_anchors(image_size, strides, ratios=(0.5, 1.0, 2.0)):
    levels = []
    for stride in strides:
        side = image_size // stride
        levels.append(level_anchors(side, side, stride, (4 * stride, 5 * stride), ratios))
    return torch.cat(levels)


def decode(anchors, deltas):
    centers = anchors[:, :2] + deltas[..., :2] * anchors[:, 2:]
    sizes = anchors[:, 2:] * deltas[..., 2:].clamp(max=4).exp()
    return torch.cat([centers - sizes / 2, centers + sizes / 2], dim=-1)
