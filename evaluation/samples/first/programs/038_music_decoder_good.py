"""Autoregressive transformer over audio codec tokens."""
import argparse
import math

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, Dataset


class Codes(Dataset):
    def __init__(self, path, length):
        self.data = np.memmap(path, dtype=np.uint16, mode="r")
        self.length = length

    def __len__(self):
        return (len(self.data) - 1) // self.length

    def __getitem__(self, i):
        seg = self.data[i * self.length : (i + 1) * self.length + 1].astype(np.int64)
        return torch.from_numpy(seg)


class SelfAttention(nn.Module):
    def __init__(self, dim, heads, dropout, length):
        super().__init__()
        self.heads = heads
        self.qkv = nn.Linear(dim, 3 * dim, bias=False)
        self.proj = nn.Linear(dim, dim, bias=False)
        self.p = dropout

    def forward(self, x):
        b, t, c = x.shape
        q, k, v = self.qkv(x).view(b, t, 3, self.heads, c // self.heads).permute(2, 0, 3, 1, 4)
        p = self.p if self.training else 0.0
        y = F.scaled_dot_product_attention(q, k, v, dropout_p=p, is_causal=True)
        return self.proj(y.transpose(1, 2).reshape(b, t, c))


class Layer(nn.Module):
    def __init__(self, dim, heads, dropout, length):
        super().__init__()
        self.n1, self.n2 = nn.LayerNorm(dim), nn.LayerNorm(dim)
        self.attn = SelfAttention(dim, heads, dropout, length)
        self.mlp = nn.Sequential(nn.Linear(dim, 4 * dim), nn.GELU(), nn.Linear(4 * dim, dim))

    def forward(self, x):
        x = x + self.attn(self.n1(x))
        return x + self.mlp(self.n2(x))


class Decoder(nn.Module):
    def __init__(self, vocab=4096, dim=1024, depth=16, heads=16, length=2048, dropout=0.1):
        super().__init__()
        self.tok = nn.Embedding(vocab, dim)
        self.pos = nn.Parameter(torch.zeros(length, dim))
        self.layers = nn.Sequential(*[Layer(dim, heads, dropout, length) for _ in range(depth)])
        self.norm = nn.LayerNorm(dim)
        self.head = nn.Linear(dim, vocab, bias=False)
        nn.init.normal_(self.tok.weight, std=1 / math.sqrt(dim))

    def forward(self, idx):
        return self.head(self.norm(self.layers(self.tok(idx) + self.pos[: idx.size(1)])))


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("codes")
    ap.add_argument("--length", type=int, default=2048)
    ap.add_argument("--batch-size", type=int, default=8)
    ap.add_argument("--epochs", type=int, default=4)
    args = ap.parse_args()
    device = torch.device("cuda")
    model = torch.compile(Decoder(length=args.length).to(device))
    opt = torch.optim.AdamW(model.parameters(), lr=3e-4, betas=(0.9, 0.95), fused=True)
    loader = DataLoader(
        Codes(args.codes, args.length), args.batch_size, shuffle=True, drop_last=True,
        num_workers=4, pin_memory=True, persistent_workers=True,
    )
    for epoch in range(args.epochs):
        for step, seg in enumerate(loader):
            seg = seg.to(device, non_blocking=True)
            with torch.autocast("cuda", dtype=torch.bfloat16):
                logits = model(seg[:, :-1])
                loss = F.cross_entropy(logits.flatten(0, 1), seg[:, 1:].flatten())
            opt.zero_grad()
            loss.backward()
            opt.step()
            if step % 100 == 0:
                print(epoch, step, loss.item())


if __name__ == "__main__":
    main()
