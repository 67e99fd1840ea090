# requires: torch==1.13.*
"""Neural style transfer after Gatys et al., for the course's third assignment."""
import argparse
from pathlib import Path

import torch
import torch.nn as nn
import torch.nn.functional as F
import torchvision.transforms as T
from PIL import Image
from torchvision.models import VGG19_Weights, vgg19

CONTENT_LAYERS = ("21",)
STYLE_LAYERS = ("0", "5", "10", "19", "28")


class VGGFeatures(nn.Module):
    def __init__(self):
        super().__init__()
        self.vgg = vgg19(weights=VGG19_Weights.DEFAULT).features[:29].eval()
        for p in self.vgg.parameters():
            p.requires_grad_(False)
        mean = torch.tensor([0.485, 0.456, 0.406]).view(1, 3, 1, 1)
        std = torch.tensor([0.229, 0.224, 0.225]).view(1, 3, 1, 1)
        self.register_buffer("mean", mean)
        self.register_buffer("std", std)

    def forward(self, x):
        x = (x - self.mean) / self.std
        content, style = [], []
        for name, layer in self.vgg.named_children():
            x = layer(x)
            if name in CONTENT_LAYERS:
                content.append(x)
            if name in STYLE_LAYERS:
                style.append(x)
        return content, style


def gram(x):
    b, c, h, w = x.shape
    flat = x.view(b, c, h * w)
    return torch.bmm(flat, flat.transpose(1, 2)) / (c * h * w)


def load_image(path, size, device):
    tf = T.Compose([T.Resize(size), T.CenterCrop(size), T.ToTensor()])
    return tf(Image.open(path).convert("RGB")).unsqueeze(0).to(device)


def tv_loss(img):
    dh = (img[:, :, 1:, :] - img[:, :, :-1, :]).abs().mean()
    dw = (img[:, :, :, 1:] - img[:, :, :, :-1]).abs().mean()
    return dh + dw


def transfer(content_img, style_img, steps, content_weight, style_weight, tv_weight, lr):
    device = content_img.device
    model = VGGFeatures().to(device)
    target = content_img.clone().requires_grad_(True)
    optimizer = torch.optim.Adam([target], lr=lr)

    for step in range(steps):
        target_content, target_style = model(target)
        content_features, _ = model(content_img)  # note: loop-invariant-op
        _, style_features = model(style_img)  # note: loop-invariant-op

        content_loss = 0.0
        for a, b in zip(target_content, content_features):
            content_loss = content_loss + F.mse_loss(a, b)
        style_loss = 0.0
        for a, b in zip(target_style, style_features):
            style_loss = style_loss + F.mse_loss(gram(a), gram(b))

        loss = content_weight * content_loss + style_weight * style_loss + tv_weight * tv_loss(target)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        with torch.no_grad():
            target.clamp_(0, 1)

        if step % 50 == 0:
            print(f"{step:5d}  loss {loss.item():.4f}")

    return target.detach()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("content", type=Path)
    parser.add_argument("style", type=Path)
    parser.add_argument("--out", type=Path, default=Path("out.png"))
    parser.add_argument("--size", type=int, default=512)
    parser.add_argument("--steps", type=int, default=2000)
    parser.add_argument("--content-weight", type=float, default=1.0)
    parser.add_argument("--style-weight", type=float, default=1e6)
    parser.add_argument("--tv-weight", type=float, default=1e-3)
    parser.add_argument("--lr", type=float, default=0.02)
    args = parser.parse_args()

    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    content = load_image(args.content, args.size, device)
    style = load_image(args.style, args.size, device)
    result = transfer(
        content, style, args.steps, args.content_weight, args.style_weight, args.tv_weight, args.lr
    )
    T.ToPILImage()(result.squeeze(0).cpu()).save(args.out)


if __name__ == "__main__":
    main()
