"""Prices of options: Monte Carlo in NumPy, a volatility model, and a surrogate in PyTorch."""

import math
from collections import namedtuple

import matplotlib.pyplot as plt
import numpy as np
import torch
from torch import nn

Option = namedtuple("Option", "spot strike rate sigma years call")


def final_prices(option, paths):
    drift = (option.rate - 0.5 * option.sigma**2) * option.years
    shocks = []
    for _ in range(paths):
        shocks.append(np.random.normal(0.0, option.sigma * math.sqrt(option.years)))  # finding: looped-draw
    return option.spot * np.exp(drift + np.array(shocks))


def payoff(option, prices):
    out = np.zeros_like(prices)
    for i in range(len(prices)):
        if option.call:
            out[i] = max(prices[i] - option.strike, 0.0)  # finding: looped-update
        else:
            out[i] = max(option.strike - prices[i], 0.0)  # finding: looped-update
    return out


def price(option, paths=200_000):
    gains = payoff(option, final_prices(option, paths))
    return math.exp(-option.rate * option.years) * gains.mean()


def garch(returns, omega, alpha, beta):
    """The variance of each day depends on that of the day before."""
    variance = np.empty_like(returns)
    variance[0] = returns.var()
    for t in range(1, len(returns)):
        variance[t] = omega + alpha * returns[t - 1] ** 2 + beta * variance[t - 1]
    return variance


def winsorised(returns, limit):
    clipped = []
    for value in returns:  # finding: looped-branch
        if value > limit:
            clipped.append(limit + math.log(value / limit))
        elif value < -limit:
            clipped.append(-limit)
        else:
            clipped.append(value)
    return np.array(clipped)


def random_option(rng):
    return Option(
        spot=100.0,
        strike=rng.uniform(60, 140),
        rate=rng.uniform(0.0, 0.06),
        sigma=rng.uniform(0.1, 0.6),
        years=rng.uniform(0.1, 2.0),
        call=bool(rng.integers(2)),
    )


class Surrogate(nn.Module):
    def __init__(self, width=128):
        super().__init__()
        self.layers = nn.Sequential(
            nn.Linear(6, width), nn.SiLU(), nn.Linear(width, width), nn.SiLU(), nn.Linear(width, 1)
        )

    def forward(self, x):
        return nn.functional.softplus(self.layers(x)).squeeze(-1)


def train(number=5_000, epochs=300):
    rng = np.random.default_rng(3)
    options = [random_option(rng) for _ in range(number)]
    x = torch.tensor(np.array(options, dtype="float32"))
    y = torch.tensor([price(o) for o in options], dtype=torch.float32)
    model = Surrogate()
    optimizer = torch.optim.Adam(model.parameters(), 1e-3)
    curve = []
    for epoch in range(epochs):
        order = torch.randperm(number)
        total = 0.0
        for part in order.split(256):
            loss = nn.functional.huber_loss(model(x[part]), y[part])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            total += loss.item() * len(part)
        curve.append(total / number)
    return model, curve


def main():
    model, curve = train()
    plt.semilogy(curve)
    plt.savefig("curve.png")
    returns = np.random.standard_t(4, 250 * 20) / 100
    figure, axes = plt.subplots(2, 1)
    axes[0].plot(garch(winsorised(returns, 0.05), 1e-6, 0.08, 0.9))
    axes[1].hist(returns, bins=80)
    figure.savefig("volatility.png")


if __name__ == "__main__":
    main()
