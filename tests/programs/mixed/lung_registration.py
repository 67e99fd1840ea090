# requires: torch==2.0.1
"""Instance optimisation for inspiration/expiration lung CT, coarse to fine."""
import sys
from dataclasses import dataclass, field

import numpy as np
import torch
import torch.nn.functional as F


@dataclass
class Level:
    factor: int
    steps: int
    lr: float


@dataclass
class Plan:
    loss: str = "mind"
    smooth: float = 2.5
    levels: list = field(default_factory=lambda: [Level(4, 80, 0.05), Level(2, 60, 0.02), Level(1, 30, 0.01)])


def box(x, r):
    return F.avg_pool3d(F.pad(x, (r,) * 6, mode="replicate"), 2 * r + 1, 1)


def mind(img, r=2):
    """Self-similarity descriptor with a six neighbourhood."""
    outs = []
    for axis in (2, 3, 4):
        for s in (-1, 1):
            outs.append(box((img - img.roll(s, axis)) ** 2, r))
    ssd = torch.cat(outs, 1)
    ssd = ssd - ssd.amin(1, keepdim=True)
    var = ssd.mean(1, keepdim=True).clamp_min(1e-5)
    return torch.exp(-ssd / var)


def mind_loss(fixed, warped):
    a = mind(fixed)
    b = mind(warped)
    return (a - b).pow(2).mean()


def mse_loss(fixed, warped):
    return (fixed - warped).pow(2).mean()


SIMILARITY = {"mind": mind_loss, "mse": mse_loss}


class Deformation(torch.nn.Module):
    def __init__(self, shape, start=None):
        super().__init__()
        eye = torch.eye(3, 4)[None]
        self.register_buffer("grid", F.affine_grid(eye, (1, 1) + shape, align_corners=False))
        init = torch.zeros(1, 3, *[max(s // 2, 1) for s in shape])
        if start is not None:
            init = F.interpolate(start.cpu(), init.shape[2:], mode="trilinear", align_corners=False)
        self.ctrl = torch.nn.Parameter(init)

    def flow(self):
        up = F.interpolate(self.ctrl, self.grid.shape[1:4], mode="trilinear", align_corners=False)
        return up.permute(0, 2, 3, 4, 1)

    def forward(self, moving):
        return F.grid_sample(moving, self.grid + self.flow(), padding_mode="border", align_corners=False)

    def bending(self):
        return sum((self.ctrl.diff(dim=d)).pow(2).mean() for d in (2, 3, 4))


def descend(fixed, moving, level, plan, start):
    warp = Deformation(tuple(fixed.shape[2:]), start).to(fixed.device)
    opt = torch.optim.Adam(warp.parameters(), level.lr)
    similar = SIMILARITY[plan.loss]

    def closure():
        opt.zero_grad()
        loss = similar(fixed, warp(moving)) + plan.smooth * warp.bending()
        loss.backward()
        return loss

    left = level.steps
    while left:
        loss = opt.step(closure)
        left -= 1
    print(f"x{level.factor}: {loss.item():.5f}")
    return warp


def register(fixed, moving, plan):
    ctrl = None
    for level in plan.levels:
        f, m = (F.avg_pool3d(v, level.factor) if level.factor > 1 else v for v in (fixed, moving))
        warp = descend(f, m, level, plan, ctrl)
        ctrl = warp.ctrl.detach()
    return warp


if __name__ == "__main__":
    dev = "cuda" if torch.cuda.is_available() else "cpu"
    load = lambda p: torch.from_numpy(np.load(p).astype(np.float32) / 1000.0)[None, None].to(dev)
    warp = register(load(sys.argv[1]), load(sys.argv[2]), Plan())
    np.save("flow.npy", warp.flow().detach().cpu().numpy())
