"""Train a cross-encoder re-ranker on search logs."""
import argparse
import json

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset
from transformers import AutoModel, AutoTokenizer, get_linear_schedule_with_warmup


class Clicks(Dataset):
    def __init__(self, path):
        with open(path, encoding="utf-8") as fh:
            self.rows = [json.loads(line) for line in fh]

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, i):
        r = self.rows[i]
        return r["query"], r["title"] + ". " + r["snippet"], float(r["clicked"])


class Collate:
    def __init__(self, tokenizer, max_length):
        self.tokenizer = tokenizer
        self.max_length = max_length

    def __call__(self, items):
        queries, docs, clicked = zip(*items)
        enc = self.tokenizer(
            list(queries), list(docs), truncation="only_second", max_length=self.max_length,
            padding="longest", return_tensors="pt",
        )
        return dict(enc), torch.tensor(clicked)


class CrossEncoder(nn.Module):
    def __init__(self, name):
        super().__init__()
        self.body = AutoModel.from_pretrained(name, attn_implementation="sdpa")
        self.head = nn.Linear(self.body.config.hidden_size, 1)

    def forward(self, **inputs):
        return self.head(self.body(**inputs).last_hidden_state[:, 0]).squeeze(-1)


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("clicks")
    ap.add_argument("--model", default="answerdotai/ModernBERT-base")
    ap.add_argument("--epochs", type=int, default=2)
    ap.add_argument("--batch-size", type=int, default=64)
    ap.add_argument("--max-length", type=int, default=384)
    args = ap.parse_args()

    device = torch.device("cuda")
    tokenizer = AutoTokenizer.from_pretrained(args.model)
    loader = DataLoader(
        Clicks(args.clicks), args.batch_size, shuffle=True, drop_last=True, num_workers=6,
        pin_memory=True, persistent_workers=True, collate_fn=Collate(tokenizer, args.max_length),
    )
    model = CrossEncoder(args.model).to(device)
    options = {"mode": "default", "dynamic": False}
    net = torch.compile(model, **options)
    opt = torch.optim.AdamW(model.parameters(), lr=2e-5, weight_decay=0.01, fused=True)
    total = args.epochs * len(loader)
    sched = get_linear_schedule_with_warmup(opt, int(0.06 * total), total)
    criterion = nn.BCEWithLogitsLoss()
    for epoch in range(args.epochs):
        model.train()
        for step, (inputs, clicked) in enumerate(loader):
            inputs = {k: v.to(device, non_blocking=True) for k, v in inputs.items()}
            clicked = clicked.to(device, non_blocking=True)
            with torch.autocast("cuda", dtype=torch.bfloat16):
                loss = criterion(net(**inputs), clicked)
            opt.zero_grad()
            loss.backward()
            opt.step()
            sched.step()
            if step % 100 == 0:
                print(f"epoch {epoch} step {step}/{len(loader)} loss {loss.item():.4f}")
    torch.save(model.state_dict(), "reranker.pt")


if __name__ == "__main__":
    main()
