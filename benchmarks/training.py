"""Ordinary trainings, each with a small and a large step, that tell when a step has ended.

Each takes the number of rows of a batch and `turn`, which it calls after each step, and ends
when that returns False. What a step takes depends on the machine; the rows are such that it is
about 2 and about 20 ms of processor time on a slow core; those of `STEPS` go from half a
millisecond to about a hundred.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

Turn = Callable[[], bool]

FEATURES, HIDDEN, CLASSES = 128, 256, 10
SAMPLES = 8192


def torch_loop(rows: int, turn: Turn) -> None:
    import torch
    from torch import nn

    torch.manual_seed(0)
    model = nn.Sequential(
        nn.Linear(FEATURES, HIDDEN),
        nn.ReLU(),
        nn.Linear(HIDDEN, HIDDEN),
        nn.ReLU(),
        nn.Linear(HIDDEN, CLASSES),
    )
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    data = torch.utils.data.TensorDataset(
        torch.randn(SAMPLES, FEATURES), torch.randint(0, CLASSES, (SAMPLES,))
    )
    # A sampler of batches takes a batch from the tensors at once.
    batches = torch.utils.data.BatchSampler(
        torch.utils.data.RandomSampler(data), rows, drop_last=True
    )
    loader = torch.utils.data.DataLoader(data, sampler=batches, batch_size=None)
    criterion = nn.CrossEntropyLoss()
    while True:
        for inputs, targets in loader:
            optimizer.zero_grad()
            loss = criterion(model(inputs), targets)
            loss.backward()
            optimizer.step()
            loss.item()
            if not turn():
                return


def _keras_model() -> Any:
    import keras

    return keras.Sequential(
        [
            keras.Input((FEATURES,)),
            keras.layers.Dense(HIDDEN, activation="relu"),
            keras.layers.Dense(HIDDEN, activation="relu"),
            keras.layers.Dense(CLASSES),
        ]
    )


def _dataset(rows: int) -> Any:
    import numpy as np
    import tensorflow as tf

    generator = np.random.default_rng(0)
    inputs = generator.standard_normal((SAMPLES, FEATURES), dtype="float32")
    targets = generator.integers(0, CLASSES, SAMPLES)
    data = tf.data.Dataset.from_tensor_slices((inputs, targets))
    return data.shuffle(SAMPLES).repeat().batch(rows, drop_remainder=True).prefetch(2)


def keras_fit(rows: int, turn: Turn) -> None:
    import keras

    def ended(batch: int, logs: Any) -> None:  # noqa: ARG001
        if not turn():
            model.stop_training = True

    model = _keras_model()
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    model.compile(optimizer="adam", loss=loss)
    turns = keras.callbacks.LambdaCallback(on_train_batch_end=ended)
    model.fit(_dataset(rows), steps_per_epoch=10**6, verbose=0, callbacks=[turns])


def _tensorflow_loop(rows: int, turn: Turn, compiled: Callable[[Any], Any]) -> None:
    import keras
    import tensorflow as tf

    model = _keras_model()
    optimizer = keras.optimizers.Adam(1e-3)
    criterion = keras.losses.SparseCategoricalCrossentropy(from_logits=True)

    def step(inputs: Any, targets: Any) -> Any:
        with tf.GradientTape() as tape:
            loss = criterion(targets, model(inputs, training=True))
        gradients = tape.gradient(loss, model.trainable_variables)
        optimizer.apply_gradients(zip(gradients, model.trainable_variables, strict=True))
        return loss

    train_step = compiled(step)
    for inputs, targets in _dataset(rows):
        float(train_step(inputs, targets))
        if not turn():
            return


def tensorflow_function(rows: int, turn: Turn) -> None:
    import tensorflow as tf

    _tensorflow_loop(rows, turn, tf.function)


def tensorflow_eager(rows: int, turn: Turn) -> None:
    _tensorflow_loop(rows, turn, lambda step: step)


def jax_loop(rows: int, turn: Turn) -> None:
    import jax
    import jax.numpy as jnp
    import numpy as np

    generator = np.random.default_rng(0)
    inputs = generator.standard_normal((SAMPLES, FEATURES), dtype="float32")
    targets = generator.integers(0, CLASSES, SAMPLES)
    sizes = (FEATURES, HIDDEN, HIDDEN, CLASSES)
    parameters = {
        f"layer{number}": {
            "w": jnp.asarray(generator.standard_normal((before, after), dtype="float32")) * 0.05,
            "b": jnp.zeros(after),
        }
        for number, (before, after) in enumerate(itertools.pairwise(sizes))
    }

    def loss_of(parameters: Any, inputs: Any, targets: Any) -> Any:
        for number in range(3):
            layer = parameters[f"layer{number}"]
            inputs = inputs @ layer["w"] + layer["b"]
            inputs = jax.nn.relu(inputs) if number < 2 else inputs
        chosen = jnp.take_along_axis(jax.nn.log_softmax(inputs), targets[:, None], axis=1)
        return -chosen.mean()

    def moved(parameters: Any, inputs: Any, targets: Any) -> Any:
        loss, gradients = jax.value_and_grad(loss_of)(parameters, inputs, targets)
        return jax.tree.map(lambda old, slope: old - 0.01 * slope, parameters, gradients), loss

    step = jax.jit(moved)

    while True:
        order = generator.permutation(SAMPLES)
        for first in range(0, SAMPLES - rows + 1, rows):
            chosen = order[first : first + rows]
            parameters, loss = step(parameters, inputs[chosen], targets[chosen])
            float(loss)
            if not turn():
                return


@dataclass(frozen=True, slots=True)
class Training:
    """A training by the name that readers know, and the rows of a small and of a large batch."""

    name: str
    loop: Callable[[int, Turn], None]
    rows: Mapping[str, int]


STEPS = {
    "PyTorch": {"tiny": 1, "short": 64, "middle": 640, "long": 2600, "longest": 8192},
    "JAX": {"tiny": 16, "short": 288, "middle": 1200, "long": 3400, "longest": 8192},
}
"""Rows of batches, by the name of a training, for a table of what recording costs by the length of
a step."""
TRAININGS = (
    Training("PyTorch", torch_loop, {"small": 160, "large": 2600}),
    Training("Keras fit", keras_fit, {"small": 110, "large": 2400}),
    Training("TensorFlow, tf.function", tensorflow_function, {"small": 110, "large": 2400}),
    # Its steps take long because they are many operations; there is no small one of use.
    Training("TensorFlow, eager", tensorflow_eager, {"large": 96}),
    Training("JAX", jax_loop, {"small": 288, "large": 3400}),
)
