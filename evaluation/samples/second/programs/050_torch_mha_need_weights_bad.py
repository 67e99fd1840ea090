from dataclasses import dataclass

import lightning as L
import torch
from torch import nn
from torch.utils.data import DataLoader

from acme_seq.data import EventSequences, pad_events


@dataclass
class NetCfg:
    vocab: int = 20_000
    width: int = 512
    depth: int = 8
    heads: int = 8
    drop: float = 0.1
    max_len: int = 1024


class Mixer(nn.Module):
    def __init__(self, c: NetCfg):
        super().__init__()
        self.pre = nn.LayerNorm(c.width)
        self.mix = nn.MultiheadAttention(c.width, c.heads, dropout=c.drop, batch_first=True)
        self.post = nn.LayerNorm(c.width)
        self.ff = nn.Sequential(nn.Linear(c.width, 4 * c.width), nn.GELU(), nn.Linear(4 * c.width, c.width))
        self.drop = nn.Dropout(c.drop)

    def forward(self, x, pad):
        h = self.pre(x)
        x = x + self.drop(self.mix(h, h, h, key_padding_mask=pad)[0])
        return x + self.drop(self.ff(self.post(x)))


class NextPurchase(L.LightningModule):
    def __init__(self, c: NetCfg, lr=3e-4):
        super().__init__()
        self.lr = lr
        self.items = nn.Embedding(c.vocab, c.width, padding_idx=0)
        self.where = nn.Parameter(torch.zeros(1, c.max_len, c.width))
        self.blocks = nn.ModuleList(Mixer(c) for _ in range(c.depth))
        self.head = nn.Linear(c.width, c.vocab)

    def forward(self, ids):
        pad = ids == 0
        x = self.items(ids) + self.where[:, : ids.size(1)]
        for block in self.blocks:
            x = block(x, pad)
        w = (~pad).unsqueeze(-1).to(x.dtype)
        return self.head((x * w).sum(1) / w.sum(1).clamp_min(1))

    def training_step(self, batch, _):
        ids, target = batch
        loss = nn.functional.cross_entropy(self(ids), target)
        self.log("loss", loss)
        return loss

    def validation_step(self, batch, _):
        ids, target = batch
        self.log("hit10", (self(ids).topk(10).indices == target[:, None]).any(-1).float().mean(), sync_dist=True)

    def configure_optimizers(self):
        return torch.optim.AdamW(self.parameters(), lr=self.lr, fused=True)


def loader(split, train):
    return DataLoader(
        EventSequences(f"s3://acme-events/{split}"), 128, shuffle=train, collate_fn=pad_events,
        num_workers=8, pin_memory=True, persistent_workers=True,
    )


if __name__ == "__main__":
    L.seed_everything(3)
    trainer = L.Trainer(max_epochs=12, precision="bf16-mixed", devices=1, accelerator="gpu", gradient_clip_val=1.0)
    trainer.fit(NextPurchase(NetCfg()), loader("train", True), loader("valid", False))
