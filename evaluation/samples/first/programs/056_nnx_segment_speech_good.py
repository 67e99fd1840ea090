"""Frame-wise speech activity detection with Flax NNX."""
import argparse
import csv
import time

import jax.numpy as jnp
import numpy as np
import optax
from flax import nnx


class Detector(nnx.Module):
    def __init__(self, mels: int, width: int, depth: int, *, rngs: nnx.Rngs):
        self.inp = nnx.Linear(mels, width, rngs=rngs)
        self.convs = nnx.List([nnx.Conv(width, width, kernel_size=(9,), rngs=rngs) for _ in range(depth)])
        self.norms = nnx.List([nnx.LayerNorm(width, rngs=rngs) for _ in range(depth)])
        self.out = nnx.Linear(width, 1, rngs=rngs)

    def __call__(self, x):
        h = self.inp(x)
        for conv, norm in zip(self.convs, self.norms):
            h = h + nnx.gelu(conv(norm(h)))
        return self.out(h)[..., 0]


@nnx.jit(donate_argnums=(0, 1))
def train_step(model, optimizer, mel, active):
    def loss_fn(m):
        return optax.sigmoid_binary_cross_entropy(m(mel), active).mean()

    loss, grads = nnx.value_and_grad(loss_fn)(model)
    optimizer.update(model, grads)
    return loss, optax.global_norm(grads)


def batches(mel, active, size, seed):
    order = np.random.default_rng(seed).permutation(len(mel))
    for s in range(0, len(mel) - size + 1, size):
        idx = order[s : s + size]
        yield mel[idx], active[idx]


class Log:
    def __init__(self, path):
        self.file = open(path, "w", newline="")
        self.writer = csv.writer(self.file)
        self.writer.writerow(["step", "loss", "grad_norm", "seconds"])
        self.start = time.time()

    def close(self):
        self.file.close()

    def write(self, step, loss, norm):
        self.writer.writerow([step, f"{float(loss):.5f}", f"{float(norm):.4f}", f"{time.time() - self.start:.2f}"])


def run_epoch(model, optimizer, data, log, step):
    for x, y in data:
        loss, norm = train_step(model, optimizer, jnp.asarray(x), jnp.asarray(y))
        if step % 100 == 0:
            log.write(step, loss, norm)
        step += 1
    return step, loss


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("data")
    ap.add_argument("--epochs", type=int, default=20)
    ap.add_argument("--batch-size", type=int, default=128)
    ap.add_argument("--log", default="train.csv")
    args = ap.parse_args()
    with np.load(args.data) as z:
        mel, active = z["mel"].astype(np.float32), z["active"].astype(np.float32)

    model = Detector(mel.shape[-1], 256, 6, rngs=nnx.Rngs(0))
    total = args.epochs * (len(mel) // args.batch_size)
    schedule = optax.warmup_cosine_decay_schedule(0.0, 1e-3, total // 20, total)
    optimizer = nnx.Optimizer(model, optax.adamw(schedule), wrt=nnx.Param)
    log = Log(args.log)
    step = 0
    for epoch in range(args.epochs):
        data = batches(mel, active, args.batch_size, epoch)
        step, loss = run_epoch(model, optimizer, data, log, step)
        print(f"epoch {epoch}: loss {float(loss):.4f}")
    log.close()
    _, state = nnx.split(model)
    flat = {"/".join(map(str, k)): np.asarray(v[...]) for k, v in nnx.to_flat_state(state)}
    np.savez("detector.npz", **flat)


if __name__ == "__main__":
    main()
