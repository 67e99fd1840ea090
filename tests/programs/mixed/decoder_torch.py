# requires: torch==2.3.0
"""Greedy and sampled decoding with a small transformer, and its evaluation."""
import math

import numpy as np
import torch
from torch import nn

CONFIG = {"width": 512, "longest": 256}


def sinusoids(length, width):
    place = torch.arange(length)[:, None]
    rate = torch.exp(torch.arange(0, width, 2) * (-math.log(1e4) / width))
    return torch.cat([torch.sin(place * rate), torch.cos(place * rate)], dim=1)


class Decoder(nn.Module):
    def __init__(self, words):
        super().__init__()
        self.embed = nn.Embedding(words, CONFIG["width"])
        self.layer = nn.TransformerEncoderLayer(CONFIG["width"], 8, batch_first=True)
        self.out = nn.Linear(CONFIG["width"], words)

    def forward(self, ids, places):
        return self.out(self.layer(self.embed(ids) + places[: ids.shape[1]]))


@torch.no_grad()
def greedy(model, ids, end):
    while ids.shape[1] < CONFIG["longest"]:
        places = sinusoids(CONFIG["longest"], CONFIG["width"])
        logits = model(ids, places)[:, -1]
        ids = torch.cat([ids, logits.argmax(-1, keepdim=True)], dim=1)
        if (ids[:, -1] == end).all():
            break
    return ids


@torch.inference_mode()
def sampled(model, ids, steps, bias):
    places = sinusoids(CONFIG["longest"], CONFIG["width"])
    for _ in range(steps):
        logits = model(ids, places)[:, -1] + torch.log_softmax(bias, dim=-1)
        ids = torch.cat([ids, torch.multinomial(logits.softmax(-1), 1)], dim=1)
    return ids


class Index:
    def __init__(self, vectors):
        self.vectors = vectors

    @property
    def unit(self):
        return self.vectors / np.linalg.norm(self.vectors, axis=1, keepdims=True)

    def nearest(self, query):
        lengths = np.linalg.norm(self.vectors, axis=1)
        return np.argmax(self.vectors @ query / lengths)

    def nearest_all(self, queries):
        return [self.nearest(query) for query in queries]  # finding: per-slice-op

    def settle(self, queries):
        for query in queries:
            lengths = np.linalg.norm(self.vectors, axis=1)
            best = np.argmax(self.vectors @ query / lengths)
            self.vectors[best] = 0.9 * self.vectors[best] + 0.1 * query


def train(model, loader, steps):
    optimizer = torch.optim.Adam(model.parameters())
    for ids in loader:
        places = sinusoids(ids.shape[1], CONFIG["width"])
        loss = nn.functional.cross_entropy(model(ids[:, :-1], places).flatten(0, 1), ids[:, 1:].flatten())
        penalty = torch.linalg.matrix_norm(model.out.weight)
        optimizer.zero_grad()
        (loss + 1e-4 * penalty).backward()
        optimizer.step()


def main():
    model = Decoder(8000)
    train(model, torch.load("ids.pt"), 1000)
    model.eval()
    start = torch.ones(4, 1, dtype=torch.long)
    print(greedy(model, start, 2), sampled(model, start, 100, torch.zeros(8000)))
    index = Index(np.load("vectors.npy"))
    queries = np.load("queries.npy")
    print(index.nearest_all(queries), index.unit.shape)
    index.settle(queries)


if __name__ == "__main__":
    main()
