"""Convolutions with very large kernels or very many channels, and batches that are too small."""

from __future__ import annotations

from pathlib import Path

from tests.dynamic.watched import diagnoses, lines_of, marked, needs

needs("keras")

CONVOLUTIONS = """\
import keras
import numpy as np

large = keras.Sequential([keras.layers.Input((32, 32, 8))])
large.add(keras.layers.Conv2D(8, 13, padding="same"))  # oversized-kernel
large.add(keras.layers.GlobalAveragePooling2D())
wide = keras.Sequential([keras.layers.Input((128, 128, 3))])
wide.add(keras.layers.Conv2D(256, 3, padding="same"))  # wide-early-conv
wide.add(keras.layers.GlobalAveragePooling2D())
good = keras.Sequential([keras.layers.Input((128, 128, 3))])
good.add(keras.layers.Conv2D(16, 7, strides=2, padding="same"))
good.add(keras.layers.Conv2D(32, 3, strides=2, padding="same"))
good.add(keras.layers.GlobalAveragePooling2D())
for model in (large, wide, good):
    model.compile("sgd", "mse")
    images = np.zeros((2, *model.input_shape[1:]), "float32")
    model.fit(images, np.zeros((2, model.output_shape[-1])), batch_size=2, verbose=0)
"""

BATCHES = """\
import keras
import numpy as np

model = keras.Sequential([keras.layers.Input((4,)), keras.layers.Dense(1)])
rows = np.zeros((8000, 4), "float32")
model.predict(rows, verbose=0)  # predict-batch-size
model.predict(rows, batch_size=2048, verbose=0)
model.predict(rows[:320], verbose=0)
"""

TRAINED_SMALL = """\
import keras
import numpy as np

model = keras.Sequential([keras.layers.Input((192, 192, 3))])
model.add(keras.layers.Conv2D(16, 3, padding="same"))
model.add(keras.layers.Conv2D(1, 3, padding="same"))
model.compile("sgd", "mse")
images = np.zeros((32, 192, 192, 3), "float32")
model.fit(images[:2], images[:2, :, :, :1], batch_size=1, verbose=0)
model.predict(images, verbose=0)  # by default
model.evaluate(images, images[:, :, :, :1], verbose=0)  # by default
model.evaluate(images, images[:, :, :, :1], 1, verbose=0)
model.predict(images, batch_size=1, verbose=0)
model.predict(images, batch_size=32, verbose=0)
small = keras.Sequential([keras.layers.Input((4,)), keras.layers.Dense(1)])
small.compile("sgd", "mse")
small.fit(np.zeros((2, 4)), np.zeros((2, 1)), batch_size=1, verbose=0)
small.predict(np.zeros((32, 4)), verbose=0)
"""


def test_convolutions_that_cost_are_found_where_they_are_made(tmp_path: Path) -> None:
    found = diagnoses(tmp_path, CONVOLUTIONS, "costly-convolution")
    for rule in ("oversized-kernel", "wide-early-conv"):
        assert lines_of(found, rule) == marked(CONVOLUTIONS, rule)
    assert len(found) == 2
    assert {item["cause"] for item in found} == {"improper-model-parameter"}


def test_batches_that_are_mostly_overhead_are_found(tmp_path: Path) -> None:
    found = diagnoses(tmp_path, BATCHES, "predict-batch-size")
    assert lines_of(found, "predict-batch-size") == marked(BATCHES, "predict-batch-size")
    assert found[0]["evidence"].startswith("8,000 rows in 250 steps of ")
    assert found[0]["remedy"].startswith("pass `batch_size=4096`")


def test_default_batches_far_larger_than_those_of_the_training_are_found(tmp_path: Path) -> None:
    found = diagnoses(tmp_path, TRAINED_SMALL, "predict-batch-size")
    assert lines_of(found, "predict-batch-size") == marked(TRAINED_SMALL, "by default")
    assert {item["weight"] for item in found} == {"memory"}
    assert {item["remedy"] for item in found} == {"pass `batch_size=1`, as in training"}
