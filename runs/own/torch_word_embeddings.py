"""Learns to tell the next word from two, as PyTorch's tutorial on word embeddings does."""

import random

import torch
from torch import nn, optim
from torch.nn import functional

CONTEXT = 2
WIDTH = 10
PHRASES = ["the tide turns", "at noon", "and the gauge", "falls by", "a hand", "or two"]


class Model(nn.Module):
    def __init__(self, words):
        super().__init__()
        self.embeddings = nn.Embedding(words, WIDTH)
        self.linear1 = nn.Linear(CONTEXT * WIDTH, 128)
        self.linear2 = nn.Linear(128, words)

    def forward(self, inputs):
        embedded = self.embeddings(inputs).view((1, -1))
        return functional.log_softmax(self.linear2(functional.relu(self.linear1(embedded))), dim=1)


def main():
    random.seed(0)
    torch.manual_seed(0)
    text = " ".join(random.choice(PHRASES) for _ in range(200)).split()
    contexts = [
        ([text[at - back - 1] for back in range(CONTEXT)], text[at])
        for at in range(CONTEXT, len(text))
    ]
    index_of = {word: index for index, word in enumerate(sorted(set(text)))}
    model = Model(len(index_of))
    loss_function = nn.NLLLoss()
    optimizer = optim.SGD(model.parameters(), lr=0.001)
    losses = []
    for epoch in range(20):
        total = 0.0
        for context, target in contexts:
            indices = torch.tensor([index_of[word] for word in context], dtype=torch.long)
            model.zero_grad()
            chances = model(indices)
            loss = loss_function(chances, torch.tensor([index_of[target]], dtype=torch.long))
            loss.backward()
            optimizer.step()
            total += loss.item()
        losses.append(total / len(contexts))
        print(f"epoch {epoch}: loss {losses[-1]:.4f}")


if __name__ == "__main__":
    main()
