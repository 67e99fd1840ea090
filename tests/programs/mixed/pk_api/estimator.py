import jax
import jax.numpy as jnp
import numpy as np

from model import TYPICAL, curve, neg_log_post

MAX_DOSES, MAX_LEVELS = 64, 32


def padded(values, size, fill):
    out = np.full(size, fill, np.float32)
    out[: len(values)] = values[:size]
    return out


class MapEstimator:
    def __init__(self, lr=0.05):
        self.lr = lr
        self._laplace = jax.jit(jax.hessian(neg_log_post))

    def fit(self, patient, doses, times, levels, iterations):
        dt = padded([d.t for d in doses], MAX_DOSES, -1e6)
        mg = padded([d.mg for d in doses], MAX_DOSES, 0.0)
        ts, obs = np.asarray(times, np.float32), np.asarray(levels, np.float32)

        @jax.jit  # finding: compiled-per-call
        def step(theta, mom):
            g = jax.grad(neg_log_post)(theta, patient.weight, patient.crcl, dt, mg, ts, obs)
            mom = 0.9 * mom + g / (1.0 + jnp.linalg.norm(g))
            return theta - self.lr * mom, mom

        theta, mom = TYPICAL, jnp.zeros_like(TYPICAL)
        for _ in range(iterations):
            theta, mom = step(theta, mom)
        return np.asarray(theta)

    def spread(self, theta, patient, doses, times, levels):
        dt = padded([d.t for d in doses], MAX_DOSES, -1e6)
        mg = padded([d.mg for d in doses], MAX_DOSES, 0.0)
        h = self._laplace(jnp.asarray(theta), patient.weight, patient.crcl, dt, mg, jnp.asarray(times), jnp.asarray(levels))
        return np.sqrt(np.diag(np.linalg.inv(np.asarray(h))))

    def curve(self, theta, patient, doses, horizon):
        dt = padded([d.t for d in doses], MAX_DOSES, -1e6)
        mg = padded([d.mg for d in doses], MAX_DOSES, 0.0)
        grid = np.linspace(0.0, horizon, 200, dtype=np.float32)
        return grid, np.asarray(curve(jnp.asarray(theta), patient.weight, patient.crcl, dt, mg, grid))
