import numpy as np
import torch
from torch.utils.data import Dataset


class Essays(Dataset):
    def __init__(self, frame, tokenizer, length=512):
        self.texts = frame["text"].tolist()
        self.grades = frame["grade"].to_numpy()
        self.tokenizer = tokenizer
        self.length = length

    def __len__(self):
        return len(self.texts)

    def __getitem__(self, i):
        item = self.tokenizer(self.texts[i], truncation=True, max_length=self.length)
        item["labels"] = float(self.grades[i])
        return item


class Collator:
    def __init__(self, pad):
        self.pad = pad

    def __call__(self, items):
        longest = max(len(item["input_ids"]) for item in items)
        tokens = torch.full((len(items), longest), self.pad)
        mask = torch.zeros(len(items), longest, dtype=torch.long)
        for row, item in enumerate(items):
            length = len(item["input_ids"])
            tokens[row, :length] = torch.tensor(item["input_ids"])
            mask[row, :length] = 1
        labels = torch.tensor([item["labels"] for item in items])
        return {"input_ids": tokens, "attention_mask": mask, "labels": labels}


def class_weights(grades, number):
    weights = np.zeros(number)
    for grade in grades:
        weights[int(grade)] += 1.0  # finding: looped-update
    return weights.sum() / (number * np.maximum(weights, 1))


def sampled_rows(grades, weights, number):
    """Draws rows with replacement, the rare grades more often."""
    p = weights[grades.astype(int)]
    p = p / p.sum()
    return np.array([np.random.choice(len(grades), p=p) for _ in range(number)])  # finding: looped-draw
