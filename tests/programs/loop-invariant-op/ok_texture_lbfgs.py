"""Synthesises a texture by optimising the pixels (Gatys et al. 2015), PyTorch 1.x."""

import argparse

import torch
import torch.nn.functional as F
from torch import optim
from torchvision import models, transforms
from torchvision.utils import save_image

from PIL import Image

LAYERS = {1: "relu1_1", 6: "relu2_1", 11: "relu3_1", 20: "relu4_1"}
MEAN = torch.tensor([0.485, 0.456, 0.406]).view(1, 3, 1, 1)
STD = torch.tensor([0.229, 0.224, 0.225]).view(1, 3, 1, 1)


class Activations:
    """Keeps what the chosen layers gave when the network was last run."""

    def __init__(self, net):
        self.last = {}
        for index, name in LAYERS.items():
            net[index].register_forward_hook(self.keep(name))

    def keep(self, name):
        def hook(module, inputs, output):
            self.last[name] = output

        return hook


def gram(features):
    n, c, h, w = features.shape
    flat = features.view(n, c, h * w)
    return torch.bmm(flat, flat.transpose(1, 2)) / (c * h * w)


def total_variation(image):
    dx = image[..., :, 1:] - image[..., :, :-1]
    dy = image[..., 1:, :] - image[..., :-1, :]
    return dx.abs().mean() + dy.abs().mean()


def histogram(image, bins=64):
    return torch.histc(image.detach(), bins=bins, min=0, max=1)


def synthesise(path, size, steps, tv_weight, device):
    net = models.vgg19(pretrained=True).features[:21].to(device).eval()
    for parameter in net.parameters():
        parameter.requires_grad_(False)
    seen = Activations(net)
    mean, std = MEAN.to(device), STD.to(device)

    picture = transforms.ToTensor()(Image.open(path).convert("RGB").resize((size, size)))
    with torch.no_grad():
        net((picture[None].to(device) - mean) / std)
        targets = {name: gram(kept) for name, kept in seen.last.items()}

    canvas = torch.rand(1, 3, size, size, device=device, requires_grad=True)
    optimizer = optim.LBFGS([canvas], max_iter=20, history_size=50)

    for step in range(steps):

        def closure():
            optimizer.zero_grad()
            net((canvas - mean) / std)
            loss = tv_weight * total_variation(canvas)
            for name, target in targets.items():
                loss = loss + F.mse_loss(gram(seen.last[name]), target)
            loss.backward()
            return loss

        loss = optimizer.step(closure)
        with torch.no_grad():
            canvas.clamp_(0, 1)
        if step % 10 == 0:
            counts = histogram(canvas)
            spread = float((counts > 0).float().mean())
            print(f"step {step}: loss {loss.item():.5f}, {spread:.0%} of the range in use")
            save_image(canvas.detach(), f"texture_{step:04d}.png")
    return canvas.detach()


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("picture")
    parser.add_argument("--size", type=int, default=512)
    parser.add_argument("--steps", type=int, default=200)
    parser.add_argument("--tv-weight", type=float, default=1e-3)
    options = parser.parse_args()
    device = "cuda" if torch.cuda.is_available() else "cpu"
    save_image(
        synthesise(options.picture, options.size, options.steps, options.tv_weight, device),
        "texture.png",
    )
