"""Elliptical slice sampling for a log-Gaussian Cox process (JAX, no jit: debugging is easier)."""
import argparse

import jax
import jax.numpy as jnp
import numpy as np


def rbf(x, y, scale, amp):
    d2 = jnp.sum((x[:, None, :] - y[None, :, :]) ** 2, axis=-1)
    return amp ** 2 * jnp.exp(-0.5 * d2 / scale ** 2)


def log_likelihood(f, counts, area):
    rate = jnp.exp(f) * area
    return jnp.sum(counts * jnp.log(rate) - rate)


def draw_prior(key, x, scale, amp, jitter):
    cov = rbf(x, x, scale, amp) + jitter * jnp.eye(x.shape[0])
    chol = jnp.linalg.cholesky(cov)  # note: loop-invariant-op
    return chol @ jax.random.normal(key, (x.shape[0],))


def ellipse_step(key, f, nu, loglik):
    k_u, k_t, key = jax.random.split(key, 3)
    threshold = loglik(f) + jnp.log(jax.random.uniform(k_u))
    theta = jax.random.uniform(k_t, minval=0.0, maxval=2 * jnp.pi)
    lo, hi = theta - 2 * jnp.pi, theta
    while True:
        proposal = f * jnp.cos(theta) + nu * jnp.sin(theta)
        if loglik(proposal) > threshold:
            return proposal, key
        if theta < 0:
            lo = theta
        else:
            hi = theta
        key, sub = jax.random.split(key)
        theta = jax.random.uniform(sub, minval=lo, maxval=hi)


def run(x, counts, area, args):
    key = jax.random.PRNGKey(args.seed)
    f = jnp.zeros(x.shape[0])
    kept = []

    def loglik(f):
        return log_likelihood(f, counts, area)

    for it in range(args.iterations):
        key, k_nu = jax.random.split(key)
        nu = draw_prior(k_nu, x, args.scale, args.amp, args.jitter)
        f, key = ellipse_step(key, f, nu, loglik)
        if it >= args.burn_in and it % args.thin == 0:
            kept.append(np.asarray(f))
    return np.stack(kept)


def predict(samples, x, x_new, args):
    """The mean intensity at new places, from each kept sample."""
    out = []
    for f in samples:
        k_xx = rbf(x, x, args.scale, args.amp) + args.jitter * jnp.eye(len(x))
        k_nx = rbf(x_new, x, args.scale, args.amp)
        out.append(k_nx @ jnp.linalg.solve(k_xx, f))
    return jnp.exp(jnp.stack(out)).mean(axis=0)


def grid(points, n):
    lo, hi = points.min(axis=0), points.max(axis=0)
    xs = np.linspace(lo[0], hi[0], n)
    ys = np.linspace(lo[1], hi[1], n)
    counts, _, _ = np.histogram2d(points[:, 0], points[:, 1], bins=[n, n])
    centres = np.stack(np.meshgrid(xs, ys, indexing="ij"), axis=-1).reshape(-1, 2)
    area = np.prod((hi - lo) / n)
    return centres, counts.reshape(-1), area


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("points", help="a CSV of x,y")
    parser.add_argument("--cells", type=int, default=32)
    parser.add_argument("--iterations", type=int, default=5000)
    parser.add_argument("--burn-in", type=int, default=1000)
    parser.add_argument("--thin", type=int, default=10)
    parser.add_argument("--scale", type=float, default=0.2)
    parser.add_argument("--amp", type=float, default=1.0)
    parser.add_argument("--jitter", type=float, default=1e-4)
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()

    points = np.loadtxt(args.points, delimiter=",", skiprows=1)
    centres, counts, area = grid(points, args.cells)
    x = jnp.asarray(centres)
    samples = run(x, jnp.asarray(counts), area, args)
    fine, _, _ = grid(points, 2 * args.cells)
    np.save("intensity.npy", np.asarray(predict(samples, x, jnp.asarray(fine), args)))


if __name__ == "__main__":
    main()
