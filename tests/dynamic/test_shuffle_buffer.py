"""Shuffle buffers of decoded elements are told by what they hold."""

from __future__ import annotations

from pathlib import Path

from tests.dynamic.watched import diagnoses, marked, needs

needs("tensorflow")

PROGRAM = """\
import tensorflow as tf


def decode(number):
    return tf.random.uniform((256, 256, 3))


data = tf.data.Dataset.range(1500)
ORDERED
total = 0.0
for batch in data.batch(8):
    total += float(tf.reduce_sum(batch))
"""


def test_a_buffer_of_decoded_elements_is_told_where_it_is_made(tmp_path: Path) -> None:
    program = PROGRAM.replace("ORDERED", "data = data.map(decode).shuffle(1000)  # held")
    (found,) = diagnoses(tmp_path, program, "shuffle-buffer")
    assert [found["line"]] == marked(program, "held")
    assert "1,000 decoded elements" in found["message"]


def test_a_buffer_of_what_is_decoded_later_is_not(tmp_path: Path) -> None:
    program = PROGRAM.replace("ORDERED", "data = data.shuffle(1000).map(decode)")
    assert diagnoses(tmp_path, program, "shuffle-buffer") == []
