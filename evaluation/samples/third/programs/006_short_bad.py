#!/usr/bin/env python3
"""Write flavour texts for the items of a role-playing game with a small instruct model.

    python write_flavour.py items.jsonl flavour.jsonl --model Qwen/Qwen2.5-1.5B-Instruct

Each input line is an object with "id", "name", "rarity" and "tags".
"""
import argparse
import json
import re
from pathlib import Path

import torch
from transformers import AutoModelForCausalLM, AutoTokenizer

TEMPLATE = (
    "You write item descriptions for a dark fantasy game.\n"
    "Item: {name}\nRarity: {rarity}\nThemes: {tags}\n"
    "Write at most two sentences of flavour text.\nFlavour text:"
)
SENTENCE = re.compile(r"(?<=[.!?])\s+")


def parse_args():
    p = argparse.ArgumentParser(description=__doc__)
    p.add_argument("items", type=Path)
    p.add_argument("output", type=Path)
    p.add_argument("--model", default="Qwen/Qwen2.5-1.5B-Instruct")
    p.add_argument("--max-new-tokens", type=int, default=64)
    p.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    return p.parse_args()


def read_items(path):
    with path.open(encoding="utf-8") as fh:
        return [json.loads(line) for line in fh if line.strip()]


def to_prompt(item):
    return TEMPLATE.format(name=item["name"], rarity=item["rarity"], tags=", ".join(item["tags"]))


def tidy(text):
    """First paragraph, two sentences at most."""
    paragraph = text.strip().split("\n")[0]
    return " ".join(SENTENCE.split(paragraph)[:2])


def load(name, device):
    tokenizer = AutoTokenizer.from_pretrained(name, padding_side="left")
    if tokenizer.pad_token is None:
        tokenizer.pad_token = tokenizer.eos_token
    dtype = torch.bfloat16 if device.startswith("cuda") else torch.float32
    model = AutoModelForCausalLM.from_pretrained(name, dtype=dtype).to(device).eval()
    return tokenizer, model


@torch.inference_mode()
def write_all(items, tokenizer, model, max_new_tokens):
    texts = []
    for item in items:
        inputs = tokenizer(to_prompt(item), return_tensors="pt").to(model.device)
        output = model.generate(
            **inputs,
            max_new_tokens=max_new_tokens,
            do_sample=False,
            pad_token_id=tokenizer.pad_token_id,
        )
        fresh = output[0, inputs["input_ids"].shape[1]:]
        texts.append(tidy(tokenizer.decode(fresh, skip_special_tokens=True)))
    return texts


def main():
    args = parse_args()
    items = read_items(args.items)
    tokenizer, model = load(args.model, args.device)
    texts = write_all(items, tokenizer, model, args.max_new_tokens)

    with args.output.open("w", encoding="utf-8") as out:
        for item, text in zip(items, texts):
            out.write(json.dumps({"id": item["id"], "flavour": text}, ensure_ascii=False) + "\n")
    print(f"{len(texts)} texts written to {args.output}")


if __name__ == "__main__":
    main()
