"""Random Fourier features for streaming regression; kernels compiled once for each width."""
from typing import Callable, Dict

import jax
import jax.numpy as jnp
import numpy as np

_FEATURES: Dict[int, Callable] = {}


def feature_map(width):
    if width not in _FEATURES:
        def features(x, w, b):
            return jnp.sqrt(2.0 / width) * jnp.cos(x @ w + b)

        _FEATURES[width] = jax.jit(features)
    return _FEATURES[width]


class Streaming:
    def __init__(self, dim, width, lengthscale, seed=0):
        rng = np.random.default_rng(seed)
        self.width = width
        self.w = jnp.asarray(rng.standard_normal((dim, width)) / lengthscale)
        self.b = jnp.asarray(rng.uniform(0, 2 * np.pi, width))
        self.precision = jnp.eye(width)
        self.moment = jnp.zeros(width)
        self.absorb = jax.jit(self._absorb)

    @staticmethod
    def _absorb(precision, moment, phi, y):
        return precision + phi.T @ phi, moment + phi.T @ y

    def update(self, x, y):
        phi = feature_map(self.width)(x, self.w, self.b)
        self.precision, self.moment = self.absorb(self.precision, self.moment, phi, y)

    def predict(self, x):
        phi = feature_map(self.width)(x, self.w, self.b)
        return phi @ jnp.linalg.solve(self.precision, self.moment)


def chunks(path, size):
    table = np.load(path, mmap_mode="r")
    for start in range(0, len(table), size):
        part = np.asarray(table[start:start + size])
        yield part[:, :-1], part[:, -1]


def main(path):
    models = [Streaming(8, width, 1.5) for width in (64, 256, 1024)]
    errors = np.zeros(len(models))
    count = 0
    for x, y in chunks(path, 512):
        for number, model in enumerate(models):
            errors[number] += float(jnp.mean((model.predict(x) - y) ** 2))
            model.update(x, y)
        count += 1
    print(errors / count)


if __name__ == "__main__":
    main("stream.npy")
