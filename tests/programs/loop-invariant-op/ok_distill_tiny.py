"""Distils a wide ResNet into a small one on cached CIFAR crops, with spectral penalties."""
import copy
import logging

import torch
import torch.nn as nn
import torch.nn.functional as F
import torchvision
import torchvision.transforms as T

log = logging.getLogger("distill")


def gaussian_kernel(size, sigma, channels, device):
    ax = torch.arange(size, device=device, dtype=torch.float32) - (size - 1) / 2
    g = torch.exp(-ax ** 2 / (2 * sigma ** 2))
    k = torch.outer(g, g)
    k = k / k.sum()
    return k.expand(channels, 1, size, size).contiguous()


def low_pass(x):
    kernel = gaussian_kernel(7, 1.5, x.shape[1], x.device)
    return F.conv2d(x, kernel, padding=3, groups=x.shape[1])


def weight_norms(model):
    return torch.stack([p.detach().norm() for p in model.parameters() if p.dim() > 1])


class Distiller:
    def __init__(self, teacher, student, loader, probe, cfg):
        self.teacher = teacher.cuda().eval()
        for p in self.teacher.parameters():
            p.requires_grad_(False)
        self.student = student.cuda()
        self.loader = loader
        self.probe = probe.cuda()
        self.cfg = cfg
        self.opt = torch.optim.SGD(self.student.parameters(), lr=cfg["lr"], momentum=0.9, nesterov=True)

    def probe_gap(self):
        with torch.no_grad():
            t = self.teacher(self.probe)
            s = self.student(self.probe)
        return F.kl_div(s.log_softmax(1), t.softmax(1), reduction="batchmean")

    def norm_penalty(self):
        reference = weight_norms(self.teacher).mean()
        own = torch.stack([p.norm() for p in self.student.parameters() if p.dim() > 1]).mean()
        return (own - reference).abs()

    def step(self, images, labels):
        with torch.no_grad():
            soft = self.teacher(low_pass(images))
        logits = self.student(images)
        tau = self.cfg["tau"]
        kd = F.kl_div((logits / tau).log_softmax(1), (soft / tau).softmax(1), reduction="batchmean") * tau ** 2
        loss = F.cross_entropy(logits, labels) + self.cfg["alpha"] * kd + self.cfg["norm"] * self.norm_penalty()
        self.opt.zero_grad()
        loss.backward()
        self.opt.step()
        return loss

    def fit(self, epochs):
        best, best_state = float("inf"), None
        for epoch in range(epochs):
            self.student.train()
            for i, (images, labels) in enumerate(self.loader):
                loss = self.step(images.cuda(non_blocking=True), labels.cuda(non_blocking=True))
                if i % 100 == 0:
                    self.student.eval()
                    gap = self.probe_gap()
                    self.student.train()
                    log.info("epoch %d step %d loss %.3f gap %.4f", epoch, i, loss.item(), gap.item())
            if gap.item() < best:
                best, best_state = gap.item(), copy.deepcopy(self.student.state_dict())
        return best_state


if __name__ == "__main__":
    logging.basicConfig(level=logging.INFO)
    train = torchvision.datasets.CIFAR100("data", train=True, download=True, transform=T.Compose(
        [T.RandomCrop(32, padding=4), T.RandomHorizontalFlip(), T.ToTensor()]))
    test = torchvision.datasets.CIFAR100("data", train=False, transform=T.ToTensor())
    loader = torch.utils.data.DataLoader(train, 256, shuffle=True, num_workers=8, pin_memory=True)
    probe = torch.stack([test[i][0] for i in range(512)])
    teacher = torch.load("wrn.pt")
    student = torchvision.models.resnet18(num_classes=100)
    state = Distiller(teacher, student, loader, probe, {"lr": 0.1, "tau": 4.0, "alpha": 0.9, "norm": 1e-3}).fit(60)
    torch.save(state, "student.pt")
