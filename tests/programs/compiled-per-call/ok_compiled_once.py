"""A small inference library for our JAX language models; compiled functions are made once per shape."""
import functools
import threading
from typing import Any, Callable, Dict, Optional, Tuple

import jax
import jax.numpy as jnp
import numpy as np


def _bucket(n: int) -> int:
    size = 16
    while size < n:
        size *= 2
    return size


@functools.lru_cache(maxsize=32)
def _sampler(temperature: float, top_k: int):
    @jax.jit
    def sample(key, logits):
        if top_k:
            kth = jax.lax.top_k(logits, top_k)[0][..., -1:]
            logits = jnp.where(logits < kth, -1e9, logits)
        if temperature == 0:
            return logits.argmax(-1)
        return jax.random.categorical(key, logits / temperature)

    return sample


class Generator:
    def __init__(self, apply_fn: Callable, params: Any, eos: int):
        self.apply_fn = apply_fn
        self.params = params
        self.eos = eos
        self._score_fn: Optional[Callable] = None
        self._prefill: Dict[Tuple[int, int], Callable] = {}
        self._lock = threading.Lock()

    def _get_prefill(self, batch: int, length: int) -> Callable:
        key = (batch, length)
        with self._lock:
            if key not in self._prefill:
                fn = lambda params, tokens: self.apply_fn(params, tokens)[:, -1]
                self._prefill[key] = jax.jit(fn)
        return self._prefill[key]

    @functools.cached_property
    def _embed(self):
        return jax.jit(lambda params, tokens: self.apply_fn(params, tokens).mean(axis=1))

    def score(self, tokens):
        if self._score_fn is None:

            def mean_logp(params, toks):
                logits = self.apply_fn(params, toks[:, :-1])
                logp = jax.nn.log_softmax(logits)
                return jnp.take_along_axis(logp, toks[:, 1:, None], axis=-1).mean((1, 2))

            self._score_fn = jax.jit(mean_logp)
        return self._score_fn(self.params, tokens)

    def embed(self, tokens):
        return self._embed(self.params, tokens)

    def generate(self, prompts, max_new: int, temperature=1.0, top_k=0, seed=0):
        key = jax.random.PRNGKey(seed)
        sample = _sampler(float(temperature), int(top_k))
        length = _bucket(max(map(len, prompts)) + max_new)
        tokens = np.full((len(prompts), length), self.eos, np.int32)
        for row, prompt in zip(tokens, prompts):
            row[-len(prompt) :] = prompt
        out = []
        for _ in range(max_new):
            key, sub = jax.random.split(key)
            forward = self._get_prefill(*tokens.shape)
            nxt = np.asarray(sample(sub, forward(self.params, tokens)))
            tokens = np.concatenate([tokens[:, 1:], nxt[:, None]], axis=1)
            out.append(nxt)
            if (nxt == self.eos).all():
                break
        return np.stack(out, axis=1)


_GENERATOR: Optional[Generator] = None


def get_generator(load: Callable[[], Tuple[Callable, Any, int]]) -> Generator:
    global _GENERATOR
    if _GENERATOR is None:
        _GENERATOR = Generator(*load())
    return _GENERATOR


def serve(queue, load):
    while True:
        request = queue.get()
        if request is None:
            return
        generator = get_generator(load)
        reply = generator.generate(request.prompts, request.max_new, request.temperature)
        request.reply(reply.tolist())
