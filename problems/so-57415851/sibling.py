"""Looks for the depth and learning rate that suit a table of wine qualities."""

import itertools

import numpy as np
from sibling_trial import Trial


def main():
    rng = np.random.default_rng(5)
    wines = rng.normal(size=(160, 11)).astype("float32")
    quality = wines @ rng.normal(size=(11, 1)).astype("float32")
    trials = [
        Trial(depth, rate) for depth, rate in itertools.product((1, 2, 3), (1e-2, 1e-3))
    ]
    outcome = [trial.run(wines, quality) for trial in trials]
    best = trials[int(np.argmin(outcome))]
    return best.depth, best.rate


if __name__ == "__main__":
    print(main())
