"""Fine-tunes a captioner with a CLIP-like reward; negatives are a fixed set of captions."""
import json

import torch
import torch.nn.functional as F
from torch.utils.data import DataLoader
from transformers import AutoModel, AutoTokenizer


class Reward:
    def __init__(self, name, negatives, device):
        self.device = device
        self.tokenizer = AutoTokenizer.from_pretrained(name)
        self.encoder = AutoModel.from_pretrained(name).to(device)
        self.encoder.eval()
        self.encoder.requires_grad_(False)
        self.negatives = negatives

    def embed(self, texts):
        tokens = self.tokenizer(texts, return_tensors="pt", padding=True, truncation=True).to(self.device)
        with torch.no_grad():
            out = self.encoder(**tokens).last_hidden_state[:, 0]
        return F.normalize(out, dim=-1)

    def __call__(self, captions, references):
        cap, ref = self.embed(captions), self.embed(references)
        neg = self.embed(self.negatives)  # note: loop-invariant-op
        return (cap * ref).sum(-1) - (cap @ neg.T).max(dim=-1).values


def train(policy, reward, dataset, steps, lr=1e-5):
    loader = DataLoader(dataset, batch_size=16, shuffle=True, num_workers=4)
    opt = torch.optim.AdamW(policy.parameters(), lr=lr)
    baseline, done = 0.0, 0
    while done < steps:
        for images, references in loader:
            captions, logp = policy.sample(images.to(reward.device))
            r = reward(captions, references)
            baseline = 0.95 * baseline + 0.05 * r.mean()
            loss = -((r - baseline) * logp).mean()
            opt.zero_grad(set_to_none=True)
            loss.backward()
            opt.step()
            done += 1
            if done >= steps:
                break


def main(config):
    from captioner import Captions, Policy

    with open(config) as f:
        cfg = json.load(f)
    reward = Reward(cfg["encoder"], cfg["negatives"], "cuda")
    train(Policy(cfg).cuda(), reward, Captions(cfg["data"]), cfg["steps"])


if __name__ == "__main__":
    import sys

    main(sys.argv[1])
