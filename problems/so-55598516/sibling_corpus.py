"""A corpus of sentences in JSON lines, tokenised when it is read."""

import json

import torch
from torch.utils.data import IterableDataset


class Sentences(IterableDataset):
    def __init__(self, paths, vocabulary):
        self.paths = paths
        self.vocabulary = vocabulary

    def __iter__(self):
        for path in self.paths:
            with open(path, encoding="utf-8") as lines:
                for line in lines:
                    words = json.loads(line)["words"]
                    yield torch.tensor([self.vocabulary[word] for word in words])
