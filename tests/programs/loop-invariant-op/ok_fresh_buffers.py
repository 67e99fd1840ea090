"""Each turn needs an array of its own to fill."""
import numpy as np
import torch


def padded(sequences, length):
    rows = []
    for sequence in sequences:
        row = np.zeros(length, dtype=np.int64)
        row[: len(sequence)] = sequence
        rows.append(row)
    return np.stack(rows)


def decode(model, prompts, width):
    answers = []
    for prompt in prompts:
        hidden = torch.zeros(1, width)
        for token in prompt:
            hidden = model(token, hidden)
        answers.append(hidden.argmax().item())
    return answers
