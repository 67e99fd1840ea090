"""Tokenise a jsonl corpus into packed uint16 shards for language model pre-training."""
import argparse
import json
from itertools import batched
from pathlib import Path

import numpy as np
from tqdm import tqdm
from transformers import AutoTokenizer


class ShardWriter:
    def __init__(self, folder: Path, tokens_per_shard: int):
        self.folder = folder
        self.capacity = tokens_per_shard
        self.buffer = np.empty(tokens_per_shard, dtype=np.uint16)
        self.used = 0
        self.shard = 0
        folder.mkdir(parents=True, exist_ok=True)

    def add(self, ids):
        ids = np.asarray(ids, dtype=np.uint16)
        while len(ids):
            take = min(len(ids), self.capacity - self.used)
            self.buffer[self.used : self.used + take] = ids[:take]
            self.used += take
            ids = ids[take:]
            if self.used == self.capacity:
                self.flush()

    def flush(self):
        if self.used:
            self.buffer[: self.used].tofile(self.folder / f"shard_{self.shard:05d}.bin")
            self.shard += 1
            self.used = 0


def documents(files, min_chars=200):
    for path in files:
        with open(path, encoding="utf-8") as fh:
            for line in fh:
                text = json.loads(line)["text"].strip()
                if len(text) >= min_chars:
                    yield text


def encode(tokenizer, texts):
    ids = tokenizer(texts, add_special_tokens=False, verbose=False)["input_ids"]
    return [seq + [tokenizer.eos_token_id] for seq in ids]


def write_all(tokenizer, files, writer):
    total = docs = 0
    for texts in batched(tqdm(documents(files), unit="doc"), 1000):
        for ids in encode(tokenizer, list(texts)):
            writer.add(ids)
            total += len(ids)
            docs += 1
    return total, docs


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("source", type=Path)
    ap.add_argument("target", type=Path)
    ap.add_argument("--tokenizer", default="openai-community/gpt2")
    ap.add_argument("--shard-tokens", type=int, default=100_000_000)
    args = ap.parse_args()

    tokenizer = AutoTokenizer.from_pretrained(args.tokenizer)
    if len(tokenizer) > np.iinfo(np.uint16).max:
        raise SystemExit("vocabulary does not fit into uint16")
    files = sorted(args.source.glob("*.jsonl"))
    writer = ShardWriter(args.target, args.shard_tokens)
    total, docs = write_all(tokenizer, files, writer)
    writer.flush()
    meta = {"tokens": total, "documents": docs, "shards": writer.shard, "tokenizer": args.tokenizer}
    (args.target / "meta.json").write_text(json.dumps(meta, indent=1))
    print(meta)


if __name__ == "__main__":
    main()
