import argparse
import json

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

from masks import causal, padding, sinusoid_table


class Pairs(Dataset):
    def __init__(self, path, max_len):
        with open(path) as handle:
            self.rows = [json.loads(line) for line in handle]
        self.max_len = max_len

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, index):
        row = self.rows[index]
        source = torch.tensor((row["src"] + [0] * self.max_len)[: self.max_len])
        target = torch.tensor((row["tgt"] + [0] * self.max_len)[: self.max_len])
        return source, target


class Translator(nn.Module):
    def __init__(self, vocab, width, layers):
        super().__init__()
        self.embed = nn.Embedding(vocab, width)
        self.core = nn.Transformer(width, 8, layers, layers, batch_first=True)
        self.head = nn.Linear(width, vocab)

    def forward(self, source, target, positions, mask, pad_mask):
        s = self.embed(source) + positions
        t = self.embed(target) + positions
        h = self.core(s, t, tgt_mask=mask, src_key_padding_mask=pad_mask)
        return self.head(h)


def train(args):
    device = torch.device("cuda")
    model = Translator(args.vocab, args.width, args.layers).to(device)
    optimizer = torch.optim.AdamW(model.parameters(), lr=args.lr)
    loader = DataLoader(Pairs(args.data, args.max_len), batch_size=64, num_workers=4)
    criterion = nn.CrossEntropyLoss(ignore_index=0)
    for epoch in range(args.epochs):
        model.train()
        for source, target in loader:
            source, target = source.to(device), target.to(device)
            positions = sinusoid_table(args.max_len, args.width).to(device)
            mask = causal(args.max_len).to(device)
            logits = model(source, target, positions, mask, padding(source, 0))
            loss = criterion(logits.flatten(0, 1), target.flatten())
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


def greedy(model, source, args):
    out = torch.zeros(source.size(0), 1, dtype=torch.long, device=source.device)
    table = sinusoid_table(args.max_len, args.width).to(source.device)
    while out.size(1) < args.max_len:
        step = causal(out.size(1)).to(source.device)
        logits = model(source, out, table[: out.size(1)], step, padding(source, 0))
        out = torch.cat([out, logits[:, -1:].argmax(-1)], dim=1)
    return out


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("data")
    parser.add_argument("--vocab", type=int, default=32000)
    parser.add_argument("--width", type=int, default=512)
    parser.add_argument("--layers", type=int, default=6)
    parser.add_argument("--max-len", type=int, default=256)
    parser.add_argument("--epochs", type=int, default=10)
    parser.add_argument("--lr", type=float, default=3e-4)
    train(parser.parse_args())
