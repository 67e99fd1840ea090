"""Which maps the installed TensorFlow runs in parallel without being asked; as JSON.

A dataset asserts the kind of the transformation after it, as it is once the runtime has
rewritten the pipeline. Prints {case: whether it became parallel}.
"""

from __future__ import annotations

import importlib
import json
import os
import tempfile
from collections.abc import Callable
from typing import Any

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
tf: Any = importlib.import_module("tensorflow")
testing: Any = importlib.import_module("tensorflow.python.data.experimental.ops.testing")


def becomes(kind: str, transform: Callable[[Any], Any], options: Any = None) -> bool:
    dataset = transform(tf.data.Dataset.range(2).apply(testing.assert_next([kind])))
    if options is not None:
        dataset = dataset.with_options(options)
    try:
        for _ in dataset:
            break
    except tf.errors.InvalidArgumentError:
        return False
    return True


def mapped(function: Callable[[Any], Any]) -> bool:
    return becomes("ParallelMap", lambda dataset: dataset.map(function))


def main() -> None:
    variable = tf.Variable(1.0)
    table = tf.lookup.StaticHashTable(
        tf.lookup.KeyValueTensorInitializer(tf.range(2), tf.range(2)), -1
    )
    generator = tf.random.Generator.from_seed(1)
    with tempfile.NamedTemporaryFile() as file:
        path = file.name

        def real(x: Any) -> Any:
            return tf.cast(x, tf.float32)

        answers = {
            "arithmetic": mapped(lambda x: real(x) * 2.0),
            "stateless random": mapped(lambda x: tf.random.stateless_uniform([2], [x, x])),
            "random": mapped(lambda x: real(x) + tf.random.uniform([])),
            "generator": mapped(lambda x: real(x) + generator.uniform([])),
            "image flip": mapped(
                lambda x: tf.image.random_flip_left_right(tf.fill([2, 2, 1], real(x)))
            ),
            "dropout": mapped(lambda x: tf.nn.dropout(tf.fill([3], real(x)), 0.5)),
            "variable": mapped(lambda x: real(x) + variable),
            "table": mapped(lambda x: table.lookup(tf.cast(x, tf.int32))),
            "py_function": mapped(lambda x: tf.py_function(lambda y: y, [x], tf.int64)),
            "numpy_function": mapped(lambda x: tf.numpy_function(lambda y: y, [x], tf.int64)),
            "numpy_function said to be stateless": mapped(
                lambda x: tf.numpy_function(lambda y: y, [x], tf.int64, stateful=False)
            ),
            "print": mapped(lambda x: (tf.print("", end=""), x)[1]),
            "read_file": mapped(lambda x: (x, tf.io.read_file(path))),
            "decode": mapped(
                lambda x: tf.io.decode_png(
                    tf.io.encode_png(tf.fill([2, 2, 3], tf.cast(x, tf.uint8)))
                )
            ),
            "cond": mapped(lambda x: tf.cond(x > 0, lambda: x, lambda: x + 1)),
            "interleave": becomes(
                "ParallelInterleaveV4", lambda d: d.interleave(lambda _: tf.data.Dataset.range(1))
            )
            or becomes(
                "ParallelInterleave", lambda d: d.interleave(lambda _: tf.data.Dataset.range(1))
            ),
            "batch": becomes("ParallelBatch", lambda d: d.batch(2)),
        }
        off = tf.data.Options()
        off.experimental_optimization.map_parallelization = False
        answers["switched off"] = becomes("ParallelMap", lambda d: d.map(lambda x: x + 1), off)
    print(json.dumps(answers))


if __name__ == "__main__":
    main()
