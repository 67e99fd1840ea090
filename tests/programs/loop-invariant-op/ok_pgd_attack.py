# requires: torch==1.12.*
"""Robust accuracy of a CIFAR classifier under PGD, with restarts."""
import argparse

import torch
import torch.nn.functional as F
from torch.utils.data import DataLoader
from torchvision import datasets, models, transforms


class Normalized(torch.nn.Module):
    def __init__(self, net, mean, std):
        super().__init__()
        self.net = net
        self.register_buffer("mean", torch.tensor(mean).view(1, 3, 1, 1))
        self.register_buffer("std", torch.tensor(std).view(1, 3, 1, 1))

    def forward(self, x):
        return self.net((x - self.mean) / self.std)


def pgd(model, x, y, eps, alpha, steps, restarts):
    with torch.no_grad():
        clean_logits = model(x)
    clean_prob = F.softmax(clean_logits, dim=1)
    worst = x.clone()
    worst_loss = torch.full((len(x),), -float("inf"), device=x.device)
    for _ in range(restarts):
        delta = torch.empty_like(x).uniform_(-eps, eps)
        for _ in range(steps):
            delta.requires_grad_(True)
            logits = model((x + delta).clamp(0, 1))
            kl = F.kl_div(F.log_softmax(logits, dim=1), clean_prob, reduction="batchmean")
            loss = F.cross_entropy(logits, y) + 0.1 * kl
            (grad,) = torch.autograd.grad(loss, delta)
            delta = (delta.detach() + alpha * grad.sign()).clamp(-eps, eps)
        with torch.no_grad():
            adv = (x + delta).clamp(0, 1)
            each = F.cross_entropy(model(adv), y, reduction="none")
        better = each > worst_loss
        worst = torch.where(better[:, None, None, None], adv, worst)
        worst_loss = torch.maximum(each, worst_loss)
    return worst


def evaluate(model, loader, args, device):
    clean = robust = total = torch.zeros((), device=device)
    for x, y in loader:
        x, y = x.to(device), y.to(device)
        adv = pgd(model, x, y, args.eps / 255, args.alpha / 255, args.steps, args.restarts)
        with torch.no_grad():
            clean = clean + (model(x).argmax(1) == y).sum()
            robust = robust + (model(adv).argmax(1) == y).sum()
        total = total + len(y)
    return (clean / total).item(), (robust / total).item()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("checkpoint")
    parser.add_argument("--eps", type=float, default=8)
    parser.add_argument("--alpha", type=float, default=2)
    parser.add_argument("--steps", type=int, default=20)
    parser.add_argument("--restarts", type=int, default=3)
    args = parser.parse_args()
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    net = models.resnet18(num_classes=10)
    net.load_state_dict(torch.load(args.checkpoint, map_location="cpu"))
    model = Normalized(net, (0.4914, 0.4822, 0.4465), (0.2470, 0.2435, 0.2616))
    model = model.to(device).eval()
    for p in model.parameters():
        p.requires_grad_(False)
    data = datasets.CIFAR10("data", train=False, transform=transforms.ToTensor(), download=True)
    print("clean %.4f robust %.4f" % evaluate(model, DataLoader(data, 256), args, device))


if __name__ == "__main__":
    main()
