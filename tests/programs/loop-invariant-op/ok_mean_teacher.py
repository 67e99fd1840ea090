# requires: torch==1.11.*
"""Mean teacher for segmentation with few labels. The teacher follows; prompts are encoded once."""
import argparse
import copy
import itertools

import clip
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader

from scenes import Labelled, Unlabelled, CLASSES


class Segmenter(nn.Module):
    def __init__(self, width, text):
        super().__init__()
        self.body = nn.Sequential(
            nn.Conv2d(3, width, 7, 2, 3), nn.BatchNorm2d(width), nn.ReLU(),
            nn.Conv2d(width, width, 3, 1, 1), nn.BatchNorm2d(width), nn.ReLU(),
            nn.Dropout2d(0.1), nn.Conv2d(width, text.shape[1], 1),
        )
        self.register_buffer("text", text)
        self.temperature = nn.Parameter(torch.tensor(10.0))

    def forward(self, x):
        h = F.normalize(self.body(x), dim=1)
        logits = self.temperature * torch.einsum("bchw,kc->bkhw", h, self.text)
        return F.interpolate(logits, x.shape[2:], mode="bilinear", align_corners=False)


@torch.no_grad()
def text_features(device):
    model, _ = clip.load("ViT-B/32", device=device)
    tokens = clip.tokenize([f"a photo of {c}" for c in CLASSES]).to(device)
    return F.normalize(model.encode_text(tokens).float(), dim=1)


@torch.no_grad()
def follow(teacher, student, decay):
    for t, s in zip(teacher.parameters(), student.parameters()):
        t.mul_(decay).add_(s, alpha=1 - decay)
    for t, s in zip(teacher.buffers(), student.buffers()):
        t.copy_(s)


def ramp(step, length):
    p = min(step / length, 1.0)
    return float(torch.exp(torch.tensor(-5.0 * (1 - p) ** 2)))


def train(student, teacher, labelled, unlabelled, probe, args, device):
    optimizer = torch.optim.AdamW(student.parameters(), lr=args.lr)
    stream = zip(itertools.cycle(labelled), itertools.cycle(unlabelled))
    probe = probe.to(device)
    for step, ((x, y), u) in enumerate(itertools.islice(stream, args.steps)):
        x, y, u = x.to(device), y.to(device), u.to(device)
        noisy = u + 0.05 * torch.randn_like(u)
        with torch.no_grad():
            wanted = teacher(u).softmax(1)
            on_probe = teacher(probe).softmax(1)
        consistency = F.mse_loss(student(noisy).softmax(1), wanted)
        anchor = F.mse_loss(student(probe).softmax(1), on_probe)
        loss = F.cross_entropy(student(x), y) + ramp(step, args.ramp) * (consistency + 0.1 * anchor)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        follow(teacher, student, args.decay)
        if step % 200 == 0:
            print(step, loss.item())


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=40000)
    parser.add_argument("--ramp", type=int, default=4000)
    parser.add_argument("--decay", type=float, default=0.99)
    parser.add_argument("--lr", type=float, default=1e-3)
    parser.add_argument("--width", type=int, default=96)
    args = parser.parse_args()
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    student = Segmenter(args.width, text_features(device)).to(device)
    teacher = copy.deepcopy(student).eval()
    for p in teacher.parameters():
        p.requires_grad_(False)
    labelled = DataLoader(Labelled("data"), 8, shuffle=True, num_workers=4)
    unlabelled = DataLoader(Unlabelled("data"), 8, shuffle=True, num_workers=4)
    probe = next(iter(unlabelled))
    train(student, teacher, labelled, unlabelled, probe, args, device)
    torch.save(teacher.state_dict(), "teacher.pt")


if __name__ == "__main__":
    main()
