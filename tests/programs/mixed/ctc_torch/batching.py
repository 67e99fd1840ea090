import random

import numpy as np
import torch
from PIL import Image


class Words:
    """Pictures of words in memory, and their labels."""

    def __init__(self, pictures, labels, alphabet):
        self.pictures = pictures  # uint8, (n, 32, 128)
        self.labels = labels
        self.alphabet = {letter: code + 1 for code, letter in enumerate(alphabet)}

    def encode(self, word):
        return torch.tensor([self.alphabet[letter] for letter in word])

    def batch(self, size):
        chosen = random.sample(range(len(self.labels)), size)
        images, targets, lengths = [], [], []
        for index in chosen:
            picture = self.pictures[index].astype(np.float32)
            picture = (picture - picture.mean()) / (picture.std() + 1e-5)  # finding: sample-loop
            images.append(torch.from_numpy(picture)[None])
            targets.append(self.encode(self.labels[index]))
            lengths.append(len(self.labels[index]))
        return torch.stack(images), torch.cat(targets), torch.tensor(lengths)


def load(listing):
    pictures, labels = [], []
    for line in open(listing):
        path, label = line.split()
        pictures.append(np.asarray(Image.open(path).convert("L").resize((128, 32))))  # finding: read-per-item
        labels.append(label)
    return np.stack(pictures), labels
