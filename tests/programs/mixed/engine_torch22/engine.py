from __future__ import annotations

import dataclasses
import functools
from typing import Iterator

import torch
from torch import nn


@dataclasses.dataclass
class Settings:
    compile: bool = True
    mode: str = "reduce-overhead"
    device: str = "cuda"


class Decoder(nn.Module):
    def __init__(self, vocabulary: int, width: int, depth: int):
        super().__init__()
        self.embed = nn.Embedding(vocabulary, width)
        layer = nn.TransformerEncoderLayer(width, 8, batch_first=True)
        self.body = nn.TransformerEncoder(layer, depth)
        self.head = nn.Linear(width, vocabulary)

    def forward(self, tokens):
        return self.head(self.body(self.embed(tokens)))[:, -1]


class Engine:
    def __init__(self, model: nn.Module, settings: Settings):
        self.settings = settings
        self.model = model.eval().to(settings.device)
        if settings.compile:
            self.model = torch.compile(self.model, mode=settings.mode)

    @torch.inference_mode()
    def tokens(self, prompt: torch.Tensor, limit: int) -> Iterator[int]:
        for _ in range(limit):
            following = self.model(prompt).argmax(-1, keepdim=True)
            prompt = torch.cat([prompt, following], 1)
            yield int(following)

    def rerank(self, prompt, candidates):
        def score(logits, rows):
            return torch.log_softmax(logits, -1).gather(1, rows)

        fused = torch.compile(score)  # finding: buggy-version
        return fused(self.model(prompt), candidates)


class PerRequest:
    def __init__(self, path: str):
        self.path = path
        self.module = torch.load(path)

    def __call__(self, tokens):
        module = torch.compile(self.module)  # finding: buggy-version
        with torch.no_grad():
            return module(tokens)


@functools.lru_cache(maxsize=8)
def classifier(name: str):
    return torch.compile(torch.load(f"{name}.pt").eval())
