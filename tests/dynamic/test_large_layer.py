"""A layer that is most of a model is found where it is made."""

from __future__ import annotations

from pathlib import Path

from tests.dynamic.watched import diagnoses, lines_of, marked, needs

needs("keras")

PROGRAM = """\
import keras
import numpy as np

image = keras.Input((64, 64, 1))
flat = keras.layers.Flatten()(image)
hidden = keras.layers.Dense(1100, activation="relu")(flat)  # oversized-dense
wide = keras.Model(image, keras.layers.Dense(1)(hidden))
pooled = keras.layers.GlobalAveragePooling2D()(image)
narrow = keras.Model(image, keras.layers.Dense(1)(keras.layers.Dense(1100)(pooled)))
words = keras.Sequential(
    [keras.layers.Input((5,)), keras.layers.Embedding(70_000, 64), keras.layers.Flatten()]
)
images = np.zeros((2, 64, 64, 1), "float32")
for model in (wide, narrow):
    model.compile("adam", "mse")
    model.train_on_batch(images, np.zeros((2, 1)))
words.compile("sgd", "mse")
words.train_on_batch(np.zeros((2, 5), "int32"), np.zeros((2, 320)))
"""


def test_the_layer_that_is_most_of_the_model_is_found(tmp_path: Path) -> None:
    found = diagnoses(tmp_path, PROGRAM, "large-layer")
    assert lines_of(found, "oversized-dense") == marked(PROGRAM, "oversized-dense")
    assert found[0]["message"] == "this Dense layer holds 100% of the model"
    assert "4,096 x 1,100 weights" in found[0]["evidence"]
    assert "2 moments of the optimizer" in found[0]["evidence"]
