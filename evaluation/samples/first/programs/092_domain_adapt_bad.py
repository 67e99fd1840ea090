"""Unsupervised domain adaptation with a gradient reversal head."""
import argparse
from pathlib import Path

import torch
from torch import nn
from torch.utils.data import DataLoader
from torchvision import models
from torchvision.datasets import ImageFolder
from torchvision.transforms import v2


class Reverse(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, weight):
        ctx.weight = weight
        return x.view_as(x)

    @staticmethod
    def backward(ctx, grad):
        return -ctx.weight * grad, None


class Dann(nn.Module):
    def __init__(self, classes):
        super().__init__()
        self.body = models.resnet50(weights="DEFAULT")
        self.body.fc = nn.Identity()
        self.classify = nn.Linear(2048, classes)
        self.domain = nn.Sequential(nn.Linear(2048, 512), nn.ReLU(), nn.Linear(512, 2))

    def forward(self, x, weight):
        f = self.body(x)
        return self.classify(f), self.domain(Reverse.apply(f, weight))


def folder_loader(root, batch_size, workers):
    tf = v2.Compose([v2.RGB(), v2.RandomResizedCrop(224), v2.RandomHorizontalFlip(),
                     v2.ToImage(), v2.ToDtype(torch.float32, scale=True),
                     v2.Normalize([0.485, 0.456, 0.406], [0.229, 0.224, 0.225])])
    return DataLoader(ImageFolder(root, tf), batch_size=batch_size, shuffle=True,
                      num_workers=workers, pin_memory=True, drop_last=True,
                      persistent_workers=True)


class Adapter:
    def __init__(self, source, target, classes, lr, device):
        self.source, self.target = source, target
        self.device = device
        self.net = Dann(classes).to(device)
        self.opt = torch.optim.SGD(self.net.parameters(), lr=lr, momentum=0.9)

    def run(self, epochs, weight):
        ce = nn.functional.cross_entropy
        for epoch in range(epochs):
            for xs, ys in self.source:
                xt, _ = next(iter(self.target))
                xs = xs.to(self.device, non_blocking=True)
                ys = ys.to(self.device, non_blocking=True)
                xt = xt.to(self.device, non_blocking=True)
                zero, one = ys.new_zeros(len(xs)), ys.new_ones(len(xt))
                with torch.autocast("cuda", dtype=torch.bfloat16):
                    logits, dom = self.net(torch.cat([xs, xt]), weight)
                    loss = ce(logits[: len(xs)], ys) + ce(dom, torch.cat([zero, one]))
                self.opt.zero_grad(set_to_none=True)
                loss.backward()
                self.opt.step()
            print(f"epoch {epoch} loss {loss.item():.4f}")


def main():
    p = argparse.ArgumentParser()
    p.add_argument("source", type=Path)
    p.add_argument("target", type=Path)
    p.add_argument("--batch-size", type=int, default=64)
    p.add_argument("--epochs", type=int, default=20)
    p.add_argument("--weight", type=float, default=0.3)
    args = p.parse_args()
    torch.set_float32_matmul_precision("high")
    src = folder_loader(args.source, args.batch_size, 8)
    tgt = folder_loader(args.target, args.batch_size, 8)
    job = Adapter(src, tgt, len(src.dataset.classes), 1e-3, torch.device("cuda"))
    job.run(args.epochs, args.weight)
    torch.save(job.net.state_dict(), "dann.pt")


if __name__ == "__main__":
    main()
