# requires: jax==0.4.10
"""MAML for sinusoids; follows the original paper's toy experiment."""
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import optax


def init(key, sizes=(1, 40, 40, 1)):
    params = []
    for i, o in zip(sizes[:-1], sizes[1:]):
        key, sub = jax.random.split(key)
        params.append((jax.random.normal(sub, (i, o)) * np.sqrt(2 / i), jnp.zeros(o)))
    return params


def apply(params, x):
    for w, b in params[:-1]:
        x = jax.nn.relu(x @ w + b)
    w, b = params[-1]
    return x @ w + b


def mse(params, x, y):
    return jnp.mean((apply(params, x) - y) ** 2)


def adapt(params, x, y, inner_lr, steps):
    for _ in range(steps):
        g = jax.grad(mse)(params, x, y)
        params = jax.tree_util.tree_map(lambda p, q: p - inner_lr * q, params, g)
    return params


def task_loss(params, task, inner_lr, steps):
    x1, y1, x2, y2 = task
    return mse(adapt(params, x1, y1, inner_lr, steps), x2, y2)


def meta_loss(params, tasks, inner_lr, steps):
    return jnp.mean(jax.vmap(lambda t: task_loss(params, t, inner_lr, steps))(tasks))


class Schedule:
    def __init__(self, lr=0.01, steps=1):
        self.inner_lr = lr
        self.steps = steps


class MetaLearner:
    def __init__(self, schedule, seed=0):
        self.schedule = schedule
        self.params = init(jax.random.PRNGKey(seed))
        self.opt = optax.adam(1e-3)
        self.state = self.opt.init(self.params)

    def step(self, tasks):
        objective = partial(meta_loss, inner_lr=self.schedule.inner_lr, steps=self.schedule.steps)
        grad_fn = jax.jit(jax.value_and_grad(objective))  # finding: compiled-per-call
        loss, grads = grad_fn(self.params, tasks)
        updates, self.state = self.opt.update(grads, self.state)
        self.params = optax.apply_updates(self.params, updates)
        return loss

    def evaluate(self, tasks, steps=10):
        run = partial(adapt, inner_lr=self.schedule.inner_lr, steps=steps)
        errors = []
        for x1, y1, x2, y2 in zip(*tasks):
            tuned = run(self.params, x1, y1)
            errors.append(float(mse(tuned, x2, y2)))
        return np.mean(errors)


def sample_tasks(rng, n, shots):
    amp = rng.uniform(0.1, 5.0, (n, 1, 1))
    phase = rng.uniform(0, np.pi, (n, 1, 1))
    x = rng.uniform(-5, 5, (2, n, shots, 1))
    y = amp * np.sin(x + phase)
    return x[0], y[0], x[1], y[1]


def main():
    rng = np.random.default_rng(0)
    learner = MetaLearner(Schedule())
    for i in range(20_000):
        loss = learner.step(sample_tasks(rng, 25, 10))
        if i % 500 == 0:
            print(i, float(loss), learner.evaluate(sample_tasks(rng, 50, 10)))


if __name__ == "__main__":
    main()
