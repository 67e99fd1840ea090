"""The learning rate falls over a number of steps that depends on the size of the corpus."""

import json
import random
import tempfile
from pathlib import Path

import torch
from sibling_corpus import Sentences
from torch.utils.data import DataLoader

WORDS = ["a", "rose", "is", "red", "and", "round"]


def write_corpus(folder):
    source = random.Random(2)
    paths = [folder / f"{part}.jsonl" for part in range(3)]
    for path in paths:
        rows = ({"words": source.choices(WORDS, k=5)} for _ in range(400))
        path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    return paths


def total_steps(sentences, size):
    amount = sum(1 for _ in DataLoader(sentences, batch_size=None))  # finding
    return -(-amount // size)


def main():
    with tempfile.TemporaryDirectory() as scratch:
        vocabulary = {word: number for number, word in enumerate(WORDS)}
        sentences = Sentences(write_corpus(Path(scratch)), vocabulary)
        steps = total_steps(sentences, 32)
    weight = torch.nn.Parameter(torch.ones(1))
    optimizer = torch.optim.SGD([weight], lr=1.0)
    schedule = torch.optim.lr_scheduler.PolynomialLR(optimizer, total_iters=steps)
    for _ in range(steps // 2):
        optimizer.step()
        schedule.step()
    return steps, schedule.get_last_lr()[0]


if __name__ == "__main__":
    print(main())
