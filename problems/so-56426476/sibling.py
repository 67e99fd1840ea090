"""Watches a policy's entropy while it meets new observations."""

import numpy as np
from sibling_policy import Policy

OBSERVATIONS = 20


def watch(policy, observations):
    entropies = []
    for observation in observations:
        entropies.append(policy.entropy(observation))
        if entropies[-1] < 0.01:
            break
    return entropies


def main():
    observations = np.random.default_rng(2).normal(size=(OBSERVATIONS, 1, 6))
    return float(np.mean(watch(Policy(6, 4), observations)))


if __name__ == "__main__":
    print(main())
