import argparse
import math
from dataclasses import dataclass

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class TokenShards(Dataset):
    def __init__(self, path, block):
        self.ids = torch.load(path, mmap=True)
        self.block = block

    def __len__(self):
        return (len(self.ids) - 1) // self.block

    def __getitem__(self, i):
        chunk = self.ids[i * self.block : (i + 1) * self.block + 1].long()
        return chunk[:-1], chunk[1:]


class TinyLM(nn.Module):
    def __init__(self, vocab, dim=384, depth=6, heads=6, block=512):
        super().__init__()
        self.tok, self.pos = nn.Embedding(vocab, dim), nn.Embedding(block, dim)
        layer = nn.TransformerEncoderLayer(dim, heads, 4 * dim, batch_first=True, norm_first=True, activation="gelu")
        self.body = nn.TransformerEncoder(layer, depth)
        self.head = nn.Linear(dim, vocab, bias=False)
        self.register_buffer("where", torch.arange(block), persistent=False)
        self.register_buffer("mask", nn.Transformer.generate_square_subsequent_mask(block), persistent=False)

    def forward(self, ids):
        n = ids.size(1)
        x = self.tok(ids) + self.pos(self.where[:n])
        return self.head(self.body(x, mask=self.mask[:n, :n], is_causal=True))


@dataclass
class Meter:
    decay: float = 0.99
    value: torch.Tensor | None = None

    def push(self, v):
        self.value = v if self.value is None else self.decay * self.value + (1 - self.decay) * v


def fit(model, data, args):
    opt = torch.optim.AdamW(model.parameters(), lr=args.lr, fused=True)
    meter = Meter()
    step = 0
    while step < args.steps:
        for x, y in data:
            x, y = x.cuda(non_blocking=True), y.cuda(non_blocking=True)
            with torch.autocast("cuda", dtype=torch.bfloat16):
                loss = nn.functional.cross_entropy(model(x).flatten(0, 1), y.flatten())
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            opt.step()
            opt.zero_grad(set_to_none=True)
            meter.push(loss.detach())
            step += 1
            if step % 500 == 0:
                print(f"{step}: ppl {math.exp(float(meter.value)):.2f}")
            if step == args.steps:
                break


if __name__ == "__main__":
    p = argparse.ArgumentParser()
    p.add_argument("shard")
    p.add_argument("--vocab", type=int, default=32000)
    p.add_argument("--steps", type=int, default=50_000)
    p.add_argument("--lr", type=float, default=3e-4)
    a = p.parse_args()
    net = TinyLM(a.vocab).cuda()
    dl = DataLoader(TokenShards(a.shard, 512), 64, shuffle=True, num_workers=4, pin_memory=True, persistent_workers=True)
    fit(net, dl, a)
    torch.save(net.state_dict(), "tinylm.pt")
