"""Nightly tagging of support tickets."""
import gzip
import json
import sys
from collections import Counter
from dataclasses import dataclass, field

import torch
from transformers import pipeline


@dataclass
class Options:
    model: str = "acme/ticket-intent-deberta"
    min_score: float = 0.55
    top_k: int = 3
    fallback: str = "other"


@dataclass
class Tagger:
    opts: Options
    seen: Counter = field(default_factory=Counter)

    def __post_init__(self):
        self._clf = pipeline(
            "text-classification",
            model=self.opts.model,
            top_k=self.opts.top_k,
            device="cuda:0",
            dtype=torch.float16,
        )

    def _pick(self, scored):
        labels = [s["label"] for s in scored if s["score"] >= self.opts.min_score]
        return labels or [self.opts.fallback]

    def tag(self, subject, body):
        text = f"{subject}\n\n{body}"
        labels = self._pick(self._clf(text, truncation=True)[0])
        self.seen.update(labels)
        return labels


def tickets(path):
    with gzip.open(path, "rt", encoding="utf-8") as fh:
        for line in fh:
            rec = json.loads(line)
            if rec.get("status") != "spam":
                yield rec


def run(src, dst):
    tagger = Tagger(Options())
    with open(dst, "w", encoding="utf-8") as out:
        for rec in tickets(src):
            rec["intents"] = tagger.tag(rec["subject"], rec["body"])
            out.write(json.dumps(rec, ensure_ascii=False) + "\n")
    for label, n in tagger.seen.most_common(20):
        print(f"{label:30s} {n}", file=sys.stderr)


if __name__ == "__main__":
    run(sys.argv[1], sys.argv[2])
