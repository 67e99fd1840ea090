"""Fit the parameters of a reaction network to plate-reader curves."""
import argparse
from dataclasses import dataclass

import jax
import jax.numpy as jnp
import numpy as np
import optax


@dataclass
class Grid:
    dt: float = 0.05
    steps: int = 600
    every: int = 10


class Kinetics:
    def __init__(self, stoich, grid):
        self.stoich = jnp.asarray(stoich, jnp.float32)
        self.grid = grid
        self.value_and_grad = jax.jit(jax.value_and_grad(self.misfit))

    def rhs(self, log_k, conc):
        rates = jnp.exp(log_k) * jnp.prod(jnp.where(self.stoich < 0, conc[..., None, :], 1.0), axis=-1)
        return rates @ self.stoich

    def advance(self, log_k, conc):
        dt = self.grid.dt
        k1 = self.rhs(log_k, conc)
        k2 = self.rhs(log_k, conc + 0.5 * dt * k1)
        k3 = self.rhs(log_k, conc + 0.5 * dt * k2)
        k4 = self.rhs(log_k, conc + dt * k3)
        return jnp.maximum(conc + dt / 6 * (k1 + 2 * k2 + 2 * k3 + k4), 0.0)

    def trajectory(self, log_k, conc):
        frames = []
        for i in range(self.grid.steps):
            conc = self.advance(log_k, conc)
            if (i + 1) % self.grid.every == 0:
                frames.append(conc)
        return jnp.stack(frames)

    def misfit(self, log_k, conc0, observed):
        pred = self.trajectory(log_k, conc0)
        return jnp.mean((pred[..., 0] - observed) ** 2)


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("plate")
    ap.add_argument("--iters", type=int, default=3000)
    ap.add_argument("--lr", type=float, default=0.03)
    args = ap.parse_args()

    blob = np.load(args.plate)
    conc0, observed = jnp.asarray(blob["c0"]), jnp.asarray(blob["signal"])
    model = Kinetics(blob["stoich"], Grid())
    log_k = jnp.zeros(blob["stoich"].shape[0])
    tx = optax.adam(args.lr)
    opt = tx.init(log_k)

    @jax.jit
    def apply(log_k, opt, grad):
        delta, opt = tx.update(grad, opt)
        return optax.apply_updates(log_k, delta), opt

    for it in range(args.iters):
        value, grad = model.value_and_grad(log_k, conc0, observed)
        log_k, opt = apply(log_k, opt, grad)
        if it % 250 == 0:
            print(it, float(value))
    np.save("rates.npy", np.exp(np.asarray(log_k)))


if __name__ == "__main__":
    main()
