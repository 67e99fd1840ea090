"""Synthetic 2-D trajectories of varying length."""
import jax.numpy as jnp
import numpy as np

LENGTHS = tuple(range(24, 48, 8))


def make_trajectories(n=384, seed=0):
    rng = np.random.default_rng(seed)
    out = []
    for _ in range(n):
        t = np.linspace(0, rng.uniform(2, 6), rng.choice(LENGTHS))
        out.append(np.stack([np.sin(t), np.cos(rng.uniform(0.5, 2) * t)], -1).astype(np.float32))
    return out


def augment(traj, rng):
    angle = rng.uniform(0, 2 * np.pi)
    rot = jnp.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    out = jnp.asarray(traj) @ rot
    return out + 0.01 * jnp.asarray(rng.normal(size=traj.shape))


def batches(trajs, size, rng):
    order = sorted(rng.permutation(len(trajs)), key=lambda i: len(trajs[i]))
    for s in range(0, len(order) - size + 1, size):
        items = [augment(trajs[i], rng) for i in order[s: s + size]]
        longest = max(len(t) for t in items)
        yield jnp.stack([jnp.pad(t, ((0, longest - len(t)), (0, 0))) for t in items])
