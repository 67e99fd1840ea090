# requires: jax==0.4.30
"""DDIM sampling with compiled loops kept by shape; part of our image server's library."""
from __future__ import annotations

import functools
import threading
from typing import Callable, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np


class Schedule(NamedTuple):
    alphas: jnp.ndarray
    steps: int


def cosine_schedule(steps: int) -> Schedule:
    t = jnp.linspace(0, 1, steps + 1)
    alphas = jnp.cos((t + 0.008) / 1.008 * jnp.pi / 2) ** 2
    return Schedule(alphas / alphas[0], steps)


def ddim_update(x, eps, a_now, a_next):
    x0 = (x - jnp.sqrt(1 - a_now) * eps) / jnp.sqrt(a_now)
    return jnp.sqrt(a_next) * x0 + jnp.sqrt(1 - a_next) * eps


def unet_stub(params, x, t, text):
    h = jnp.einsum("bhwc,cd->bhwd", x, params["in"]) + text[:, None, None] @ params["text"]
    return jnp.einsum("bhwd,dc->bhwc", jax.nn.swish(h + t), params["out"])


@functools.lru_cache(maxsize=None)
def sampler_for(shape: tuple[int, ...], steps: int) -> Callable:
    schedule = cosine_schedule(steps)

    @jax.jit
    def sample(params, key, text):
        x = jax.random.normal(key, shape)

        def body(i, x):
            now = steps - i
            eps = unet_stub(params, x, now / steps, text)
            return ddim_update(x, eps, schedule.alphas[now], schedule.alphas[now - 1])

        return jax.lax.fori_loop(0, steps, body, x)

    return sample


class Upscaler:
    """Keeps one compiled function per target size."""

    def __init__(self, params):
        self.params = params
        self._compiled: dict[int, Callable] = {}
        self._lock = threading.Lock()

    def __call__(self, image, size):
        with self._lock:
            fn = self._compiled.get(size)
            if fn is None:
                fn = jax.jit(functools.partial(self._upscale, size=size))
                self._compiled[size] = fn
        return fn(self.params, image)

    @staticmethod
    def _upscale(params, image, size):
        big = jax.image.resize(image, (*image.shape[:1], size, size, image.shape[-1]), "cubic")
        return jnp.clip(big + jnp.tanh(big @ params["detail"]), -1, 1)


def to_uint8(x):
    return jnp.round((x + 1) * 127.5).astype(jnp.uint8)


class Pipeline:
    def __init__(self, params, text_encoder, upscaler: Upscaler | None = None):
        self.params = jax.device_put(params)
        self.text_encoder = text_encoder
        self.upscaler = upscaler

    def generate(self, prompts, size=64, steps=50, seed=0, upscale_to=None):
        text = self.text_encoder(prompts)
        sample = sampler_for((len(prompts), size, size, 3), steps)
        images = sample(self.params, jax.random.PRNGKey(seed), text)
        if upscale_to and self.upscaler:
            images = self.upscaler(images, upscale_to)
        return np.asarray(jax.jit(to_uint8)(images))


def serve(queue, pipeline):
    while True:
        job = queue.get()
        if job is None:
            return
        job.set_result(pipeline.generate(job.prompts, job.size, job.steps, job.seed))
