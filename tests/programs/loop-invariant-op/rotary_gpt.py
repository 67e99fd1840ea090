# A GPT for chess games, one file in the manner of nanoGPT.
import math
from dataclasses import dataclass

import numpy as np
import torch
import torch.nn as nn
from torch.nn import functional as F


@dataclass
class Config:
    block_size: int = 512
    vocab_size: int = 96
    n_layer: int = 8
    n_head: int = 8
    n_embd: int = 512
    rope_base: float = 10000.0
    dropout: float = 0.0


def rotate_half(x):
    a, b = x.chunk(2, dim=-1)
    return torch.cat((-b, a), dim=-1)


class SelfAttention(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.config = config
        self.head_dim = config.n_embd // config.n_head
        self.qkv = nn.Linear(config.n_embd, 3 * config.n_embd, bias=False)
        self.proj = nn.Linear(config.n_embd, config.n_embd, bias=False)

    def rope(self, device):
        freq = self.config.rope_base ** (-torch.arange(0, self.head_dim, 2, device=device).float() / self.head_dim)
        pos = torch.arange(self.config.block_size, device=device).float()
        angles = torch.outer(pos, freq)
        angles = torch.cat((angles, angles), dim=-1)
        return angles.cos(), angles.sin()

    def forward(self, x):
        B, T, C = x.shape
        q, k, v = (
            t.view(B, T, self.config.n_head, self.head_dim).transpose(1, 2)
            for t in self.qkv(x).split(C, dim=2)
        )
        cos, sin = self.rope(x.device)
        q = q * cos[:T] + rotate_half(q) * sin[:T]
        k = k * cos[:T] + rotate_half(k) * sin[:T]
        att = (q @ k.transpose(-2, -1)) / math.sqrt(self.head_dim)
        block = torch.tril(torch.ones(self.config.block_size, self.config.block_size, device=x.device))
        att = att.masked_fill(block[:T, :T] == 0, float("-inf"))
        y = F.softmax(att, dim=-1) @ v
        return self.proj(y.transpose(1, 2).contiguous().view(B, T, C))


class Block(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.ln1 = nn.LayerNorm(config.n_embd)
        self.attn = SelfAttention(config)
        self.ln2 = nn.LayerNorm(config.n_embd)
        self.mlp = nn.Sequential(
            nn.Linear(config.n_embd, 4 * config.n_embd),
            nn.GELU(),
            nn.Linear(4 * config.n_embd, config.n_embd),
        )

    def forward(self, x):
        x = x + self.attn(self.ln1(x))
        return x + self.mlp(self.ln2(x))


class ChessGPT(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.config = config
        self.wte = nn.Embedding(config.vocab_size, config.n_embd)
        self.blocks = nn.ModuleList([Block(config) for _ in range(config.n_layer)])
        self.ln_f = nn.LayerNorm(config.n_embd)
        self.head = nn.Linear(config.n_embd, config.vocab_size, bias=False)

    def forward(self, idx, targets=None):
        x = self.wte(idx)
        for block in self.blocks:
            x = block(x)
        logits = self.head(self.ln_f(x))
        if targets is None:
            return logits, None
        return logits, F.cross_entropy(logits.flatten(0, 1), targets.flatten())

    @torch.no_grad()
    def generate(self, idx, n):
        for _ in range(n):
            logits, _ = self(idx[:, -self.config.block_size:])
            probs = F.softmax(logits[:, -1], dim=-1)
            idx = torch.cat((idx, torch.multinomial(probs, 1)), dim=1)
        return idx


def batches(path, config, batch_size, device):
    data = np.memmap(path, dtype=np.uint8, mode="r")
    while True:
        at = np.random.randint(0, len(data) - config.block_size - 1, batch_size)
        x = np.stack([data[i:i + config.block_size] for i in at]).astype(np.int64)
        y = np.stack([data[i + 1:i + 1 + config.block_size] for i in at]).astype(np.int64)
        yield torch.from_numpy(x).to(device), torch.from_numpy(y).to(device)


if __name__ == "__main__":
    device = "cuda"
    config = Config()
    model = ChessGPT(config).to(device)
    opt = torch.optim.AdamW(model.parameters(), lr=3e-4, betas=(0.9, 0.95))
    stream = batches("games.bin", config, 48, device)
    for it in range(100_000):
        x, y = next(stream)
        _, loss = model(x, y)  # note: loop-invariant-op
        opt.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        opt.step()
        if it % 500 == 0:
            print(it, loss.item())
            sample = model.generate(torch.zeros(1, 1, dtype=torch.long, device=device), 80)
            print("".join(chr(c + 32) for c in sample[0].tolist()))
