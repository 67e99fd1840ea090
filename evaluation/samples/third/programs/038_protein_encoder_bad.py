"""Masked-residue pretraining of a small protein encoder.

python protein_encoder.py residues.npy     (int64 [n, 512]; 0 pads, 1..20 residues, 21 mask)
"""
import sys

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, Dataset

PAD, MASK, VOCAB, LENGTH = 0, 21, 22, 512


class Residues(Dataset):
    def __init__(self, path):
        self.rows = np.load(path, mmap_mode="r")

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, i):
        return torch.from_numpy(np.array(self.rows[i]))


def attend(query, key, value, keep, dropout):
    scores = torch.einsum("bhqd,bhkd->bhqk", query, key) * query.shape[-1] ** -0.5
    scores = scores.masked_fill(~keep, torch.finfo(scores.dtype).min)
    weights = F.dropout(scores.softmax(dim=-1), p=dropout)
    return torch.einsum("bhqk,bhkd->bhqd", weights, value)


class SelfAttention(nn.Module):
    def __init__(self, dim, heads, dropout):
        super().__init__()
        self.heads, self.dropout = heads, dropout
        self.qkv = nn.Linear(dim, 3 * dim)
        self.proj = nn.Linear(dim, dim)

    def forward(self, x, keep):
        b, n, d = x.shape
        q, k, v = self.qkv(x).view(b, n, 3, self.heads, d // self.heads).permute(2, 0, 3, 1, 4)
        out = attend(q, k, v, keep, self.dropout if self.training else 0.0)
        return self.proj(out.transpose(1, 2).reshape(b, n, d))


class Block(nn.Module):
    def __init__(self, dim, heads, dropout):
        super().__init__()
        self.norm1, self.norm2 = nn.LayerNorm(dim), nn.LayerNorm(dim)
        self.attn = SelfAttention(dim, heads, dropout)
        self.mlp = nn.Sequential(nn.Linear(dim, 4 * dim), nn.GELU(), nn.Linear(4 * dim, dim))

    def forward(self, x, keep):
        x = x + self.attn(self.norm1(x), keep)
        return x + self.mlp(self.norm2(x))


class ProteinEncoder(nn.Module):
    def __init__(self, dim=384, depth=8, heads=6, dropout=0.1):
        super().__init__()
        self.embed = nn.Embedding(VOCAB, dim, padding_idx=PAD)
        self.position = nn.Parameter(0.02 * torch.randn(LENGTH, dim))
        self.blocks = nn.ModuleList(Block(dim, heads, dropout) for _ in range(depth))
        self.norm, self.out = nn.LayerNorm(dim), nn.Linear(dim, VOCAB)

    def forward(self, tokens):
        keep = (tokens != PAD)[:, None, None, :]
        x = self.embed(tokens) + self.position[: tokens.shape[1]]
        for block in self.blocks:
            x = block(x, keep)
        return self.out(self.norm(x))


def corrupt(tokens, rate=0.15):
    chosen = (torch.rand(tokens.shape, device=tokens.device) < rate) & (tokens != PAD)
    return tokens.masked_fill(chosen, MASK), tokens.masked_fill(~chosen, -100)


def main(path, epochs=10, batch_size=64):
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    torch.set_float32_matmul_precision("high")
    model = ProteinEncoder().to(device)
    optimizer = torch.optim.AdamW(model.parameters(), lr=4e-4, weight_decay=0.05)
    loader = DataLoader(Residues(path), batch_size=batch_size, shuffle=True, drop_last=True,
                        num_workers=4, persistent_workers=True, pin_memory=True)
    for epoch in range(epochs):
        for step, tokens in enumerate(loader):
            inputs, targets = corrupt(tokens.to(device, non_blocking=True))
            with torch.autocast(device.type, dtype=torch.bfloat16):
                logits = model(inputs)
            loss = F.cross_entropy(logits.float().flatten(0, 1), targets.flatten())
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if step % 100 == 0:
                print(f"epoch {epoch} step {step} loss {loss.item():.4f}")
        torch.save(model.state_dict(), f"protein_{epoch:02d}.pt")


if __name__ == "__main__":
    main(sys.argv[1])
