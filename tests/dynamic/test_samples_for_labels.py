"""Preparing samples for their labels alone is told, with what is not needed for these."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.dynamic.made import script, trace_of

from deepperf.dynamic.diagnosis import Diagnosis
from deepperf.dynamic.program.sample_parts import lines_for_others, parts_taken
from deepperf.dynamic.recording.trace import Samples, Stack
from deepperf.dynamic.signals.samples_for_labels import diagnose

SECOND = frozenset({1})
TAKEN = {
    "for _, label in samples:\n    count(label)": SECOND,
    "for image, label in samples:\n    count(label)": SECOND,
    "for n, (image, label) in enumerate(samples):\n    count(n, label)": SECOND,
    "labels = [label for _, label in samples]": SECOND,
    "weights = [1 / counts[samples[n][1]] for n in range(9)]": SECOND,
    "_, label = samples[3]\ncount(label)": SECOND,
    "for image, label in samples:\n    train(image, label)": None,
    "for image, label in samples: count(label)\ndef f(image):\n    show(image)": SECOND,
    "for image, label in samples: count(label)\ndef f():\n    show(image)": None,
    "for sample in samples:\n    count(sample)": None,
    "for image, label in samples:\n    count(label)\nshow(image)": None,
    "x = f(samples[n], samples[n][1])": None,
    "x = f(samples[n][1], names[n])": SECOND,
    "image, label = samples[3]\ntrain(image, label)": None,
    "x = samples[n][1], samples[n]['image']": None,
}
DATASET = """\
class Photos:
    def __getitem__(self, n):
        path, label = self.found[n]
        image = read(path)
        image = resize(image)
        weight = self.weights[label]
        return normalize(image), label, weight


counts = Counter(label for _, label, _ in Photos())
for image, label, weight in Photos():
    train(image, label)
"""


def test_what_a_line_uses_of_samples_is_told_by_its_text(tmp_path: Path) -> None:
    for number, (text, parts) in enumerate(TAKEN.items()):
        path = script(tmp_path / str(number), text)
        assert parts_taken(str(path), 1) == parts, text


def test_the_lines_that_no_label_needs_are_those_that_make_the_image(tmp_path: Path) -> None:
    path = str(script(tmp_path, DATASET))
    assert lines_for_others(path, 4, SECOND) == {4, 5, 6}
    assert lines_for_others(path, 4, frozenset({2})) == {4, 5}
    assert lines_for_others(path, 4, frozenset({0})) == {6}
    assert lines_for_others(path, 10, SECOND) == frozenset()


def told(folder: Path, line: int) -> list[Diagnosis]:
    """What is told of a run of 500 looks, of which a line had 300 spent in the data set."""
    path = str(script(folder, DATASET))
    samples = (
        Samples(path, 4, "__getitem__", 150, 150, 0),
        Samples(path, 7, "__getitem__", 150, 150, 0),
        Samples(path, line, "<module>", 300, 0, 0),
    )
    stacks = (Stack((0, 2), 150), Stack((1, 2), 150))
    return [*diagnose(trace_of(Path(path), samples=samples, stacks=stacks))]


def test_only_what_the_labels_do_not_need_is_lost(tmp_path: Path) -> None:
    (one,) = told(tmp_path, 10)
    assert one.line == 10
    assert one.share == pytest.approx(0.3)
    assert "train.py:" in one.evidence


def test_a_training_that_uses_the_images_is_not_told(tmp_path: Path) -> None:
    assert told(tmp_path, 11) == []
