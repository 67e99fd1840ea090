"""A finding is known again after its code was moved, reformatted or renamed."""

from __future__ import annotations

import textwrap

from deepperf.check.identity import identified
from deepperf.records import Finding, Level, Location, Role

CODE = """
def train(images, labels):
    for step in range(10):
        total = total + slow(images[step], "mean")
"""


def about(text: str, word: str) -> tuple[Finding, ...]:
    """Findings at each place of a text that has this word."""
    text = textwrap.dedent(text)
    findings = [
        Finding(place(line, row.index(word) + 1), "rule", "m", "", Level.NOTE, Role.SOURCE, row)
        for line, row in enumerate(text.split("\n"), 1)
        if word in row
    ]
    return identified(text, findings)


def place(line: int, column: int) -> Location:
    return Location("a.py", line, column, line, column + 1)


def test_moved_and_reformatted_code_is_the_same() -> None:
    moved = """
    import numpy


    def other(x):
        return x

    def train(images, labels):
        # a comment
        for step in range(10):
            total = (
                total
                + slow(images[step], 'mean',)
            )
    """
    (before,), (after,) = about(CODE, "slow("), about(moved, "slow(")

    assert before.fingerprint == after.fingerprint
    assert before.statement == after.statement


def test_names_of_variables_and_parameters_do_not_count() -> None:
    (before,) = about(CODE, "slow(")
    (after,) = about(CODE.replace("images", "batch").replace("total", "sum_"), "slow(")

    assert before.fingerprint == after.fingerprint


def test_what_is_called_and_with_what_counts() -> None:
    (before,) = about(CODE, "slow(")
    (another,) = about(CODE.replace("slow", "fast"), "fast(")
    (other_words,) = about(CODE.replace("mean", "sum"), "slow(")

    assert len({before.fingerprint, another.fingerprint, other_words.fingerprint}) == 3


def test_in_a_renamed_function_the_statement_is_still_the_same() -> None:
    (before,), (after,) = about(CODE, "slow("), about(CODE.replace("train", "fit"), "slow(")

    assert before.fingerprint != after.fingerprint
    assert before.statement == after.statement


def test_of_a_loop_only_the_head_counts() -> None:
    (before,) = about(CODE, "for step")
    (after,) = about(CODE.replace("total = total", "more = 1\n        total = total"), "for step")

    assert before.fingerprint == after.fingerprint


def test_equal_statements_are_told_apart_by_their_order() -> None:
    twice = about(CODE + "        total = total + slow(images[step], 'mean')\n", "slow(")

    assert len({finding.fingerprint for finding in twice}) == 2
    assert twice[0].fingerprint == about(CODE, "slow(")[0].fingerprint


def test_broken_code_is_known_by_its_line() -> None:
    (before,) = about("x = = 1\n  y = slow( 1)\n", "slow(")
    (after,) = about("import a\nx = = 1\ny = slow(1)\n", "slow(")

    assert before.fingerprint == after.fingerprint != ""


def test_what_stands_on_the_line_of_a_loops_head_belongs_to_the_loop() -> None:
    (one_line,) = about("for x in slow(1): print(x)", "slow(")
    (two_lines,) = about("for x in slow(\n    1): print(x)", "slow(")
    (body,) = about("for x in slow(1): print(x)", "print(")

    assert one_line.fingerprint == two_lines.fingerprint != body.fingerprint


def test_a_decorator_belongs_to_what_it_decorates() -> None:
    (before,) = about("@slow(1)\ndef f(x):\n    return x\n", "slow(")
    (after,) = about("y = 1\n\n@slow( 1)\ndef f(x):\n    return x + 1\n", "slow(")

    assert before.fingerprint == after.fingerprint
