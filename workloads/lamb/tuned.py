"""Pre-trains a small BERT with large batches: LAMB beside AdamW, in the same number of steps."""

import argparse
import json

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

PAD, MASK = 0, 1
VOCABULARY = 1000
MAX_LENGTH = 64


def generate_corpus(sentences, seed):
    """Sentences of a chain of words: each word has four likely successors."""
    rng = np.random.default_rng(0)
    successors = rng.integers(2, VOCABULARY, (VOCABULARY, 4))
    rng = np.random.default_rng(seed)
    corpus = []
    for _ in range(sentences):
        word = int(rng.zipf(1.5)) % (VOCABULARY - 2) + 2
        sentence = [word]
        for choice in rng.integers(0, 4, int(rng.integers(10, 25))):
            word = int(successors[word, choice])
            sentence.append(word)
        corpus.append(sentence)
    return corpus


class MaskedSentences(Dataset):
    """Hides 15 % of the words of a sentence; the labels are -100 everywhere else."""

    def __init__(self, corpus, seed):
        self.corpus = corpus
        self.seed = seed

    def __len__(self):
        return len(self.corpus)

    def __getitem__(self, index):
        rng = np.random.default_rng((self.seed, index))
        words = np.array(self.corpus[index])
        hidden = rng.random(len(words)) < 0.15
        tokens = np.where(hidden, MASK, words).tolist()
        labels = np.where(hidden, words, -100).tolist()
        padding = MAX_LENGTH - len(tokens)
        tokens = tokens + [PAD] * padding
        labels = labels + [-100] * padding
        return torch.tensor(tokens), torch.tensor(labels)


def collate(samples):
    tokens = torch.stack([sample[0] for sample in samples])
    labels = torch.stack([sample[1] for sample in samples])
    longest = int((tokens != PAD).sum(dim=1).max())
    return tokens[:, :longest], labels[:, :longest].contiguous()


class Attention(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.qkv = nn.Linear(width, 3 * width)
        self.out = nn.Linear(width, width)

    def forward(self, x, visible):
        batch, length, width = x.shape
        q, k, v = self.qkv(x).view(batch, length, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
        x = nn.functional.scaled_dot_product_attention(
            q, k, v, attn_mask=visible[:, None, None, :]
        )
        return self.out(x.transpose(1, 2).reshape(batch, length, width))


class Block(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.attention = Attention(width, heads)
        self.norm1 = nn.LayerNorm(width)
        self.mlp = nn.Sequential(
            nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width)
        )
        self.norm2 = nn.LayerNorm(width)

    def forward(self, x, visible):
        x = self.norm1(x + self.attention(x, visible))
        return self.norm2(x + self.mlp(x))


class Bert(nn.Module):
    def __init__(self, width=64, heads=4, depth=2):
        super().__init__()
        self.words = nn.Embedding(VOCABULARY, width, padding_idx=PAD)
        self.positions = nn.Embedding(MAX_LENGTH, width)
        self.blocks = nn.ModuleList(Block(width, heads) for _ in range(depth))
        self.head = nn.Linear(width, VOCABULARY)

    def forward(self, tokens):
        positions = torch.arange(tokens.shape[1], device=tokens.device)
        x = self.words(tokens) + self.positions(positions)
        for block in self.blocks:
            x = block(x, tokens != PAD)
        return x


def masked_loss(model, tokens, labels):
    hidden = labels != -100
    return nn.functional.cross_entropy(model.head(model(tokens)[hidden]), labels[hidden])


class Lamb(torch.optim.Optimizer):
    """You et al.: Adam's step, scaled for each layer by the norm of its weights."""

    def __init__(self, params, lr=1e-2, betas=(0.9, 0.999), eps=1e-6, weight_decay=0.01):
        super().__init__(params, dict(lr=lr, betas=betas, eps=eps, weight_decay=weight_decay))

    @torch.no_grad()
    def step(self):
        for group in self.param_groups:
            beta1, beta2 = group["betas"]
            for p in group["params"]:
                if p.grad is None:
                    continue
                state = self.state[p]
                if len(state) == 0:
                    state["step"] = 0
                    state["exp_avg"] = torch.zeros_like(p)
                    state["exp_avg_sq"] = torch.zeros_like(p)
                state["step"] += 1
                state["exp_avg"].mul_(beta1).add_(p.grad, alpha=1 - beta1)
                state["exp_avg_sq"].mul_(beta2).addcmul_(p.grad, p.grad, value=1 - beta2)
                mean = state["exp_avg"] / (1 - beta1 ** state["step"])
                square = state["exp_avg_sq"] / (1 - beta2 ** state["step"])
                update = mean / (square.sqrt() + group["eps"])
                update = update + group["weight_decay"] * p
                weight_norm = p.norm()
                update_norm = update.norm()
                trust_ratio = torch.where(
                    (weight_norm > 0) & (update_norm > 0), weight_norm / update_norm, 1.0
                )
                p.sub_(update * (group["lr"] * trust_ratio))


@torch.no_grad()
def evaluate(model, loader, device):
    model.eval()
    total = 0.0
    for tokens, labels in loader:
        total += masked_loss(model, tokens.to(device), labels.to(device)).item()
    model.train()
    return total / len(loader)


def pretrain(optimizer_name, train, test, steps, batch_size, device):
    torch.manual_seed(0)
    model = Bert().to(device)
    if optimizer_name == "lamb":
        optimizer = Lamb(model.parameters(), lr=0.05)
    else:
        optimizer = torch.optim.AdamW(model.parameters(), lr=5e-3)
    warmup = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: min(1, (step + 1) / 4))
    loader = DataLoader(train, batch_size, shuffle=True, drop_last=True, collate_fn=collate)
    test_loader = DataLoader(test, batch_size, collate_fn=collate)
    step, history = 0, []
    while step < steps:
        for tokens, labels in loader:
            loss = masked_loss(model, tokens.to(device), labels.to(device))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            warmup.step()
            step += 1
            history.append(loss.detach())
            if step % 5 == 0:
                print(f"{optimizer_name} step {step}: loss {torch.stack(history[-5:]).mean():.4f}")
            if step == steps:
                break
    return evaluate(model, test_loader, device)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=15)
    parser.add_argument("--batch-size", type=int, default=128)
    parser.add_argument("--sentences", type=int, default=2048)
    options = parser.parse_args()
    device = "cuda" if torch.cuda.is_available() else "cpu"
    train = MaskedSentences(generate_corpus(options.sentences, seed=1), seed=1)
    test = MaskedSentences(generate_corpus(options.batch_size * 2, seed=2), seed=2)
    losses = {
        name: pretrain(name, train, test, options.steps, options.batch_size, device)
        for name in ("lamb", "adamw")
    }
    print(f"held-out loss: {losses}")
    print(json.dumps({f"{name} loss": round(loss, 4) for name, loss in losses.items()}))


if __name__ == "__main__":
    main()
