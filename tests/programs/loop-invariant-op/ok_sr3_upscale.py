# requires: torch==2.1.*, torchvision==0.16.*
"""Upscales photographs by four with a diffusion model (SR3), tile by tile.

    python sr3_upscale.py --weights sr3_unet.pt --tile 256 photos/ upscaled/
"""

import argparse
import math
from pathlib import Path

import torch
import torch.nn.functional as F
from torchvision.io import read_image, write_png
from tqdm import tqdm


def cosine_schedule(steps, s=0.008):
    x = torch.linspace(0, steps, steps + 1, dtype=torch.float64)
    bar = torch.cos(((x / steps) + s) / (1 + s) * math.pi * 0.5) ** 2
    bar = bar / bar[0]
    betas = 1 - bar[1:] / bar[:-1]
    return torch.clip(betas, 0.0001, 0.9999).float()


def at(values, t, x):
    return values[t].reshape(-1, *([1] * (x.dim() - 1)))


class Diffusion:
    def __init__(self, net, steps=200, device="cuda", scale=4):
        self.net = net
        self.steps = steps
        self.scale = scale
        self.device = device
        self.betas = cosine_schedule(steps).to(device)
        alphas = 1.0 - self.betas
        bar = torch.cumprod(alphas, dim=0)
        self.sqrt_recip_alphas = torch.sqrt(1.0 / alphas)
        self.noise_levels = torch.sqrt(1.0 - bar)
        self.posterior_variance = self.betas * (1.0 - F.pad(bar[:-1], (1, 0), value=1.0)) / (1 - bar)

    def condition(self, low):
        up = F.interpolate(low, scale_factor=self.scale, mode="bicubic")
        return up.clamp(-1, 1)

    def predict(self, x, low, t):
        return self.net(torch.cat([self.condition(low), x], dim=1), at(self.noise_levels, t, x))

    def step(self, x, low, i):
        t = torch.full((x.shape[0],), i, device=self.device, dtype=torch.long)
        noise = self.predict(x, low, t)
        mean = at(self.sqrt_recip_alphas, t, x) * (
            x - at(self.betas, t, x) * noise / at(self.noise_levels, t, x)
        )
        if i == 0:
            return mean
        return mean + at(self.posterior_variance, t, x).sqrt() * torch.randn_like(x)

    @torch.no_grad()
    def upscale(self, low):
        n, c, h, w = low.shape
        x = torch.randn(n, c, h * self.scale, w * self.scale, device=self.device)
        for i in reversed(range(self.steps)):
            x = self.step(x, low, i)
        return x


def tiles_of(image, size):
    for top in range(0, image.shape[1], size):
        for left in range(0, image.shape[2], size):
            yield top, left, image[:, top : top + size, left : left + size]


def batches(items, n):
    batch = []
    for item in items:
        batch.append(item)
        if len(batch) == n:
            yield batch
            batch = []
    if batch:
        yield batch


def upscale_file(diffusion, path, out, size, batch_size):
    image = read_image(str(path)).to(diffusion.device).float() / 127.5 - 1
    height, width = image.shape[1:]
    image = F.pad(image, (0, -width % size, 0, -height % size))
    scale = diffusion.scale
    canvas = torch.zeros(3, image.shape[1] * scale, image.shape[2] * scale)
    for batch in batches(tiles_of(image, size), batch_size):
        low = torch.stack([tile for _, _, tile in batch])
        for (top, left, _), big in zip(batch, diffusion.upscale(low).cpu()):
            top, left = top * scale, left * scale
            canvas[:, top : top + big.shape[1], left : left + big.shape[2]] = big
    canvas = canvas[:, : height * scale, : width * scale]
    write_png(((canvas + 1) * 127.5).clamp(0, 255).to(torch.uint8), str(out / f"{path.stem}.png"))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("source", type=Path)
    parser.add_argument("target", type=Path)
    parser.add_argument("--weights", required=True)
    parser.add_argument("--steps", type=int, default=200)
    parser.add_argument("--tile", type=int, default=256)
    parser.add_argument("--batch-size", type=int, default=4)
    args = parser.parse_args()

    net = torch.jit.load(args.weights).cuda().eval()
    diffusion = Diffusion(net, args.steps)
    args.target.mkdir(exist_ok=True)
    for path in tqdm(sorted(args.source.glob("*.png"))):
        upscale_file(diffusion, path, args.target, args.tile, args.batch_size)


if __name__ == "__main__":
    main()
