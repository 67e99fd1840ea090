import math

import torch
from torch import nn


def rotary_table(length, width, base=10_000.0):
    rates = base ** (-torch.arange(0, width, 2) / width)
    angles = torch.outer(torch.arange(length), rates)
    return torch.cos(angles), torch.sin(angles)


def rotate(x, cos, sin):
    left, right = x.chunk(2, dim=-1)
    return torch.cat([left * cos - right * sin, right * cos + left * sin], dim=-1)


class Attention(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.qkv = nn.Linear(width, 3 * width)
        self.out = nn.Linear(width, width)

    def forward(self, x, tables):
        b, n, w = x.shape
        q, k, v = self.qkv(x).view(b, n, 3, self.heads, w // self.heads).permute(2, 0, 3, 1, 4)
        q, k = rotate(q, *tables), rotate(k, *tables)
        mixed = nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)
        return self.out(mixed.transpose(1, 2).reshape(b, n, w))


class Lora(nn.Module):
    def __init__(self, base, rank=8, alpha=16.0):
        super().__init__()
        self.base = base.requires_grad_(False)
        self.down = nn.Parameter(torch.randn(rank, base.in_features) / math.sqrt(rank))
        self.up = nn.Parameter(torch.zeros(base.out_features, rank))
        self.scale = alpha / rank

    def forward(self, x):
        return self.base(x) + self.scale * (x @ self.down.T @ self.up.T)


class Decoder(nn.Module):
    def __init__(self, vocabulary, width=512, heads=8, depth=8, context=1024):
        super().__init__()
        self.context = context
        self.head_width = width // heads
        self.embed = nn.Embedding(vocabulary, width)
        self.blocks = nn.ModuleList(Attention(width, heads) for _ in range(depth))
        self.norms = nn.ModuleList(nn.LayerNorm(width) for _ in range(depth))

    def forward(self, tokens):
        x = self.embed(tokens)
        for norm, block in zip(self.norms, self.blocks):
            tables = rotary_table(tokens.shape[1], self.head_width)
            x = x + block(norm(x), tables)
        return x @ self.embed.weight.T


def with_adapters(model, rank):
    for block in model.blocks:
        block.qkv = Lora(block.qkv, rank)
    return model
