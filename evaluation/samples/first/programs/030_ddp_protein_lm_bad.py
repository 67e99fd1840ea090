"""Masked language model for protein sequences, torchrun with one process per GPU."""
import argparse
import os

import numpy as np
import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, Dataset

VOCAB, MASK, PAD = 32, 4, 0


class Proteins(Dataset):
    def __init__(self, path):
        self.tokens = np.load(path, mmap_mode="r")

    def __len__(self):
        return len(self.tokens)

    def __getitem__(self, i):
        return torch.from_numpy(self.tokens[i].astype(np.int64))


class ProteinLM(nn.Module):
    def __init__(self, dim=768, depth=12, heads=12, length=512):
        super().__init__()
        self.embed = nn.Embedding(VOCAB, dim)
        self.pos = nn.Parameter(torch.randn(1, length, dim) * 0.02)
        layer = nn.TransformerEncoderLayer(
            dim, heads, 4 * dim, dropout=0.0, activation="gelu", batch_first=True, norm_first=True
        )
        self.encoder = nn.TransformerEncoder(layer, depth, enable_nested_tensor=False)
        self.head = nn.Linear(dim, VOCAB)

    def forward(self, x):
        return self.head(self.encoder(self.embed(x) + self.pos[:, : x.size(1)]))


def corrupt(x):
    chosen = (torch.rand(x.shape, device=x.device) < 0.15) & (x != PAD)
    return x.masked_fill(chosen, MASK), x.masked_fill(~chosen, -100)


def make_loader(path, batch_size):
    ds = Proteins(path)
    return DataLoader(
        ds, batch_size=batch_size, shuffle=True, num_workers=4, pin_memory=True,
        persistent_workers=True, drop_last=True,
    )


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("tokens")
    ap.add_argument("--epochs", type=int, default=5)
    ap.add_argument("--batch-size", type=int, default=64)
    args = ap.parse_args()

    dist.init_process_group("nccl")
    local = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local)
    device = torch.device("cuda", local)
    model = DDP(ProteinLM().to(device), device_ids=[local])
    opt = torch.optim.AdamW(model.parameters(), lr=4e-4, betas=(0.9, 0.98), fused=True)
    loader = make_loader(args.tokens, args.batch_size)
    for epoch in range(args.epochs):
        for step, tokens in enumerate(loader):
            inputs, target = corrupt(tokens.to(device, non_blocking=True))
            with torch.autocast("cuda", dtype=torch.bfloat16):
                logits = model(inputs)
                loss = nn.functional.cross_entropy(logits.flatten(0, 1), target.flatten())
            opt.zero_grad()
            loss.backward()
            opt.step()
            if step % 200 == 0 and dist.get_rank() == 0:
                print(f"epoch {epoch} step {step}/{len(loader)} loss {loss.item():.4f}")
        if dist.get_rank() == 0:
            torch.save(model.module.state_dict(), f"protein_lm_{epoch}.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
