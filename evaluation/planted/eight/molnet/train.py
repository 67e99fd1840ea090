import json

import jax
import jax.numpy as jnp
import numpy as np

from data import batches, collate
from model import forward
from optim import adam_init, adam_update


def loss_fn(params, batch):
    return jnp.mean((forward(params, batch) - batch["target"]) ** 2)


loss_step = jax.jit(loss_fn)
grad_step = jax.jit(jax.grad(loss_fn))


def interval(errors, rounds=400, seed=0):
    errors = np.asarray(errors)
    key = jax.random.PRNGKey(seed)
    means = []
    for _ in range(rounds):
        key, sub = jax.random.split(key)
        pick = jax.random.randint(sub, (len(errors),), 0, len(errors))
        means.append(float(jnp.mean(jnp.asarray(errors)[pick])))
    return np.percentile(means, [5, 95])


class Run:
    def __init__(self, params, train, val, logfile, size=32):
        self.params = params
        self.state = adam_init(params)
        self.train, self.val = train, val
        self.size = size
        self.rng = np.random.default_rng(0)
        self.logfile = logfile
        self.log = []

    def record(self, loss, grads):
        entry = {"loss": float(loss)}
        for path, leaf in jax.tree_util.tree_leaves_with_path(grads):
            entry[jax.tree_util.keystr(path)] = {
                "norm": float(jnp.linalg.norm(leaf)),
                "max": float(jnp.max(jnp.abs(leaf))),
                "median": float(jnp.median(leaf)),
            }
        self.log.append(entry)
        with open(self.logfile, "w") as fh:
            json.dump(self.log, fh)

    def epoch(self):
        losses = []
        for batch in batches(self.train, self.size, self.rng):
            loss = loss_step(self.params, batch)
            grads = grad_step(self.params, batch)
            self.params, self.state = adam_update(self.params, grads, self.state)
            self.record(loss, grads)
            losses.append(loss)
        return float(np.mean(losses))

    def evaluate(self):
        predict = jax.jit(lambda p, b: forward(p, b))
        errors = []
        for mol in self.val:
            batch = collate([mol], 1)
            errors.append(abs(float(predict(self.params, batch)[0]) - mol.target))
        return float(np.mean(errors)), interval(errors)
