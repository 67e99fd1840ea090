# requires: torch==2.7.1
"""Fine tuning of a small decoder; what is compiled is compiled once."""

import argparse
import contextlib
import math
import os

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Blocks(Dataset):
    def __init__(self, path, block):
        self.tokens = torch.load(path)
        self.block = block

    def __len__(self):
        return len(self.tokens) // self.block - 1

    def __getitem__(self, i):
        part = self.tokens[i * self.block : (i + 1) * self.block + 1]
        return part[:-1], part[1:]


class Decoder(nn.Module):
    def __init__(self, vocab, width, depth, compiled=True):
        super().__init__()
        self.embed = nn.Embedding(vocab, width)
        layer = [nn.TransformerEncoderLayer(width, 4, batch_first=True) for _ in range(depth)]
        self.layers = nn.ModuleList(torch.compile(one) if compiled else one for one in layer)
        self.head = nn.Linear(width, vocab)

    def forward(self, ids):
        x = self.embed(ids)
        for layer in self.layers:
            x = layer(x)
        return self.head(x)


@torch.compile(dynamic=False)
def fused_loss(logits, labels, smoothing=0.1):
    return F.cross_entropy(logits.flatten(0, 1), labels.flatten(), label_smoothing=smoothing)


def compile_step(model, optimizer, scaler):
    """Gives a step that is compiled, for the caller to keep."""

    def step(ids, labels):
        with torch.autocast("cuda", dtype=torch.bfloat16):
            loss = fused_loss(model(ids), labels)
        scaler.scale(loss).backward()
        scaler.step(optimizer)
        scaler.update()
        optimizer.zero_grad()
        return loss

    return torch.compile(step, mode="reduce-overhead")


class Trainer:
    def __init__(self, model, loader, args):
        self.model = model
        self.loader = loader
        self.args = args
        self.optimizer = torch.optim.AdamW(model.parameters(), args.lr, fused=True)
        self.step = compile_step(model, self.optimizer, torch.amp.GradScaler())
        self._generate = None

    def generate(self, ids, length):
        if self._generate is None:
            self._generate = torch.compile(self.model, fullgraph=True)
        for _ in range(length):
            ids = torch.cat([ids, self._generate(ids)[:, -1:].argmax(-1)], dim=1)
        return ids

    def fit(self):
        seen = 0
        for epoch in range(self.args.epochs):
            for ids, labels in self.loader:
                loss = self.step(ids.cuda(), labels.cuda())
                seen += 1
                if seen % 500 == 0:
                    print(epoch, seen, loss.item())
            self.save(epoch)
        return loss.item()

    def save(self, epoch):
        inner = getattr(self.model, "_orig_mod", self.model)
        torch.save(inner.state_dict(), os.path.join(self.args.out, f"{epoch}.pt"))


def trial(args, width, depth):
    torch._dynamo.reset()
    model = torch.compile(Decoder(args.vocab, width, depth, compiled=False).cuda())
    loader = DataLoader(Blocks(args.data, 512), batch_size=16, shuffle=True, num_workers=4)
    return Trainer(model, loader, args).fit()


def export(args):
    model = Decoder(args.vocab, 256, 4, compiled=False).eval()
    scripted = torch.jit.script(model)
    scripted.save(os.path.join(args.out, "decoder.pt"))


def perplexity(model, loader):
    forward = torch.compile(model)
    total = count = 0.0
    with torch.inference_mode():
        for ids, labels in loader:
            total += fused_loss(forward(ids.cuda()), labels.cuda(), 0.0).item() * labels.numel()
            count += labels.numel()
    return math.exp(total / count)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--data", default="tokens.pt")
    parser.add_argument("--out", default="runs")
    parser.add_argument("--vocab", type=int, default=32000)
    parser.add_argument("--lr", type=float, default=3e-4)
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--sweep", action="store_true")
    args = parser.parse_args()

    if args.sweep:
        sizes = [(width, depth) for width in (128, 256, 512) for depth in (2, 4)]
        losses = {size: trial(args, *size) for size in sizes}
        print(min(losses, key=losses.get))
        return
    model = Decoder(args.vocab, 256, 4).cuda()
    loader = DataLoader(Blocks(args.data, 512), batch_size=16, shuffle=True, num_workers=4)
    with contextlib.suppress(KeyboardInterrupt):
        Trainer(model, loader, args).fit()
    print(perplexity(model, loader))
    export(args)


if __name__ == "__main__":
    main()
