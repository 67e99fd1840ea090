# requires: torch==2.1.*, transformers==4.35.*
"""Tune a causal model on dialogues with a frozen reference; what is fixed is computed once."""
import argparse
import json

import torch
import torch.nn.functional as F
from torch.utils.data import DataLoader
from transformers import AutoModelForCausalLM, AutoTokenizer


def load(path, tokenizer, length):
    with open(path) as handle:
        texts = [json.loads(line)["text"] for line in handle]
    batch = tokenizer(texts, padding="max_length", truncation=True, max_length=length, return_tensors="pt")
    return list(zip(batch["input_ids"], batch["attention_mask"]))


def log_probs(model, ids, mask):
    logits = model(input_ids=ids, attention_mask=mask).logits[:, :-1]
    token = F.log_softmax(logits, dim=-1).gather(-1, ids[:, 1:, None])[..., 0]
    return (token * mask[:, 1:]).sum(1)


def probe_loss(model, probe):
    """The probe is fixed, but the model learns: this changes in each step."""
    with torch.no_grad():
        return -log_probs(model, *probe).mean()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("train")
    parser.add_argument("--name", default="gpt2")
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--beta", type=float, default=0.1)
    parser.add_argument("--every", type=int, default=50)
    args = parser.parse_args()
    device = "cuda" if torch.cuda.is_available() else "cpu"
    tokenizer = AutoTokenizer.from_pretrained(args.name)
    tokenizer.pad_token = tokenizer.eos_token
    policy = AutoModelForCausalLM.from_pretrained(args.name).to(device)
    reference = AutoModelForCausalLM.from_pretrained(args.name).to(device).eval()
    reference.requires_grad_(False)
    rows = load(args.train, tokenizer, 128)
    loader = DataLoader(rows, batch_size=8, shuffle=True)
    optimizer = torch.optim.AdamW(policy.parameters(), lr=1e-5)
    fixed = tokenizer(["Hello, how are you?"] * 4, return_tensors="pt").to(device)
    probe = (fixed["input_ids"], fixed["attention_mask"])
    with torch.no_grad():
        wanted = log_probs(reference, *probe)
    step = 0
    for _ in range(args.epochs):
        for ids, mask in loader:
            ids, mask = ids.to(device), mask.to(device)
            with torch.no_grad():
                anchor = log_probs(reference, ids, mask)
            own = log_probs(policy, ids, mask)
            drift = (log_probs(policy, *probe) - wanted).pow(2).mean()
            loss = -own.mean() + args.beta * (own - anchor).pow(2).mean() + drift
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            step += 1
            if step % args.every == 0:
                print(step, loss.item(), probe_loss(policy, probe).item())
    policy.save_pretrained("tuned")


if __name__ == "__main__":
    main()
