# requires: torch==1.9.*
"""A small transformer that learns to spell out numbers: 1994 -> one nine nine four."""
import argparse
import math
import random

import torch
import torch.nn as nn

DIGITS = "zero one two three four five six seven eight nine".split()
SRC = {c: i + 3 for i, c in enumerate("0123456789-.,")}
CHARS = {c: i + 3 for i, c in enumerate("abcdefghijklmnopqrstuvwxyz ")}
PAD, BOS, EOS = 0, 1, 2


def positional_encoding(length, dim):
    table = torch.zeros(length, dim)
    for pos in range(length):
        for i in range(0, dim, 2):
            table[pos, i] = math.sin(pos / 10000 ** (i / dim))
            table[pos, i + 1] = math.cos(pos / 10000 ** (i / dim))
    return table


class Embed(nn.Module):
    def __init__(self, vocab, dim, max_len=512):
        super(Embed, self).__init__()
        self.table = nn.Embedding(vocab, dim, padding_idx=PAD)
        self.dim = dim
        self.max_len = max_len
        self.dropout = nn.Dropout(0.1)

    def forward(self, ids):
        x = self.table(ids) * math.sqrt(self.dim)
        pe = positional_encoding(self.max_len, self.dim).to(ids.device)
        return self.dropout(x + pe[: ids.size(1)])


class Speller(nn.Module):
    def __init__(self, dim=256, layers=3, heads=8):
        super(Speller, self).__init__()
        self.src = Embed(len(SRC) + 3, dim)
        self.tgt = Embed(len(CHARS) + 3, dim)
        self.core = nn.Transformer(dim, heads, layers, layers, 4 * dim, batch_first=True)
        self.out = nn.Linear(dim, len(CHARS) + 3)

    def forward(self, src, tgt):
        mask = self.core.generate_square_subsequent_mask(tgt.size(1)).to(tgt.device)
        hidden = self.core(
            self.src(src), self.tgt(tgt), tgt_mask=mask,
            src_key_padding_mask=src == PAD, tgt_key_padding_mask=tgt == PAD,
        )
        return self.out(hidden)


def example():
    number = str(random.randint(0, 10 ** random.randint(1, 9)))
    words = " ".join(DIGITS[int(d)] for d in number)
    return [SRC[c] for c in number], [BOS] + [CHARS[c] for c in words] + [EOS]


def pad(rows):
    width = max(len(r) for r in rows)
    return torch.tensor([r + [PAD] * (width - len(r)) for r in rows])


def batches(count, size):
    for _ in range(count):
        rows = [example() for _ in range(size)]
        yield pad([r[0] for r in rows]), pad([r[1] for r in rows])


def spell(model, number, device, limit=60):
    src = torch.tensor([[SRC[c] for c in number]], device=device)
    tgt = torch.tensor([[BOS]], device=device)
    letters = {i: c for c, i in CHARS.items()}
    with torch.no_grad():
        while tgt.size(1) < limit:
            nxt = model(src, tgt)[:, -1].argmax(-1, keepdim=True)
            if nxt.item() == EOS:
                break
            tgt = torch.cat([tgt, nxt], dim=1)
    return "".join(letters.get(i, "?") for i in tgt[0, 1:].tolist())


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=20)
    parser.add_argument("--batches", type=int, default=500)
    args = parser.parse_args()
    device = "cuda" if torch.cuda.is_available() else "cpu"
    model = Speller().to(device)
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-4)
    criterion = nn.CrossEntropyLoss(ignore_index=PAD)
    for epoch in range(args.epochs):
        model.train()
        running = torch.zeros((), device=device)
        for src, tgt in batches(args.batches, 64):
            src, tgt = src.to(device), tgt.to(device)
            logits = model(src, tgt[:, :-1])
            loss = criterion(logits.reshape(-1, logits.size(-1)), tgt[:, 1:].reshape(-1))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            running += loss.detach()
        model.eval()
        print(epoch, running.item() / args.batches, spell(model, "90210", device))


if __name__ == "__main__":
    main()
