"""One finding per cause: what else belongs to it is told beside it."""

from __future__ import annotations

from deepperf import check_text
from deepperf.check.causes import one_per_cause
from deepperf.config.options import Options
from deepperf.records import Finding, Level, Location, Role, Step


def at(line: int, column: int = 1, path: str = "train.py") -> Location:
    return Location(path, line, column, line, column + 4)


def finding(place: Location, message: str = "slow", level: Level = Level.WARNING) -> Finding:
    return Finding(place, "rule", message, "do it once", level, Role.SOURCE, "loss(x)")


def test_two_equal_findings_on_one_line_are_one() -> None:
    (only,) = one_per_cause([finding(at(3)), finding(at(3, 20))])
    assert only.related == ()


def test_findings_that_say_different_things_on_one_line_stay() -> None:
    assert len(one_per_cause([finding(at(3)), finding(at(3, 20), "slow, too")])) == 2


def test_the_loudest_speaks_and_quieter_ones_at_its_place_are_told_beside_it() -> None:
    (only,) = one_per_cause([finding(at(3), "a", Level.NOTE), finding(at(3), "b")])
    assert only.message == "b"
    assert [step.text for step in only.related] == ["a"]


def test_what_one_repeated_call_does_is_one_finding() -> None:
    text = """
import torch


def mask(length):
    table = torch.ones(length, length)
    upper = torch.triu(table, diagonal=1)
    lower = torch.tril(table, diagonal=-1)
    return torch.linalg.matrix_exp(upper) @ torch.linalg.matrix_exp(lower)


def run(batches, length):
    for batch in batches:
        print(batch @ mask(length))
"""
    options = Options(select=("loop-invariant-op",), level=Level.NOTE)
    found = check_text(text, options).findings
    assert len(found) == 1


def test_several_ways_to_what_is_to_be_mended_are_one_finding() -> None:
    text = """
import tensorflow as tf


def double(x):
    return tf.cast(x, tf.float32) * 2.0


def mapped(data):
    return data.map(double, num_parallel_calls=4)


def train(data):
    return mapped(data).batch(32)


def test(data):
    return mapped(data).batch(64)
"""
    options = Options(select=("map-before-batch",), level=Level.NOTE)
    found = check_text(text, options).findings
    assert len(found) == 1


def test_steps_of_paths_are_no_causes() -> None:
    loop = Step(at(1), "called in every iteration of `for x in xs`")
    first, second = finding(at(3)), finding(at(9), "slow, too")
    parts = [
        Finding(f.location, f.rule, f.message, "", f.level, f.role, "", (loop,))
        for f in (first, second)
    ]
    assert len(one_per_cause(parts)) == 2
