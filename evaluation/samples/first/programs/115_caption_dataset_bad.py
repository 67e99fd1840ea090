"""Train a small caption language model on web captions."""
import argparse
import json

import numpy as np
import torch
from tokenizers import Tokenizer
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Captions(Dataset):
    def __init__(self, path, tokenizer, length):
        with open(path, encoding="utf-8") as fh:
            self.records = [json.loads(line) for line in fh]
        self.tokenizer = Tokenizer.from_file(tokenizer)
        self.length = length

    def __len__(self):
        return len(self.records)

    def __getitem__(self, i):
        rec = self.records[i]
        text = f"{rec['title']}: {rec['caption']}"
        ids = self.tokenizer.encode(text).ids[: self.length]
        row = np.zeros(self.length, np.int64)
        row[: len(ids)] = ids
        return torch.from_numpy(row)


class CaptionLM(nn.Module):
    def __init__(self, vocab, dim=512, depth=8, length=96):
        super().__init__()
        self.tok = nn.Embedding(vocab, dim, padding_idx=0)
        self.pos = nn.Parameter(torch.zeros(1, length, dim))
        layer = nn.TransformerEncoderLayer(dim, 8, 4 * dim, 0.1, "gelu",
                                           batch_first=True, norm_first=True)
        self.body = nn.TransformerEncoder(layer, depth, enable_nested_tensor=False)
        mask = nn.Transformer.generate_square_subsequent_mask(length)
        self.register_buffer("mask", mask)
        self.out = nn.Linear(dim, vocab)

    def forward(self, ids):
        n = ids.size(1)
        x = self.tok(ids) + self.pos[:, :n]
        return self.out(self.body(x, mask=self.mask[:n, :n], is_causal=True))


def main():
    p = argparse.ArgumentParser()
    p.add_argument("captions", help="JSON lines, about 12M rows")
    p.add_argument("--tokenizer", default="tokenizer.json")
    p.add_argument("--vocab", type=int, default=16000)
    p.add_argument("--length", type=int, default=96)
    p.add_argument("--batch-size", type=int, default=256)
    p.add_argument("--epochs", type=int, default=2)
    args = p.parse_args()

    torch.set_float32_matmul_precision("high")
    device = torch.device("cuda")
    data = Captions(args.captions, args.tokenizer, args.length)
    loader = DataLoader(data, batch_size=args.batch_size, shuffle=True, num_workers=16,
                        pin_memory=True, persistent_workers=True, drop_last=True)
    model = CaptionLM(args.vocab, length=args.length).to(device)
    opt = torch.optim.AdamW(model.parameters(), lr=4e-4, betas=(0.9, 0.95), fused=True)
    sched = torch.optim.lr_scheduler.OneCycleLR(opt, 4e-4, args.epochs * len(loader))
    for epoch in range(args.epochs):
        for step, ids in enumerate(loader):
            ids = ids.to(device, non_blocking=True)
            with torch.autocast("cuda", dtype=torch.bfloat16):
                logits = model(ids[:, :-1])
                loss = nn.functional.cross_entropy(
                    logits.flatten(0, 1), ids[:, 1:].flatten(), ignore_index=0)
            opt.zero_grad()
            loss.backward()
            opt.step()
            sched.step()
            if step % 500 == 0:
                print(epoch, step, loss.item(), flush=True)
        torch.save(model.state_dict(), f"caption_{epoch}.pt")


if __name__ == "__main__":
    main()
