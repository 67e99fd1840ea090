"""A small language model on a GPU, where there is one."""

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

device = "cuda" if torch.cuda.is_available() else "cpu"
LENGTH, WORDS, WIDTH = 128, 512, 256


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.attention = nn.MultiheadAttention(WIDTH, 8, batch_first=True)
        self.feed = nn.Sequential(
            nn.Linear(WIDTH, 4 * WIDTH), nn.GELU(), nn.Linear(4 * WIDTH, WIDTH)
        )
        self.before, self.between = nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)

    def forward(self, x, mask):
        y = self.before(x)
        y, _ = self.attention(y, y, y, attn_mask=mask)
        x = x + y
        return x + self.feed(self.between(x))


class Model(nn.Module):
    def __init__(self, depth=6):
        super().__init__()
        self.words = nn.Embedding(WORDS, WIDTH)
        self.places = nn.Parameter(torch.zeros(LENGTH, WIDTH))
        self.blocks = nn.ModuleList(Block() for _ in range(depth))
        self.head = nn.Linear(WIDTH, WORDS)

    def forward(self, words):
        length = words.shape[1]
        mask = torch.full((length, length), float("-inf"), device=words.device).triu(1)
        x = self.words(words) + self.places[:length]
        for block in self.blocks:
            x = block(x, mask)
        return self.head(x)


def loss_of(model, words):
    words = words.to(device)
    scores = model(words[:, :-1])
    return F.cross_entropy(scores.flatten(0, 1), words[:, 1:].flatten())


def evaluate(model, loader):
    model.eval()
    total = 0.0
    for (words,) in loader:
        total += loss_of(model, words).item()
    model.train()
    return total / len(loader)


def main():
    torch.manual_seed(0)
    texts = (torch.arange(LENGTH + 1) * torch.randint(1, 9, (3072, 1))) % WORDS
    training = DataLoader(TensorDataset(texts[:2048]), batch_size=32, shuffle=True)
    held_out = DataLoader(TensorDataset(texts[2048:]), batch_size=32)
    model = Model().to(device)
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-4)
    for epoch in range(4):
        for (words,) in training:
            loss = loss_of(model, words)
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
        print(f"epoch {epoch}: loss {evaluate(model, held_out):.2f}")


if __name__ == "__main__":
    main()
