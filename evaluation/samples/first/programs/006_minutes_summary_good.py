"""Summarise council minutes with a seq2seq model and report ROUGE."""
import argparse
import json

import evaluate
import torch
from datasets import load_dataset
from tqdm.auto import tqdm
from transformers import AutoModelForSeq2SeqLM, AutoTokenizer


class Summarizer:
    def __init__(self, name, device="cuda", max_input=1024, max_output=160):
        self.device = device
        self.max_input = max_input
        self.max_output = max_output
        self.tok = AutoTokenizer.from_pretrained(name)
        self.model = AutoModelForSeq2SeqLM.from_pretrained(name, torch_dtype=torch.bfloat16)
        self.model.to(device).eval()

    @torch.inference_mode()
    def summarise(self, documents):
        enc = self.tok(
            documents, truncation=True, max_length=self.max_input, padding=True, return_tensors="pt"
        )
        ids = self.model.generate(
            **enc.to(self.device), max_new_tokens=self.max_output, num_beams=4, length_penalty=2.0
        )
        return self.tok.batch_decode(ids, skip_special_tokens=True)

    def run(self, documents, size=32):
        order = sorted(range(len(documents)), key=lambda i: -len(documents[i]))
        summaries = [""] * len(documents)
        for start in tqdm(range(0, len(order), size)):
            chunk = order[start : start + size]
            for i, text in zip(chunk, self.summarise([documents[i] for i in chunk])):
                summaries[i] = text
        return summaries


def clean(batch):
    batch["minutes"] = [" ".join(t.split()) for t in batch["minutes"]]
    return batch


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--model", default="facebook/bart-large-cnn")
    p.add_argument("--data", default="minutes_test.jsonl")
    p.add_argument("--out", default="summaries.json")
    args = p.parse_args()

    test = load_dataset("json", data_files=args.data, split="train").map(clean, batched=True)
    documents = list(test["minutes"])
    references = list(test["abstract"])

    summaries = Summarizer(args.model).run(documents)
    scores = evaluate.load("rouge").compute(predictions=summaries, references=references)
    with open(args.out, "w") as fh:
        json.dump({"scores": {k: float(v) for k, v in scores.items()}, "summaries": summaries}, fh)
    print(scores)


if __name__ == "__main__":
    main()
