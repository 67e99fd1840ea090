import jax
import jax.numpy as jnp
import numpy as np


class FraudScorer:
    def __init__(self, path):
        self.parameters = {k: jnp.asarray(v) for k, v in np.load(path).items()}
        self.length = 64

    def forward(self, amounts):
        hidden = jnp.tanh(amounts @ self.parameters["w1"] + self.parameters["b1"])
        return jax.nn.sigmoid(hidden @ self.parameters["w2"])[0]

    def explain(self, amounts):
        return jax.grad(self.forward)(amounts)

    def score(self, amounts):
        padded = np.zeros(self.length, np.float32)
        padded[: len(amounts)] = amounts[: self.length]
        forward = jax.jit(self.forward)  # finding: compiled-per-call
        return float(forward(padded))
