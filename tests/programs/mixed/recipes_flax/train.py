"""A small language model of cooking recipes, in Flax and Optax."""
from __future__ import annotations

import dataclasses
import functools
import logging
import pathlib
import typing as tp

import flax.linen as nn
import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax.training import checkpoints, train_state

logger = logging.getLogger(__name__)


@dataclasses.dataclass
class TrainerConfig:
    vocabulary: int = 8_000
    width: int = 256
    context: int = 128
    batch_size: int = 32
    rate: float = 3e-4
    warm_up: int = 1_000
    epochs: int = 10
    folder: pathlib.Path = pathlib.Path("runs")


class Block(nn.Module):
    width: int

    @nn.compact
    def __call__(self, x, mask):
        y = nn.LayerNorm()(x)
        x = x + nn.SelfAttention(num_heads=8)(y, mask)
        y = nn.Dense(4 * self.width)(nn.LayerNorm()(x))
        return x + nn.Dense(self.width)(nn.gelu(y))


class Language(nn.Module):
    config: TrainerConfig

    @nn.compact
    def __call__(self, tokens):
        mask = nn.make_causal_mask(tokens)
        x = nn.Embed(self.config.vocabulary, self.config.width)(tokens)
        for _ in range(6):
            x = Block(self.config.width)(x, mask)
        return nn.Dense(self.config.vocabulary)(x)


class Callback(tp.Protocol):
    def __call__(self, trainer: "Trainer", step: int, loss: float) -> None: ...


class Trainer:
    def __init__(self, config: TrainerConfig, callbacks: tp.Sequence[Callback] = ()):
        self.config = config
        self.callbacks = callbacks
        self.model = Language(config)
        schedule = optax.warmup_cosine_decay_schedule(0.0, config.rate, config.warm_up, 100_000)
        parameters = self.model.init(jax.random.PRNGKey(0), jnp.ones((1, config.context), int))
        self.state = train_state.TrainState.create(
            apply_fn=self.model.apply, params=parameters, tx=optax.adamw(schedule)
        )
        self._evaluate = jax.jit(self._loss)

    def _loss(self, parameters, tokens):
        logits = self.model.apply(parameters, tokens[:, :-1])
        return optax.softmax_cross_entropy_with_integer_labels(logits, tokens[:, 1:]).mean()

    @functools.partial(jax.jit, static_argnums=0)
    def update(self, state, tokens):
        loss, grads = jax.value_and_grad(self._loss)(state.params, tokens)
        return state.apply_gradients(grads=grads), loss

    def fit(self, batches: tp.Callable[[], tp.Iterator[np.ndarray]]):
        step = 0
        for epoch in range(self.config.epochs):
            for tokens in batches():
                self.state, loss = self.update(self.state, tokens)
                step += 1
                for callback in self.callbacks:
                    callback(self, step, loss)
            checkpoints.save_checkpoint(self.config.folder, self.state, epoch)

    def evaluate(self, batches):
        return float(np.mean([self._evaluate(self.state.params, tokens) for tokens in batches]))

    def complete(self, prompt: np.ndarray, length: int, key) -> np.ndarray:
        def following(parameters, tokens, key):
            logits = self.model.apply(parameters, tokens[None])[0, -1]
            return jax.random.categorical(key, logits)

        tokens = jnp.asarray(prompt)
        compiled = jax.jit(following)
        for part in jax.random.split(key, length):
            token = compiled(self.state.params, tokens[-self.config.context :], part)
            tokens = jnp.append(tokens, token)
        return np.asarray(tokens)


def perplexity(trainer: Trainer, step: int, loss: float) -> None:
    if step % 100:
        return
    logger.info("%d perplexity %.2f", step, float(jnp.exp(loss)))


class Norms:
    """Logs how large the weights are, every step."""

    def __init__(self):
        self.rows = []

    def __call__(self, trainer, step, loss):
        norm = jax.jit(lambda p: optax.global_norm(p))  # finding: compiled-per-call
        self.rows.append((step, norm(trainer.state.params)))


def batches(path: str, config: TrainerConfig):
    tokens = np.memmap(path, np.uint16, "r")
    rng = np.random.default_rng(0)
    for _ in range(1_000):
        starts = rng.integers(0, len(tokens) - config.context - 1, config.batch_size)
        yield tokens[starts[:, None] + np.arange(config.context + 1)].astype(np.int32)


if __name__ == "__main__":
    logging.basicConfig(level=logging.INFO)
    settings = TrainerConfig()
    trainer = Trainer(settings, [perplexity, Norms()])
    trainer.fit(lambda: batches("recipes.bin", settings))
    print(trainer.evaluate(batches("held_out.bin", settings)))
