# requires: torch==2.5.*
"""Refines optical flow of video pairs; torch.compile keeps what it compiled with the code object."""
import argparse
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F


def warp(image, flow):
    n, _, h, w = image.shape
    ys, xs = torch.meshgrid(
        torch.linspace(-1, 1, h, device=image.device),
        torch.linspace(-1, 1, w, device=image.device),
        indexing="ij",
    )
    grid = torch.stack([xs, ys], dim=-1)[None].expand(n, -1, -1, -1)
    offset = torch.stack([flow[:, 0] * 2 / (w - 1), flow[:, 1] * 2 / (h - 1)], dim=-1)
    return F.grid_sample(image, grid + offset, align_corners=True)


def charbonnier(x, eps=1e-3):
    return torch.sqrt(x * x + eps * eps)


def energy(flow, a, b, weight):
    data = charbonnier(warp(b, flow) - a).mean()
    dx = charbonnier(flow[..., 1:] - flow[..., :-1]).mean()
    dy = charbonnier(flow[..., 1:, :] - flow[..., :-1, :]).mean()
    return data + weight * (dx + dy)


def refine(a, b, flow, steps, weight, lr):
    objective = torch.compile(energy)
    flow = flow.clone().requires_grad_(True)
    opt = torch.optim.Adam([flow], lr=lr)
    for _ in range(steps):
        opt.zero_grad(set_to_none=True)
        loss = objective(flow, a, b, weight)
        loss.backward()
        opt.step()
    return flow.detach()


def pairs(folder):
    frames = sorted(Path(folder).glob("*.npy"))
    for first, second in zip(frames, frames[1:]):
        yield first.stem, np.load(first), np.load(second)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder")
    parser.add_argument("--out", default="flow")
    parser.add_argument("--steps", type=int, default=150)
    parser.add_argument("--weight", type=float, default=0.1)
    parser.add_argument("--lr", type=float, default=0.05)
    args = parser.parse_args()
    device = "cuda" if torch.cuda.is_available() else "cpu"
    Path(args.out).mkdir(exist_ok=True)
    for name, first, second in pairs(args.folder):
        a = torch.from_numpy(first).permute(2, 0, 1)[None].float().to(device) / 255
        b = torch.from_numpy(second).permute(2, 0, 1)[None].float().to(device) / 255
        start = torch.zeros(1, 2, *a.shape[-2:], device=device)
        flow = refine(a, b, start, args.steps, args.weight, args.lr)
        np.save(Path(args.out) / f"{name}.npy", flow[0].cpu().numpy())


if __name__ == "__main__":
    main()
