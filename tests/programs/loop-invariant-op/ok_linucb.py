"""Offline replay of a contextual bandit on a click log (NumPy)."""
import argparse
import json

import numpy as np


class LinUCB:
    """One ridge regression for all arms; context and arm features are concatenated."""

    def __init__(self, dim, alpha=0.5, ridge=1.0):
        self.alpha = alpha
        self.a = ridge * np.eye(dim)
        self.b = np.zeros(dim)

    def choose(self, contexts):
        factor = np.linalg.cholesky(self.a)
        theta = np.linalg.solve(self.a, self.b)
        spread = np.linalg.solve(factor, contexts.T)
        return int(np.argmax(contexts @ theta + self.alpha * np.linalg.norm(spread, axis=0)))

    def update(self, context, reward):
        self.a += np.outer(context, context)
        self.b += reward * context


class Kalman:
    """A drifting linear reward, tracked by a Kalman filter."""

    def __init__(self, dim, drift=1e-3, noise=0.25):
        self.mean = np.zeros(dim)
        self.cov = np.eye(dim)
        self.transition = np.eye(dim) * 0.999
        self.drift = drift * np.eye(dim)
        self.noise = noise

    def choose(self, contexts):
        draw = np.random.multivariate_normal(self.mean, self.cov)
        return int(np.argmax(contexts @ draw))

    def update(self, context, reward):
        self.mean = self.transition @ self.mean
        self.cov = self.transition @ self.cov @ self.transition.T + self.drift
        gain = self.cov @ context / (context @ self.cov @ context + self.noise)
        self.mean = self.mean + gain * (reward - context @ self.mean)
        self.cov = self.cov - np.outer(gain, context) @ self.cov


def arm_features(arms, projection):
    """Projected once for the whole replay."""
    return np.tanh(arms @ projection)


def replay(policy, events, arms):
    clicks = shown = 0
    for event in events:
        user = np.asarray(event["user"])
        pool = arms[event["pool"]]
        contexts = np.hstack([np.tile(user, (len(pool), 1)), pool])
        choice = policy.choose(contexts)
        if choice != event["shown"]:
            continue
        shown += 1
        clicks += event["click"]
        policy.update(contexts[choice], event["click"])
    return clicks / max(1, shown)


def read(path):
    with open(path) as handle:
        for line in handle:
            yield json.loads(line)


def whiten(rows, rounds=8):
    """Newton-Schulz iteration for the inverse root of the covariance."""
    cov = np.cov(rows.T)
    scale = np.linalg.norm(cov)
    y, z = cov / scale, np.eye(len(cov))
    for _ in range(rounds):
        t = 0.5 * (3.0 * np.eye(len(cov)) - z @ y)
        y, z = y @ t, t @ z
    return rows @ z / np.sqrt(scale)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("log")
    parser.add_argument("arms")
    parser.add_argument("--policy", choices=("linucb", "kalman"), default="linucb")
    parser.add_argument("--seeds", type=int, default=3)
    args = parser.parse_args()
    raw = np.load(args.arms)
    rng = np.random.default_rng(0)
    arms = arm_features(whiten(raw), rng.standard_normal((raw.shape[1], 12)))
    events = list(read(args.log))
    dim = len(events[0]["user"]) + arms.shape[1]
    makers = {"linucb": lambda: LinUCB(dim), "kalman": lambda: Kalman(dim)}
    for seed in range(args.seeds):
        np.random.seed(seed)
        print(args.policy, seed, replay(makers[args.policy](), events, arms))


if __name__ == "__main__":
    main()
