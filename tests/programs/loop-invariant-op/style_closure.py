# requires: torch==1.8
"""Neural style transfer after Gatys et al., optimised with L-BFGS.

    python style_closure.py content.jpg style.jpg out.jpg --steps 500
"""
import argparse

import torch
import torch.nn as nn
import torch.nn.functional as F
import torchvision.transforms as T
from PIL import Image
from torchvision.models import vgg19

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
STYLE_LAYERS = (0, 5, 10, 19, 28)
CONTENT_LAYER = 21


def load(path, size=512):
    tf = T.Compose([T.Resize((size, size)), T.ToTensor()])
    return tf(Image.open(path).convert("RGB")).unsqueeze(0).to(device)


class Extractor(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = vgg19(pretrained=True).features.to(device).eval()
        for p in self.layers.parameters():
            p.requires_grad_(False)

    def forward(self, x):
        outs = {}
        for i, layer in enumerate(self.layers):
            x = layer(x)
            if i in STYLE_LAYERS or i == CONTENT_LAYER:
                outs[i] = x
        return outs


def gram_matrix(feat):
    b, c, h, w = feat.size()
    flat = feat.view(b * c, h * w)
    return torch.mm(flat, flat.t()).div(b * c * h * w)


def tv(img):
    return (img[..., 1:] - img[..., :-1]).abs().mean()


def run(content, style, steps, style_weight=1e6, tv_weight=1e-4):
    vgg = Extractor()
    canvas = content.clone().requires_grad_(True)
    optimizer = torch.optim.LBFGS([canvas])
    with torch.no_grad():
        content_feats = vgg(content)

    done = [0]
    while done[0] < steps:

        def closure():
            optimizer.zero_grad()
            feats = vgg(canvas)
            style_feats = vgg(style)  # note: loop-invariant-op
            loss = F.mse_loss(feats[CONTENT_LAYER], content_feats[CONTENT_LAYER])
            for i in STYLE_LAYERS:
                got = gram_matrix(feats[i])
                want = gram_matrix(style_feats[i])  # note: loop-invariant-op
                loss = loss + style_weight * F.mse_loss(got, want)
            loss = loss + tv_weight * tv(canvas)
            loss.backward()
            done[0] += 1
            if done[0] % 50 == 0:
                print(done[0], loss.item())
            return loss

        optimizer.step(closure)
        with torch.no_grad():
            canvas.clamp_(0, 1)
    return canvas.detach()


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("content")
    ap.add_argument("style")
    ap.add_argument("out")
    ap.add_argument("--steps", type=int, default=500)
    args = ap.parse_args()
    result = run(load(args.content), load(args.style), args.steps)
    T.ToPILImage()(result.squeeze(0).cpu()).save(args.out)


if __name__ == "__main__":
    main()
