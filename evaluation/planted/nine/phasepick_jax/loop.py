from functools import partial
from pathlib import Path

import jax
import numpy as np

import nets
import optim
from augment import augment_batch
from averaging import WeightAverage
from scoring import validate
from waves import batches


@partial(jax.jit, static_argnames="steps")
def value_and_grad(params, batch, steps):
    return jax.value_and_grad(nets.loss_fn)(params, batch, steps)


class Fitter:
    def __init__(self, cfg, out_dir: Path):
        self.cfg = cfg
        self.out_dir = Path(out_dir)
        key = jax.random.key(cfg.seed)
        self.key, sub = jax.random.split(key)
        self.params = nets.init(sub, cfg)
        self.state = optim.start(self.params)
        self.average = WeightAverage(cfg.average_from)
        self.step = 0
        self.norms = []

    def checkpoint(self):
        leaves = jax.tree.leaves({"params": self.params, "state": self.state})
        arrays = {f"a{i}": np.asarray(a) for i, a in enumerate(leaves)}
        np.savez_compressed(self.out_dir / f"step-{self.step:05d}.npz", **arrays)

    def train_epoch(self, events, epoch):
        lr = self.cfg.lr * self.cfg.decay**epoch
        losses = []
        for x, y, mask, station in batches(events, self.cfg, epoch):
            self.key, sub = jax.random.split(self.key)
            x = augment_batch(sub, x, mask, self.cfg.noise)
            loss, grads = value_and_grad(self.params, (x, y, mask, station), self.cfg.refine_steps)
            grads, norm = optim.clip(grads, 1.0)
            self.params, self.state = optim.update(grads, self.state, self.params, lr)
            self.step += 1
            self.average.add(self.step, self.params)
            self.norms.append({k: [float((g * g).sum()) for g in jax.tree.leaves(v)] for k, v in grads.items()})
            losses.append(loss)
            if self.step % self.cfg.checkpoint_every == 0:
                self.checkpoint()
        return float(np.mean([float(v) for v in losses]))

    def fit(self, train, val):
        for epoch in range(self.cfg.epochs):
            loss = self.train_epoch(train, epoch)
            threshold, score = validate(self.params, val, self.cfg)
            print(f"epoch {epoch} loss {loss:.4f} f1 {score:.4f} at {threshold:.2f}", flush=True)
        averaged = self.average.value()
        return validate(averaged, val, self.cfg)
