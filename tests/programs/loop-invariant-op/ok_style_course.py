# Assignment 3 of the vision course: style transfer with VGG features.
import sys

import torch
import torch.nn as nn
import torch.nn.functional as F
from PIL import Image
from torchvision import models, transforms

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
CONTENT_LAYERS = {21: "conv4_2"}
STYLE_LAYERS = {0: "conv1_1", 5: "conv2_1", 10: "conv3_1", 19: "conv4_1", 28: "conv5_1"}


def load(path, size=512):
    image = Image.open(path).convert("RGB")
    tf = transforms.Compose([
        transforms.Resize(size),
        transforms.CenterCrop(size),
        transforms.ToTensor(),
        transforms.Normalize([0.485, 0.456, 0.406], [0.229, 0.224, 0.225]),
    ])
    return tf(image).unsqueeze(0).to(device)


class Extractor(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = models.vgg19(pretrained=True).features.to(device).eval()
        for p in self.layers.parameters():
            p.requires_grad = False

    def forward(self, x):
        content, style = [], []
        for i, layer in enumerate(self.layers):
            x = layer(x)
            if i in CONTENT_LAYERS:
                content.append(x)
            if i in STYLE_LAYERS:
                style.append(x)
        return content, style


def gram_matrix(t):
    b, c, h, w = t.size()
    t = t.view(c, h * w)
    return torch.mm(t, t.t()) / (c * h * w)


def style_loss(made, wanted):
    loss = 0
    for m, w in zip(made, wanted):
        loss = loss + F.mse_loss(gram_matrix(m), gram_matrix(w))
    return loss


def content_loss(made, wanted):
    return sum(F.mse_loss(m, w) for m, w in zip(made, wanted))


def main(content_path, style_path, out_path, steps=2000, style_weight=1e6):
    net = Extractor()
    content, style = load(content_path), load(style_path)
    with torch.no_grad():
        content_feats, _ = net(content)
        _, style_feats = net(style)
    target = content.clone().requires_grad_(True)
    optimizer = torch.optim.Adam([target], lr=0.03)
    for step in range(steps):
        made_content, made_style = net(target)
        loss = content_loss(made_content, content_feats) + style_weight * style_loss(made_style, style_feats)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if step % 100 == 0:
            print(step, loss.item())
    mean = torch.tensor([0.485, 0.456, 0.406], device=device).view(1, 3, 1, 1)
    std = torch.tensor([0.229, 0.224, 0.225], device=device).view(1, 3, 1, 1)
    transforms.ToPILImage()((target.detach() * std + mean).clamp(0, 1)[0].cpu()).save(out_path)


if __name__ == "__main__":
    main(*sys.argv[1:4])
