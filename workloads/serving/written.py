"""Serves a text classifier to many clients at once, and tells the time that requests take."""

import argparse
import asyncio
import json
import re
import time

import numpy as np
import torch
from torch import nn

WORDS = [f"w{number}" for number in range(3000)]
VOCABULARY = ["<pad>", "<unk>", *WORDS]
CLASSES = 8


class Classifier(nn.Module):
    def __init__(self, width=64):
        super().__init__()
        self.embedding = nn.Embedding(len(VOCABULARY), width, padding_idx=0)
        layer = nn.TransformerEncoderLayer(width, 4, 2 * width, batch_first=True)
        self.encoder = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)
        self.head = nn.Linear(width, CLASSES)

    def forward(self, tokens):
        padding = tokens == 0
        x = self.encoder(self.embedding(tokens), src_key_padding_mask=padding)
        x = x.masked_fill(padding.unsqueeze(-1), 0).sum(dim=1)
        return self.head(x / (~padding).sum(dim=1, keepdim=True))


def tokenize(text):
    tokens = []
    for word in re.findall(r"\w+", text.lower()):
        if word in VOCABULARY:
            tokens.append(VOCABULARY.index(word))
        else:
            tokens.append(1)
    return tokens


class Server:
    def __init__(self, model, device):
        self.model = model.to(device).eval()
        self.device = device
        self.served = 0

    async def start(self):
        pass

    async def classify(self, text):
        tokens = tokenize(text)
        batch = torch.tensor([tokens], device=self.device)
        probabilities = torch.softmax(self.model(batch), dim=1)
        self.served += 1
        return probabilities[0].tolist()


async def client(server, texts, answers, times):
    for number, text in texts:
        began = time.perf_counter()
        answers[number] = await server.classify(text)
        times.append(time.perf_counter() - began)
        await asyncio.sleep(0)


async def serve(options, device):
    torch.manual_seed(0)
    rng = np.random.default_rng(0)
    server = Server(Classifier(), device)
    await server.start()
    texts = [
        " ".join(rng.choice(WORDS, rng.integers(10, 40))) + " unheard" for _ in range(options.requests)
    ]
    numbered = list(enumerate(texts))
    answers, times = {}, []
    shares = [numbered[start :: options.clients] for start in range(options.clients)]
    await asyncio.gather(*(client(server, share, answers, times) for share in shares))
    return answers, times, server


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--requests", type=int, default=1600)
    parser.add_argument("--clients", type=int, default=32)
    options = parser.parse_args()
    device = "cuda" if torch.cuda.is_available() else "cpu"
    answers, times, server = asyncio.run(serve(options, device))
    middle, late = np.percentile(times, [50, 95]) * 1000
    print(f"{server.served} requests; median {middle:.1f} ms, 95th percentile {late:.1f} ms")
    told = np.array([answers[number] for number in range(options.requests)])
    votes = np.bincount(told.argmax(axis=1), minlength=CLASSES)
    spread = {f"class {label}": int(votes[label]) for label in range(CLASSES)}
    print(json.dumps(spread | {"highest": round(float(told.max(axis=1).mean()), 4)}))


if __name__ == "__main__":
    main()
