"""Gaussian processes for the plant's sensors: one small model per sensor, fitted by L-BFGS.

Every sensor gives 288 readings a day (one in five minutes); there are about 4000 sensors.
"""
from __future__ import annotations

import argparse
import json
import logging
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Iterator

import jax
import jax.numpy as jnp
import numpy as np
import pandas as pd
from scipy.optimize import minimize

jax.config.update("jax_enable_x64", True)
logger = logging.getLogger(__name__)


@dataclass
class Hyper:
    amplitude: float
    length: float
    noise: float

    @classmethod
    def from_log(cls, theta):
        return cls(*(float(v) for v in np.exp(theta)))


def rbf(a, b, amplitude, length):
    return amplitude * jnp.exp(-0.5 * ((a[:, None] - b[None, :]) / length) ** 2)


class SensorModel:
    def __init__(self, length=30.0, noise=0.1, max_iter=50):
        self.theta = np.log([1.0, length, noise])
        self.max_iter = max_iter

    def fit(self, t, y):
        self.t, self.y = jnp.asarray(t), jnp.asarray(y)

        def nll(theta):
            amplitude, length, noise = jnp.exp(theta)
            k = rbf(self.t, self.t, amplitude, length) + noise * jnp.eye(len(self.t))
            chol = jnp.linalg.cholesky(k)
            alpha = jax.scipy.linalg.cho_solve((chol, True), self.y)
            return 0.5 * self.y @ alpha + jnp.log(jnp.diag(chol)).sum()

        objective = jax.jit(jax.value_and_grad(nll))  # finding: compiled-per-call

        def with_numpy(theta):
            value, grad = objective(theta)
            return float(value), np.asarray(grad)

        result = minimize(
            with_numpy, self.theta, jac=True, method="L-BFGS-B", options={"maxiter": self.max_iter}
        )
        self.theta = result.x
        return self

    def predict(self, t_new):
        amplitude, length, noise = np.exp(self.theta)
        k = rbf(self.t, self.t, amplitude, length) + noise * jnp.eye(len(self.t))
        cross = rbf(jnp.asarray(t_new), self.t, amplitude, length)
        mean = cross @ jnp.linalg.solve(k, self.y)
        var = amplitude - jnp.sum(cross * jnp.linalg.solve(k, cross.T).T, axis=1)
        return np.asarray(mean), np.asarray(var)


def days(folder: Path) -> Iterator[pd.DataFrame]:
    for file in sorted(folder.glob("*.parquet")):
        yield pd.read_parquet(file)


def sensors(frame: pd.DataFrame) -> Iterator[tuple[str, np.ndarray, np.ndarray]]:
    for name, group in frame.groupby("sensor"):
        readings = group.sort_values("minute")
        if len(readings) == 288:
            values = readings["value"].to_numpy()
            yield name, readings["minute"].to_numpy(float), (values - values.mean()) / values.std()


def outliers(model, t, y, limit):
    mean, var = model.predict(t)
    return np.flatnonzero(np.abs(y - mean) > limit * np.sqrt(var + np.exp(model.theta[2])))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--limit", type=float, default=4.0)
    parser.add_argument("--out", type=Path, default=Path("outliers.jsonl"))
    args = parser.parse_args()
    logging.basicConfig(level=logging.INFO)
    with args.out.open("w") as out:
        for frame in days(args.folder):
            for name, t, y in sensors(frame):
                model = SensorModel().fit(t, y)
                found = outliers(model, t, y, args.limit).tolist()
                hyper = asdict(Hyper.from_log(model.theta))
                out.write(json.dumps({"sensor": name, "outliers": found, **hyper}) + "\n")
                logger.info("%s: %d outliers", name, len(found))


if __name__ == "__main__":
    main()
