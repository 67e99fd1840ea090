"""Constrained greedy decoding of SQL from questions."""
import argparse
import json

import torch
from transformers import AutoModelForCausalLM, AutoTokenizer

PROMPT = "-- schema: {schema}\n-- question: {question}\nSELECT"


class SqlWriter:
    def __init__(self, name, banned, max_new=384, device="cuda"):
        self.tok = AutoTokenizer.from_pretrained(name, padding_side="left")
        self.tok.pad_token = self.tok.pad_token or self.tok.eos_token
        self.lm = AutoModelForCausalLM.from_pretrained(name, dtype=torch.bfloat16).to(device).eval()
        self.max_new = max_new
        self.device = device
        ids = {i for w in banned for i in self.tok(w, add_special_tokens=False).input_ids}
        self.veto = torch.zeros(self.lm.config.vocab_size, device=device)
        self.veto[list(ids)] = float("-inf")

    @torch.inference_mode()
    def complete(self, prompts):
        enc = self.tok(prompts, return_tensors="pt", padding=True).to(self.device)
        ids, mask = enc.input_ids, enc.attention_mask
        start = ids.size(1)
        done = torch.zeros(len(prompts), dtype=torch.bool, device=self.device)
        out = self.lm(input_ids=ids, attention_mask=mask, use_cache=True, logits_to_keep=1)
        for n in range(self.max_new):
            if n:
                out = self.lm(
                    input_ids=ids[:, -1:], attention_mask=mask, past_key_values=out.past_key_values, use_cache=True
                )
            nxt = (out.logits[:, -1] + self.veto).argmax(-1)
            nxt = torch.where(done, self.tok.pad_token_id, nxt)
            done |= nxt == self.tok.eos_token_id
            ids = torch.cat([ids, nxt[:, None]], dim=1)
            mask = torch.cat([mask, mask.new_ones(len(prompts), 1)], dim=1)
            if n % 32 == 31 and bool(done.all()):
                break
        return self.tok.batch_decode(ids[:, start:], skip_special_tokens=True)


def batches(rows, size):
    for i in range(0, len(rows), size):
        yield rows[i : i + size]


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("questions")
    ap.add_argument("--model", default="Qwen/Qwen2.5-Coder-3B")
    ap.add_argument("--batch", type=int, default=32)
    ap.add_argument("--out", default="sql.jsonl")
    args = ap.parse_args()
    with open(args.questions) as fh:
        rows = [json.loads(line) for line in fh]
    rows.sort(key=lambda r: len(r["schema"]))
    writer = SqlWriter(args.model, banned=[" DROP", " DELETE", " UPDATE"])
    with open(args.out, "w") as out:
        for chunk in batches(rows, args.batch):
            sqls = writer.complete([PROMPT.format(**r) for r in chunk])
            for r, s in zip(chunk, sqls):
                out.write(json.dumps({"id": r["id"], "sql": "SELECT" + s}) + "\n")


if __name__ == "__main__":
    main()
