"""Learned dynamics in JAX, rolled out for each request."""
import functools

import jax
import jax.numpy as jnp
import numpy as np


def dynamics(params, s, a):
    h = jnp.concatenate([s, a], -1)
    for w, b in params["hidden"]:
        h = jax.nn.silu(h @ w + b)
    return s + h @ params["out"]


def reward(s, a):
    return -(s**2).sum(-1) - 0.1 * (a**2).sum(-1)


def imagine(params, s, plan):
    step_fn = jax.jit(dynamics)
    total = 0.0
    for a in plan:
        s = step_fn(params, s, jnp.broadcast_to(a, (s.shape[0], a.shape[-1])))
        total = total + jax.jit(reward)(s, a)
    return total


@functools.cache
def planner(horizon):
    def objective(plan, params, s):
        def body(c, a):
            c = dynamics(params, c, jnp.broadcast_to(a, (c.shape[0], a.shape[-1])))
            return c, reward(c, a).mean()

        return jax.lax.scan(body, s, plan, length=horizon)[1].sum()

    return jax.jit(jax.value_and_grad(objective))


def optimise(params, s, horizon, n_act, rounds=50, lr=0.05):
    plan = jnp.zeros((horizon, n_act))
    for _ in range(rounds):
        _, g = planner(horizon)(plan, params, s)
        plan = plan + lr * g
    return plan


def load(path):
    z = np.load(path)
    n = sum(k.startswith("w") for k in z.files) - 1
    return {"hidden": [(jnp.asarray(z[f"w{i}"]), jnp.asarray(z[f"b{i}"])) for i in range(n)], "out": jnp.asarray(z["w_out"])}
