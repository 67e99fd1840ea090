"""Perplexity of support-chat transcripts under a language model, to rank odd conversations.

    python score_chats.py chats.jsonl scores.csv --model Qwen/Qwen2.5-7B-Instruct

Each line of chats.jsonl: {"id": ..., "messages": [{"role": ..., "content": ...}, ...]}
"""
import argparse
import csv
import json
from dataclasses import dataclass

import torch
from transformers import AutoModelForCausalLM, AutoTokenizer


@dataclass
class ModelOptions:
    name: str
    dtype: torch.dtype = torch.bfloat16
    attention: str = "sdpa"
    max_length: int = 4096


class ChatScorer:
    def __init__(self, options: ModelOptions):
        self.options = options
        self.tokenizer = AutoTokenizer.from_pretrained(options.name, padding_side="right")
        if self.tokenizer.pad_token is None:
            self.tokenizer.pad_token = self.tokenizer.eos_token
        self.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        self.model = AutoModelForCausalLM.from_pretrained(
            options.name,
            dtype=options.dtype,
            attn_implementation=options.attention,
        )
        self.model.to(self.device).eval()

    def encode(self, texts):
        return self.tokenizer(
            texts,
            padding=True,
            truncation=True,
            max_length=self.options.max_length,
            return_tensors="pt",
        ).to(self.device)

    @torch.inference_mode()
    def nll(self, texts):
        """Mean negative log-likelihood per token, one value a text."""
        batch = self.encode(texts)
        logits = self.model(**batch, use_cache=False).logits[:, :-1]
        targets = batch["input_ids"][:, 1:]
        mask = batch["attention_mask"][:, 1:]
        losses = torch.nn.functional.cross_entropy(
            logits.transpose(1, 2), targets, reduction="none"
        )
        return ((losses.float() * mask).sum(1) / mask.sum(1).clamp(min=1)).tolist()


def flatten(messages):
    return "\n".join(f"{m['role']}: {m['content'].strip()}" for m in messages)


def read_chats(path):
    with open(path, encoding="utf-8") as f:
        for line in f:
            record = json.loads(line)
            yield record["id"], flatten(record["messages"])


def batches(items, size):
    for i in range(0, len(items), size):
        yield items[i : i + size]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("chats")
    parser.add_argument("out")
    parser.add_argument("--model", default="Qwen/Qwen2.5-7B-Instruct")
    parser.add_argument("--batch-size", type=int, default=8)
    args = parser.parse_args()

    scorer = ChatScorer(ModelOptions(args.model))
    chats = sorted(read_chats(args.chats), key=lambda item: len(item[1]), reverse=True)
    rows = []
    for group in batches(chats, args.batch_size):
        ids, texts = zip(*group)
        rows.extend(zip(ids, scorer.nll(list(texts))))

    rows.sort(key=lambda row: row[1], reverse=True)
    with open(args.out, "w", newline="", encoding="utf-8") as f:
        writer = csv.writer(f)
        writer.writerow(["id", "nll"])
        writer.writerows(rows)


if __name__ == "__main__":
    main()
