# requires: torch==1.8.*
"""Tiny NeRF on the Lego scene: one picture per step, after the notebook of the paper."""
import argparse

import numpy as np
import torch
import torch.nn as nn


def get_rays(height, width, focal, pose):
    i, j = torch.meshgrid(
        torch.arange(width, dtype=torch.float32, device=pose.device),
        torch.arange(height, dtype=torch.float32, device=pose.device),
    )
    i, j = i.t(), j.t()
    dirs = torch.stack(
        [(i - 0.5 * width) / focal, -(j - 0.5 * height) / focal, -torch.ones_like(i)], dim=-1
    )
    rays_d = torch.sum(dirs[..., None, :] * pose[:3, :3], dim=-1)
    rays_o = pose[:3, -1].expand(rays_d.shape)
    return rays_o, rays_d


def encode(x, levels=6):
    out = [x]
    for level in range(levels):
        out += [torch.sin(2.0**level * x), torch.cos(2.0**level * x)]
    return torch.cat(out, dim=-1)


class Field(nn.Module):
    def __init__(self, levels=6, width=256):
        super().__init__()
        inputs = 3 + 6 * levels
        self.levels = levels
        self.first = nn.Sequential(
            nn.Linear(inputs, width), nn.ReLU(), nn.Linear(width, width), nn.ReLU()
        )
        self.second = nn.Sequential(nn.Linear(width + inputs, width), nn.ReLU(), nn.Linear(width, 4))

    def forward(self, points):
        x = encode(points, self.levels)
        return self.second(torch.cat([self.first(x), x], dim=-1))


def render(field, rays_o, rays_d, near, far, samples, chunk=2**15):
    z = torch.linspace(near, far, samples, device=rays_o.device)
    noise = torch.rand(*rays_o.shape[:-1], samples, device=rays_o.device)
    z = z + noise * (far - near) / samples
    points = rays_o[..., None, :] + rays_d[..., None, :] * z[..., :, None]
    flat = points.reshape(-1, 3)
    raw = torch.cat([field(flat[k : k + chunk]) for k in range(0, len(flat), chunk)])
    raw = raw.reshape(*points.shape[:-1], 4)
    sigma, rgb = torch.relu(raw[..., 3]), torch.sigmoid(raw[..., :3])
    gaps = torch.cat([z[..., 1:] - z[..., :-1], torch.full_like(z[..., :1], 1e10)], dim=-1)
    alpha = 1.0 - torch.exp(-sigma * gaps)
    through = torch.cumprod(1.0 - alpha + 1e-10, dim=-1)
    weights = alpha * torch.cat([torch.ones_like(through[..., :1]), through[..., :-1]], dim=-1)
    return (weights[..., None] * rgb).sum(dim=-2)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--data", default="tiny_nerf_data.npz")
    parser.add_argument("--steps", type=int, default=5000)
    parser.add_argument("--samples", type=int, default=64)
    parser.add_argument("--lr", type=float, default=5e-4)
    args = parser.parse_args()

    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    data = np.load(args.data)
    images = torch.from_numpy(data["images"]).to(device)
    poses = torch.from_numpy(data["poses"]).to(device)
    focal = float(data["focal"])
    height, width = images.shape[1:3]
    held_out, held_pose = images[-1], poses[-1]
    images, poses = images[:-1], poses[:-1]

    field = Field().to(device)
    optimizer = torch.optim.Adam(field.parameters(), lr=args.lr)
    for step in range(args.steps):
        k = np.random.randint(len(images))
        rays_o, rays_d = get_rays(height, width, focal, poses[k])
        rgb = render(field, rays_o, rays_d, 2.0, 6.0, args.samples)
        loss = ((rgb - images[k]) ** 2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if step % 100 == 0:
            with torch.no_grad():
                rays_o, rays_d = get_rays(height, width, focal, held_pose)
                rgb = render(field, rays_o, rays_d, 2.0, 6.0, args.samples)
                psnr = -10.0 * torch.log10(((rgb - held_out) ** 2).mean())
            print(step, loss.item(), psnr.item())


if __name__ == "__main__":
    main()
