from jax import jit
from jax import numpy as jnp


class World:
    def __init__(self, params):
        self.params = params

    def imagine(self, latent, action):
        @jit  # finding: compiled-per-call
        def transition(params, latent, action):
            joined = jnp.concatenate([latent, action])
            return jnp.tanh(joined @ params["kernel"])

        return transition(self.params, latent, action)
