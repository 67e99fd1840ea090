# /// script
# requires-python = ">=3.10"
# dependencies = ["torch>=2.4", "transformers>=4.44,<4.50", "pandas", "pyarrow"]
# ///
"""Nightly job: summarise support tickets with an instruct model."""
import argparse
from pathlib import Path

import pandas as pd
import torch
from transformers import AutoModelForCausalLM, AutoTokenizer

PROMPT = (
    "Summarise the following support ticket in two sentences. "
    "Name the product and the customer's request.\n\n{body}"
)


class Summarizer:
    def __init__(self, model_id, device="cuda:0"):
        self.tokenizer = AutoTokenizer.from_pretrained(model_id, padding_side="left")
        if self.tokenizer.pad_token is None:
            self.tokenizer.pad_token = self.tokenizer.eos_token
        self.model = AutoModelForCausalLM.from_pretrained(model_id).to(device)
        self.model.eval()
        self.device = device

    def _encode(self, bodies):
        chats = [[{"role": "user", "content": PROMPT.format(body=b[:6000])}] for b in bodies]
        texts = self.tokenizer.apply_chat_template(
            chats, tokenize=False, add_generation_prompt=True)
        return self.tokenizer(texts, return_tensors="pt", padding=True, truncation=True,
                              max_length=2048, add_special_tokens=False)

    @torch.inference_mode()
    def __call__(self, bodies):
        enc = self._encode(bodies).to(self.device)
        out = self.model.generate(**enc, max_new_tokens=96, do_sample=False,
                                  pad_token_id=self.tokenizer.pad_token_id)
        new = out[:, enc["input_ids"].shape[1]:]
        return self.tokenizer.batch_decode(new, skip_special_tokens=True)


def load_tickets(path, min_chars):
    frame = pd.read_parquet(path, columns=["ticket_id", "body"])
    frame = frame[frame["body"].str.len() >= min_chars]
    order = frame["body"].str.len().sort_values(ascending=False).index
    return frame.loc[order].reset_index(drop=True)


def main():
    p = argparse.ArgumentParser()
    p.add_argument("tickets", type=Path)
    p.add_argument("--model", default="mistralai/Mistral-7B-Instruct-v0.3")
    p.add_argument("--batch-size", type=int, default=16)
    p.add_argument("--min-chars", type=int, default=200)
    p.add_argument("--out", type=Path, default=Path("summaries.parquet"))
    args = p.parse_args()

    frame = load_tickets(args.tickets, args.min_chars)
    summarizer = Summarizer(args.model)
    bodies = frame["body"].tolist()
    summaries = []
    for at in range(0, len(bodies), args.batch_size):
        summaries.extend(summarizer(bodies[at : at + args.batch_size]))
    frame.assign(summary=summaries).drop(columns="body").to_parquet(args.out)


if __name__ == "__main__":
    main()
