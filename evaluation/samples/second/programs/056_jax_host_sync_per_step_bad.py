import json
import time
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import nnx

CFG = {"seed": 0, "dim": 256, "depth": 6, "batch": 1024, "steps": 100_000, "lr": 1e-3, "log_every": 200}


class Residual(nnx.Module):
    def __init__(self, dim, rngs):
        self.norm = nnx.LayerNorm(dim, rngs=rngs)
        self.up = nnx.Linear(dim, 4 * dim, rngs=rngs)
        self.down = nnx.Linear(4 * dim, dim, rngs=rngs)

    def __call__(self, x):
        return x + self.down(nnx.silu(self.up(self.norm(x))))


class Surrogate(nnx.Module):
    def __init__(self, n_in, n_out, cfg, rngs):
        self.stem = nnx.Linear(n_in, cfg["dim"], rngs=rngs)
        self.body = nnx.List([Residual(cfg["dim"], rngs) for _ in range(cfg["depth"])])
        self.out = nnx.Linear(cfg["dim"], n_out, rngs=rngs)

    def __call__(self, x):
        x = self.stem(x)
        for block in self.body:
            x = block(x)
        return self.out(x)


@nnx.jit
def step(model, opt, x, y):
    def objective(m):
        err = m(x) - y
        return jnp.mean(err**2), jnp.max(jnp.abs(err))

    (mse, worst), grads = nnx.value_and_grad(objective, has_aux=True)(model)
    opt.update(model, grads)
    return {"mse": mse, "worst": worst, "gnorm": optax.global_norm(grads)}


class Journal:
    def __init__(self, path):
        self.fh = Path(path).open("w")
        self.t0 = time.perf_counter()

    def add(self, i, values):
        row = {k: float(v) for k, v in jax.device_get(values).items()}
        row.update(step=i, wall=round(time.perf_counter() - self.t0, 3))
        self.fh.write(json.dumps(row) + "\n")


def main(cfg):
    blob = np.load("cfd_samples.npz")
    xs, ys = blob["x"].astype("float32"), blob["y"].astype("float32")
    model = Surrogate(xs.shape[1], ys.shape[1], cfg, nnx.Rngs(cfg["seed"]))
    opt = nnx.Optimizer(model, optax.adamw(cfg["lr"]), wrt=nnx.Param)
    rng = np.random.default_rng(cfg["seed"])
    journal = Journal("train.jsonl")
    for i in range(cfg["steps"]):
        pick = rng.integers(0, len(xs), cfg["batch"])
        stats = step(model, opt, xs[pick], ys[pick])
        journal.add(i, stats)
        if i % cfg["log_every"] == 0:
            journal.fh.flush()


if __name__ == "__main__":
    main(CFG)
