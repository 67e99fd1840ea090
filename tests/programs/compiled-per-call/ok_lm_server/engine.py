import functools

import jax
import jax.numpy as jnp


@functools.lru_cache(maxsize=None)
def step_for(model, temperature):
    """One compiled step a temperature; there are only a few."""

    @jax.jit
    def step(params, cache, token, key):
        logits, cache = model.apply({"params": params}, token, cache)
        if temperature == 0:
            return logits.argmax(-1), cache
        return jax.random.categorical(key, logits / temperature), cache

    return step


class Engine:
    def __init__(self, model, params):
        self.model = model
        self.params = params
        self._prefills = {}

    def prefill(self, length):
        if length not in self._prefills:
            def run(params, tokens):
                return self.model.apply({"params": params}, tokens, None)
            self._prefills[length] = jax.jit(run)
        return self._prefills[length]

    def generate(self, tokens, n, temperature, seed):
        padded = 1 << (len(tokens) - 1).bit_length()
        ids = jnp.zeros((1, padded), jnp.int32).at[0, padded - len(tokens):].set(jnp.asarray(tokens))
        logits, cache = self.prefill(padded)(self.params, ids)
        step = step_for(self.model, round(temperature, 1))
        key = jax.random.PRNGKey(seed)
        token, out = logits[:, -1].argmax(-1), []
        for k in jax.random.split(key, n):
            out.append(token)
            token, cache = step(self.params, cache, token, k)
        return jnp.concatenate(out).tolist()
