"""Which words of a vocabulary a sentence contains."""

import torch


class BagOfWords:
    def __init__(self, size):
        self.size = size

    def __call__(self, sentences):
        present = torch.zeros(len(sentences), self.size, dtype=torch.bool)
        for row, sentence in enumerate(sentences):
            for word in sentence.tolist():
                present[row, word] = True  # finding
        return present
