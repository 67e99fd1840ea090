"""Learns how a pottery kiln warms up, and steers it."""
import asyncio
import functools
import json

import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import nnx


class Kiln(nnx.Module):
    def __init__(self, width, rngs):
        self.first = nnx.Linear(4, width, rngs=rngs)
        self.last = nnx.Linear(width, 1, rngs=rngs)

    def __call__(self, x):
        return self.last(nnx.relu(self.first(x)))


def loss_of(model, x, y):
    return jnp.mean((model(x)[:, 0] - y) ** 2)


def train(model, batches, rate=1e-3):
    optimizer = nnx.Optimizer(model, optax.adam(rate), wrt=nnx.Param)
    for x, y in batches:

        @nnx.jit  # finding: compiled-per-call
        def step(model, optimizer, x, y):
            loss, grads = nnx.value_and_grad(loss_of)(model, x, y)
            optimizer.update(model, grads)
            return loss

        loss = step(model, optimizer, x, y)
    return loss


def compiled_once(build):
    cache = {}

    @functools.wraps(build)
    def get(horizon):
        if horizon not in cache:
            cache[horizon] = jax.jit(build(horizon))
        return cache[horizon]

    return get


@compiled_once
def planner(horizon):
    def plan(powers, start):
        warmth = jnp.cumsum(powers) + start
        return jnp.sum((warmth - 1200.0) ** 2) + 1e-2 * jnp.sum(powers**2)

    return plan


class Controller:
    def __init__(self, horizon=30):
        self.horizon = horizon
        self.powers = jnp.zeros(horizon)

    async def steer(self, reader, writer):
        while line := await reader.readline():
            start = json.loads(line)["temperature"]
            slope = jax.jit(jax.grad(planner(self.horizon)))  # finding: compiled-per-call
            for _ in range(5):
                self.powers = self.powers - 1e-3 * slope(self.powers, start)
            writer.write(json.dumps({"power": float(self.powers[0])}).encode())
            await writer.drain()


async def main():
    controller = Controller()
    server = await asyncio.start_server(controller.steer, port=8765)
    async with server:
        await server.serve_forever()


if __name__ == "__main__":
    model = Kiln(64, nnx.Rngs(0))
    stored = np.load("kiln.npz")
    print(train(model, zip(stored["x"], stored["y"])))
    asyncio.run(main())
