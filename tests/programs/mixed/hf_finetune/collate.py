from dataclasses import dataclass

import torch
from transformers import PreTrainedTokenizerBase


@dataclass
class Collate:
    tokenizer: PreTrainedTokenizerBase
    length: int = 256

    def __call__(self, rows):
        encoded = self.tokenizer(
            [row["text"] for row in rows],
            padding="max_length",
            truncation=True,
            max_length=self.length,
            return_tensors="pt",
        )
        encoded["labels"] = torch.tensor([row["label"] for row in rows])
        return encoded


def causal(length):
    return torch.triu(torch.full((length, length), float("-inf")), diagonal=1)


def sinusoid(length, width):
    spots = torch.arange(length).unsqueeze(1)
    rates = torch.exp(torch.arange(0, width, 2) * (-9.21034 / width))
    return torch.cat([torch.sin(spots * rates), torch.cos(spots * rates)], dim=1)
