"""Turn a chat dataset into prompt/completion JSONL for fine-tuning."""
import argparse
import json
import logging
from pathlib import Path

from datasets import load_dataset

log = logging.getLogger("export")


def render(messages, system):
    head, last = messages[:-1], messages[-1]
    parts = [f"<|system|>\n{system}"]
    parts += [f"<|{m['role']}|>\n{m['content']}" for m in head]
    return "\n".join(parts) + "\n<|assistant|>\n", last["content"]


class Exporter:
    def __init__(self, args):
        self.args = args
        self.data = load_dataset(args.dataset, split=args.split)
        self.seen = set()
        self.stats = {"kept": 0, "short": 0, "dup": 0, "no_answer": 0}

    def accept(self, messages):
        if messages[-1]["role"] != "assistant":
            self.stats["no_answer"] += 1
            return False
        text = messages[-1]["content"]
        if len(text) < self.args.min_chars:
            self.stats["short"] += 1
            return False
        key = hash((messages[0]["content"], text))
        if key in self.seen:
            self.stats["dup"] += 1
            return False
        self.seen.add(key)
        return True

    def write(self, path):
        with path.open("w", encoding="utf-8") as fh:
            for block in self.data.iter(batch_size=2000):
                for messages in block["messages"]:
                    if not self.accept(messages):
                        continue
                    prompt, completion = render(messages, self.args.system)
                    fh.write(json.dumps({"prompt": prompt, "completion": completion}) + "\n")
                    self.stats["kept"] += 1
        return self.stats


def main():
    logging.basicConfig(level=logging.INFO)
    p = argparse.ArgumentParser()
    p.add_argument("--dataset", default="HuggingFaceH4/ultrachat_200k")
    p.add_argument("--split", default="train_sft")
    p.add_argument("--system", default="You are a helpful assistant.")
    p.add_argument("--min-chars", type=int, default=40)
    p.add_argument("--out", type=Path, default=Path("sft.jsonl"))
    args = p.parse_args()

    stats = Exporter(args).write(args.out)
    log.info("written %s: %s", args.out, stats)


if __name__ == "__main__":
    main()
