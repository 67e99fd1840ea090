"""4x super-resolution of microscope images with a perceptual loss."""
import argparse
from pathlib import Path

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, Dataset
from torchvision.io import ImageReadMode, read_image
from torchvision.models import VGG19_Weights, vgg19
from torchvision.transforms import v2


class Patches(Dataset):
    def __init__(self, root, size=192):
        self.files = sorted(Path(root).glob("*.png"))
        self.crop = v2.Compose([v2.RandomCrop(size), v2.RandomHorizontalFlip(), v2.ToDtype(torch.float32, scale=True)])

    def __len__(self):
        return len(self.files)

    def __getitem__(self, i):
        return self.crop(read_image(str(self.files[i]), mode=ImageReadMode.RGB))


class Residual(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.body = nn.Sequential(nn.Conv2d(c, c, 3, padding=1), nn.GELU(), nn.Conv2d(c, c, 3, padding=1))

    def forward(self, x):
        return x + 0.2 * self.body(x)


class Upscaler(nn.Module):
    def __init__(self, c=96, depth=16):
        super().__init__()
        self.head = nn.Conv2d(3, c, 3, padding=1)
        self.body = nn.Sequential(*[Residual(c) for _ in range(depth)])
        self.tail = nn.Sequential(nn.Conv2d(c, 48, 3, padding=1), nn.PixelShuffle(4))

    def forward(self, x):
        h = self.head(x)
        return self.tail(h + self.body(h)) + F.interpolate(x, scale_factor=4, mode="bilinear")


class PerceptualLoss(nn.Module):
    def __init__(self, layer=35):
        super().__init__()
        self.features = vgg19(weights=VGG19_Weights.DEFAULT).features[:layer].eval().requires_grad_(False)
        self.register_buffer("mean", torch.tensor([0.485, 0.456, 0.406]).view(1, 3, 1, 1))
        self.register_buffer("std", torch.tensor([0.229, 0.224, 0.225]).view(1, 3, 1, 1))

    def forward(self, pred, target):
        a = self.features((pred - self.mean) / self.std)
        with torch.no_grad():
            b = self.features((target - self.mean) / self.std)
        return F.l1_loss(a, b)


def train_step(net, perceptual, opt, hr, weight):
    lr_img = F.interpolate(hr, scale_factor=0.25, mode="bicubic", antialias=True)
    with torch.autocast("cuda", dtype=torch.bfloat16):
        sr = net(lr_img)
        loss = F.l1_loss(sr, hr) + weight * perceptual(sr, hr)
    opt.zero_grad()
    loss.backward()
    opt.step()
    return loss.detach()


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("images")
    ap.add_argument("--epochs", type=int, default=100)
    ap.add_argument("--batch-size", type=int, default=16)
    ap.add_argument("--weight", type=float, default=0.05)
    args = ap.parse_args()
    device = torch.device("cuda")
    loader = DataLoader(
        Patches(args.images), args.batch_size, shuffle=True, drop_last=True, num_workers=8,
        pin_memory=True, persistent_workers=True,
    )
    net = Upscaler().to(device)
    perceptual = PerceptualLoss().to(device)
    opt = torch.optim.AdamW(net.parameters(), lr=2e-4, fused=True)
    for epoch in range(args.epochs):
        total = torch.zeros((), device=device)
        for hr in loader:
            total += train_step(net, perceptual, opt, hr.to(device, non_blocking=True), args.weight)
        print(f"epoch {epoch}: {total.item() / len(loader):.4f}")
    torch.save(net.state_dict(), "upscaler.pt")


if __name__ == "__main__":
    main()
