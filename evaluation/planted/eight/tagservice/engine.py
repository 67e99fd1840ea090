import numpy as np
import torch

from model import DIM, ITEMS, Encoder, Heads, Tokenizer, build_words

TENANTS = ["north", "south", "east", "west"]


class Engine:
    def __init__(self):
        torch.manual_seed(0)
        self.words = build_words()
        self.tokenizer = Tokenizer(self.words)
        self.encoder = Encoder().eval()
        self.heads = Heads(TENANTS)
        self.catalog = np.random.default_rng(0).normal(size=(ITEMS, DIM)).astype(np.float32)
        self.titles = [f"item {i:05d} {self.words[i]}" for i in range(ITEMS)]
        self.recent = {}

    @torch.inference_mode()
    def encode(self, batch):
        longest = max(len(ids) for ids in batch)
        padded = torch.tensor([ids + [0] * (longest - len(ids)) for ids in batch])
        return self.encoder(padded, torch.tensor([len(ids) for ids in batch]))

    async def embed(self, text):
        ids = self.tokenizer.ids(text) or [1]
        return self.encode([ids])[0]

    @torch.inference_mode()
    def tag(self, tenant, vector):
        return self.heads.get(tenant)(vector).softmax(-1).tolist()

    def neighbours(self, vector):
        scores = []
        query = vector.numpy()
        for i in range(len(self.catalog)):
            row = self.catalog[i]
            scores.append((float(row @ query / np.linalg.norm(row)), self.titles[i]))
        scores.sort(reverse=True)
        return scores

    def page(self, key, vector, count):
        ranking = self.neighbours(vector)
        self.recent[key] = ranking
        return ranking[:count]
