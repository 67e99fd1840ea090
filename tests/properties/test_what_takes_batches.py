"""What deepperf says to give the same on whole batches does so when the program is run."""

from __future__ import annotations

import pytest
from tests.properties.mapping import programs, trial
from tests.properties.specimens import MORE

from deepperf import Options, check_text
from deepperf.records import Level

PROGRAMS = 37 * MORE
"""Programs in each part of the runs."""
PARTS = 2
OPTIONS = Options(select=("map-before-batch",), level=Level.NOTE)


def is_said(text: str) -> bool:
    report = check_text(text, OPTIONS, path="main.py")
    assert report.failures == ()
    return bool(report.findings)


@pytest.fixture(name="words", scope="module")
def vocabulary() -> programs.Vocabulary:
    pytest.importorskip("tensorflow").get_logger().setLevel("ERROR")
    return programs.vocabulary()


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("x = x / 255.0", ""),
        ("x = tf.reduce_mean(x, axis=-1)", ""),
        ("x = tf.reduce_mean(x, axis=0)", "float32(4, 5, 3), and float32(6, 5, 3)"),
        ("x = x / tf.reduce_max(x)", "other values"),
        ("x = tf.transpose(x, [1, 0, 2])", "batches are refused: ValueError"),
        ("x = tf.ensure_shape(x, (9, 9, 9))", None),
    ],
)
def test_a_program_is_tried_with_its_map_on_either_side(
    words: programs.Vocabulary, line: str, told: str | None
) -> None:
    text = (
        f"{words.head}\n\ndef change(x):\n    {line}\n    return x\n\n\n"
        "dataset = tf.data.Dataset.from_tensor_slices(images)\n"
        f"mapped = {programs.MAPPED}change)\nbatched = {programs.BATCHED}\n"
    )
    assert trial.difference(text, words) == told
    assert is_said(text) is (told == "")


@pytest.mark.parametrize("part", range(PARTS))
def test_what_is_said_to_give_the_same_on_batches_does(
    words: programs.Vocabulary, part: int
) -> None:
    wrong: dict[int, str] = {}
    right = 0
    for seed in range(part * PROGRAMS, (part + 1) * PROGRAMS):
        text = programs.program(seed, words)
        if not is_said(text):
            continue
        told = trial.difference(text, words)
        right += told == ""
        if told:
            wrong[seed] = told
    assert wrong == {}
    assert right > PROGRAMS // 10
