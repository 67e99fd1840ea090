"""Random walk and HMC for a random effects model with a spatial prior (JAX)."""
import argparse
import functools

import jax
import jax.numpy as jnp
import numpy as np


def matern32(coords, scale):
    d = jnp.sqrt(jnp.sum((coords[:, None] - coords[None]) ** 2, -1) + 1e-12)
    z = jnp.sqrt(3.0) * d / scale
    return (1 + z) * jnp.exp(-z)


@jax.jit
def log_lik(beta, eff, design, site, y):
    eta = design @ beta + eff[site]
    return jnp.sum(y * eta - jax.nn.softplus(eta))


def log_prior(beta, eff, coords, scale):
    cov = matern32(coords, scale) + 1e-4 * jnp.eye(len(coords))
    chol = jnp.linalg.cholesky(cov)  # note: loop-invariant-op
    z = jax.scipy.linalg.solve_triangular(chol, eff, lower=True)
    return -0.5 * jnp.sum(z ** 2) - 0.5 * jnp.sum(beta ** 2) / 25.0


def log_post(params, data, scale):
    beta, eff = params
    return log_lik(beta, eff, data["design"], data["site"], data["y"]) + log_prior(beta, eff, data["coords"], scale)


def leapfrog(params, momenta, grad, eps, n):
    g = grad(params)
    for _ in range(n):
        momenta = jax.tree_util.tree_map(lambda m, d: m + 0.5 * eps * d, momenta, g)
        params = jax.tree_util.tree_map(lambda p, m: p + eps * m, params, momenta)
        g = grad(params)
        momenta = jax.tree_util.tree_map(lambda m, d: m + 0.5 * eps * d, momenta, g)
    return params, momenta


def kinetic(momenta):
    return 0.5 * sum(jnp.sum(m ** 2) for m in momenta)


def sample(key, data, scale, n_samples, eps=0.01, n_leap=20):
    target = functools.partial(log_post, data=data, scale=scale)
    grad = jax.grad(target)
    params = (jnp.zeros(data["design"].shape[1]), jnp.zeros(len(data["coords"])))
    chain, accepted = [], 0
    for _ in range(n_samples):
        key, k1, k2, k3 = jax.random.split(key, 4)
        momenta = (jax.random.normal(k1, params[0].shape), jax.random.normal(k2, params[1].shape))
        h0 = -target(params) + kinetic(momenta)
        new, moved = leapfrog(params, momenta, grad, eps, n_leap)
        h1 = -target(new) + kinetic(moved)
        if jnp.log(jax.random.uniform(k3)) < h0 - h1:
            params, accepted = new, accepted + 1
        chain.append(params)
    return jax.tree_util.tree_map(lambda *rows: jnp.stack(rows), *chain), accepted / n_samples


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("survey")
    parser.add_argument("--scale", type=float, default=20.0)
    parser.add_argument("--samples", type=int, default=5000)
    args = parser.parse_args()
    raw = np.load(args.survey)
    data = {k: jnp.asarray(raw[k]) for k in ("design", "site", "y", "coords")}
    chain, rate = sample(jax.random.PRNGKey(0), data, args.scale, args.samples)
    print("accepted", rate)
    np.savez("chain.npz", beta=chain[0], effects=chain[1])


if __name__ == "__main__":
    main()
