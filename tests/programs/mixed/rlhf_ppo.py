# requires: torch==2.3 transformers==4.40
from __future__ import annotations

import copy
import random
from dataclasses import dataclass, field

import torch
import torch.nn.functional as F
from transformers import AutoModelForCausalLM, AutoTokenizer, pipeline


@dataclass
class PPOArgs:
    model: str = "lvwerra/gpt2-imdb"
    reward: str = "lvwerra/distilbert-imdb"
    rollout: int = 64
    ppo_epochs: int = 4
    clip: float = 0.2
    kl: float = 0.1
    lr: float = 1.4e-6
    iters: int = 500
    prompts: list[str] = field(default_factory=lambda: ["The movie", "I watched this", "Honestly,"])


def discounted(r, gamma=1.0):
    out, run = torch.zeros_like(r), torch.zeros(r.shape[0], device=r.device)
    for t in reversed(range(r.shape[1])):
        run = r[:, t] + gamma * run
        out[:, t] = run
    return out


def surrogate(new, old, adv, mask, clip):
    ratio = (new - old).exp()
    a = ratio * adv
    b = ratio.clamp(1 - clip, 1 + clip) * adv
    return -(torch.min(a, b) * mask).sum() / mask.sum()


class Models:
    def __init__(self, name, dev):
        self.actor = AutoModelForCausalLM.from_pretrained(name).to(dev)
        self.frozen = copy.deepcopy(self.actor).eval().requires_grad_(False)

    def logp(self, ids, which="actor"):
        net = getattr(self, which)
        lp = F.log_softmax(net(ids).logits[:, :-1].float(), -1)
        return lp.gather(-1, ids[:, 1:, None]).squeeze(-1)


class Trainer:
    def __init__(self, a: PPOArgs):
        self.a, self.dev = a, "cuda"
        self.tok = AutoTokenizer.from_pretrained(a.model, padding_side="left")
        self.tok.pad_token = self.tok.eos_token
        self.m = Models(a.model, self.dev)
        self.judge = pipeline("sentiment-analysis", a.reward, device=0)
        self.opt = torch.optim.AdamW(self.m.actor.parameters(), a.lr)

    @torch.no_grad()
    def rollout(self):
        enc = self.tok(random.choices(self.a.prompts, k=self.a.rollout), padding=True, return_tensors="pt").to(self.dev)
        ids = self.m.actor.generate(**enc, do_sample=True, max_new_tokens=48, pad_token_id=self.tok.pad_token_id)
        texts = self.tok.batch_decode(ids, skip_special_tokens=True)
        score = [o["score"] if o["label"] == "POSITIVE" else 1 - o["score"] for o in self.judge(texts, batch_size=32)]
        mask = torch.zeros_like(ids[:, 1:], dtype=torch.float)
        mask[:, enc["input_ids"].shape[1] - 1:] = 1
        return ids, mask, torch.tensor(score, device=self.dev), self.m.logp(ids)

    def advantages(self, score, mask):
        r = torch.zeros_like(mask)
        r[:, -1] = (score - score.mean()) / (score.std() + 1e-8)
        return discounted(r, 0.99)

    def anchor(self, ids):
        with torch.no_grad():
            return self.m.logp(ids, "frozen")  # finding: loop-invariant-op

    def drift(self, ids, new, mask):
        d = self.anchor(ids) - new
        return ((d.exp() - d - 1) * mask).sum() / mask.sum()

    def objective(self):
        return torch.compile(surrogate)  # finding: buggy-version

    def optimise(self, ids, mask, score, old):
        adv = self.advantages(score, mask)
        for _ in range(self.a.ppo_epochs):
            new = self.m.logp(ids)
            loss = self.objective()(new, old, adv, mask, self.a.clip)
            loss = loss + self.a.kl * self.drift(ids, new, mask)
            self.opt.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(self.m.actor.parameters(), 1.0)
            self.opt.step()
        return loss.item()

    def fit(self):
        for it in range(self.a.iters):
            batch = self.rollout()
            print(it, self.optimise(*batch), batch[2].mean().item())


if __name__ == "__main__":
    Trainer(PPOArgs()).fit()
