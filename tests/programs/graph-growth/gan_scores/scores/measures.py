import numpy as np
from scipy.linalg import sqrtm


def inception_score(logits, splits=10):
    shifted = logits - logits.max(axis=1, keepdims=True)
    p = np.exp(shifted)
    p /= p.sum(axis=1, keepdims=True)
    scores = []
    for part in np.array_split(p, splits):
        marginal = part.mean(axis=0, keepdims=True)
        divergence = (part * (np.log(part + 1e-12) - np.log(marginal + 1e-12))).sum(axis=1)
        scores.append(np.exp(divergence.mean()))
    return float(np.mean(scores))


def frechet(first, second):
    difference = first.mean(axis=0) - second.mean(axis=0)
    a, b = np.cov(first, rowvar=False), np.cov(second, rowvar=False)
    root = sqrtm(a @ b).real
    return float(difference @ difference + np.trace(a + b - 2 * root))
