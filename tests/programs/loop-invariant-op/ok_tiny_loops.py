import numpy as np
import torch


def top_k_report(scores, labels):
    for k in (1, 5, 10):
        order = np.argsort(-scores, axis=1)
        hits = (order[:, :k] == labels[:, None]).any(axis=1)
        print("top-%d: %.3f" % (k, hits.mean()))


def axes_of(tensor):
    sums = []
    for axis in range(3):
        sums.append(torch.abs(tensor).sum(dim=axis))
    return sums


if __name__ == "__main__":
    generator = np.random.default_rng(0)
    top_k_report(generator.random((100, 20)), generator.integers(0, 20, 100))
    print([s.shape for s in axes_of(torch.ones(2, 3, 4))])
