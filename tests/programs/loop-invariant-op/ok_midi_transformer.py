# requires: torch==1.13.*
"""Decoder-only transformer over MIDI events."""
import math
from dataclasses import dataclass

import torch
from torch import nn
from torch.utils.data import DataLoader


@dataclass
class Config:
    vocab: int = 388
    dim: int = 512
    heads: int = 8
    depth: int = 6
    length: int = 2048
    dropout: float = 0.1


def sinusoids(length, dim, device):
    position = torch.arange(length, device=device).unsqueeze(1).float()
    div = torch.exp(torch.arange(0, dim, 2, device=device).float() * (-math.log(10000.0) / dim))
    pe = torch.zeros(length, dim, device=device)
    pe[:, 0::2] = torch.sin(position * div)
    pe[:, 1::2] = torch.cos(position * div)
    return pe


class Attention(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.heads = cfg.heads
        self.length = cfg.length
        self.qkv = nn.Linear(cfg.dim, 3 * cfg.dim)
        self.out = nn.Linear(cfg.dim, cfg.dim)
        self.drop = nn.Dropout(cfg.dropout)

    def forward(self, x):
        b, t, d = x.shape
        q, k, v = self.qkv(x).view(b, t, 3, self.heads, d // self.heads).permute(2, 0, 3, 1, 4)
        scores = q @ k.transpose(-2, -1) / math.sqrt(d // self.heads)
        mask = torch.tril(torch.ones(self.length, self.length, device=x.device)).bool()
        scores = scores.masked_fill(~mask[:t, :t], float("-inf"))
        return self.out((self.drop(scores.softmax(-1)) @ v).transpose(1, 2).reshape(b, t, d))


class Block(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.ln1, self.ln2 = nn.LayerNorm(cfg.dim), nn.LayerNorm(cfg.dim)
        self.attn = Attention(cfg)
        self.mlp = nn.Sequential(nn.Linear(cfg.dim, 4 * cfg.dim), nn.GELU(), nn.Linear(4 * cfg.dim, cfg.dim))

    def forward(self, x):
        x = x + self.attn(self.ln1(x))
        return x + self.mlp(self.ln2(x))


class MusicModel(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.cfg = cfg
        self.embed = nn.Embedding(cfg.vocab, cfg.dim)
        self.blocks = nn.ModuleList(Block(cfg) for _ in range(cfg.depth))
        self.head = nn.Linear(cfg.dim, cfg.vocab)

    def forward(self, tokens):
        x = self.embed(tokens)
        pe = sinusoids(self.cfg.length, self.cfg.dim, tokens.device)
        x = x + pe[: tokens.shape[1]]
        for block in self.blocks:
            x = block(x)
        return self.head(x)


def train(model, dataset, epochs=20, lr=3e-4, device="cuda"):
    loader = DataLoader(dataset, batch_size=8, shuffle=True, num_workers=4, pin_memory=True, drop_last=True)
    opt = torch.optim.AdamW(model.parameters(), lr=lr)
    loss_fn = nn.CrossEntropyLoss()
    model.to(device).train()
    for epoch in range(epochs):
        running = torch.zeros((), device=device)
        for tokens in loader:
            tokens = tokens.to(device, non_blocking=True)
            logits = model(tokens[:, :-1])
            loss = loss_fn(logits.flatten(0, 1), tokens[:, 1:].flatten())
            opt.zero_grad(set_to_none=True)
            loss.backward()
            opt.step()
            running += loss.detach()
        print(epoch, (running / len(loader)).item())
        torch.save(model.state_dict(), f"midi_{epoch:03d}.pt")
