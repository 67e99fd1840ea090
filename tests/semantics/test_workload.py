"""What a function does for each element that it is mapped over, and where its results are shown."""

from __future__ import annotations

import pytest

from deepperf.knowledge.schema import ParameterRole, Trait
from deepperf.semantics.files.project import Project
from deepperf.semantics.text.source import Source, read_source
from deepperf.semantics.view import Call, Workload, view_file

HEAD = """
import cv2
import matplotlib.pyplot as plt
import numpy as np
import tensorflow as tf
import tensorflow_datasets as tfds

encoder = tfds.features.text.TokenTextEncoder(["oak", "ash"])

def ids(line, label):
    return encoder.encode(line.numpy()), label

def scaled(image):
    return tf.cast(image, tf.float32) / 255.0

def words(line):
    return np.array(line.decode().split(" "))

def picture(path):
    return cv2.imread(path.decode())

def five(image):
    size = tf.shape(image)[:2]
    margin = (size - 32) // 2 + (size - 32) % 2 - 1 + 1
    return image[margin[0]:, margin[1]:]

def told(image, label):
    for part in (image, label):
        part.set_shape(part.get_shape().merge_with([32, None]))
    return image, label

"""


def mapping(program: str, path: str = "main.py") -> Call:
    source = read_source(path, (HEAD + program).encode())
    assert isinstance(source, Source)
    calls = view_file(Project({path: source}), path).calls(frozenset((Trait.MAPS_ELEMENTS,)))
    return next(iter(calls))


def work_of(function: str) -> Workload:
    call = mapping(f"data = tf.data.TFRecordDataset('a.tfrecord').map({function})\n")
    mapped = call.argument(ParameterRole.FUNCTION)
    assert mapped is not None
    return mapped.workload


@pytest.mark.parametrize(
    "function",
    [
        "told",
        "lambda row: (row['image'], row['label'])",
        "lambda image: (tf.expand_dims(image, 0), tf.random.uniform([]))",
    ],
)
def test_what_is_told_or_put_together_otherwise_is_no_work(function: str) -> None:
    assert work_of(function) is Workload.NOTHING


@pytest.mark.parametrize(
    "function", ["scaled", "lambda x, y: (scaled(x), tf.one_hot(y, 10))", "five"]
)
def test_a_few_passes_are_little_and_sizes_are_none(function: str) -> None:
    assert work_of(function) <= Workload.LITTLE


@pytest.mark.parametrize(
    "function",
    [
        "lambda image: scaled(image) * tf.random.uniform([])",
        "lambda x: ((((scaled(x) - 1) * 2 - 3) * 4) ** 5) / 6",
        "unknown",
    ],
)
def test_what_is_drawn_or_unknown_is_much(function: str) -> None:
    assert work_of(function) is Workload.MUCH


@pytest.mark.parametrize(
    "function",
    [
        "lambda x: tf.io.decode_png(x) / 255",
        "lambda x: tf.io.read_file(x)",
        "lambda x: tf.numpy_function(picture, [x], tf.uint8)",
    ],
)
def test_what_is_read_or_decoded_is_work_on_files(function: str) -> None:
    assert work_of(function) is Workload.FILES


@pytest.mark.parametrize(
    "function",
    [
        "lambda x: tf.numpy_function(words, [x], tf.string)",
        "lambda x, y: tf.py_function(ids, [x, y], (tf.int64, tf.int64))",
    ],
)
def test_python_that_only_handles_text_holds_the_lock(function: str) -> None:
    assert work_of(function) is Workload.LOCKED


def test_a_few_elements_repeated_some_times_are_counted() -> None:
    assert (
        mapping("data = tf.data.Dataset.list_files('*').take(2).repeat(5).map(f)").dataset_size
        == 10
    )
    assert mapping("data = tf.data.Dataset.range(3).repeat().map(f)").dataset_size is None


def test_a_tuple_has_columns_and_a_list_has_elements() -> None:
    made = "data = tf.data.Dataset.from_tensor_slices({}(frame[c] for c in 'ab')).map(f)"
    assert mapping(made.format("tuple")).dataset_size is None
    assert mapping(made.format("list")).dataset_size == 2


FEW = """
data = tf.data.Dataset.list_files("*.png").map(scaled)
some = data.batch(4)
print(some)
for batch in some.take(2):
    print(batch)
"""


def test_what_a_notebook_takes_a_few_of_is_shown() -> None:
    assert mapping(FEW, "look.ipynb").is_shown


@pytest.mark.parametrize(
    "further", ["model.fit(some)", "for batch in data: step(batch)", "kept = [some]"]
)
def test_what_goes_elsewhere_besides_is_not_only_shown(further: str) -> None:
    assert not mapping(FEW + further + "\n", "look.ipynb").is_shown


def test_what_nothing_in_a_notebook_takes_is_only_shown() -> None:
    made = "test = tf.data.Dataset.list_files('*.png').map(scaled).batch(4)\n"
    assert mapping(made, "look.ipynb").is_shown
    assert not mapping(made).is_shown
    assert not mapping(made + "model.evaluate(test)\n", "look.ipynb").is_shown


def test_a_program_that_takes_a_few_may_take_all() -> None:
    assert not mapping(FEW).is_shown


def test_what_waits_until_somebody_has_looked_is_shown() -> None:
    shown = "    plt.imshow(batch[0])\n    plt.show()\n"
    assert mapping(FEW.replace(".take(2)", "") + shown).is_shown


def test_a_class_that_inherits_may_do_more() -> None:
    call = mapping(
        """
class Pictures:
    def element(self, image):
        return scaled(image)

    def read(self, names):
        return tf.data.TFRecordDataset(names).map(self.element)

class Faces(Pictures):
    def element(self, image):
        return scaled(tf.io.decode_png(image))
"""
    )
    mapped = call.argument(ParameterRole.FUNCTION)
    assert mapped is not None
    assert mapped.workload is Workload.FILES
