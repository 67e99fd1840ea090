import numpy as np
import torch


def confusion(truth: np.ndarray, guess: np.ndarray, classes: int) -> np.ndarray:
    table = np.zeros((classes, classes), dtype=np.int64)
    for t, g in zip(truth, guess):
        table[t, g] += 1  # finding: looped-update
    return table


def quadratic_kappa(table: np.ndarray) -> float:
    classes = len(table)
    grade = np.arange(classes)
    weight = (grade[:, None] - grade[None, :]) ** 2 / (classes - 1) ** 2
    expected = np.outer(table.sum(1), table.sum(0)) / table.sum()
    return 1.0 - (weight * table).sum() / (weight * expected).sum()


def collect(model, loader, device):
    model.eval()
    truths, guesses = [], []
    with torch.no_grad():
        for images, labels in loader:
            logits = model(images.to(device))
            guesses.append(logits.argmax(1).cpu().numpy())
            truths.append(labels.numpy())
    return np.concatenate(truths), np.concatenate(guesses)


def per_class(table):
    recalls = {}
    for grade in range(len(table)):
        recalls[grade] = table[grade, grade] / max(1, table[grade].sum())
    return recalls
