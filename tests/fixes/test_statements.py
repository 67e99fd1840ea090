"""Statements are deleted, replaced and hoisted with their lines."""

from __future__ import annotations

import ast
import textwrap

from deepperf.fixes.apply import apply_edits
from deepperf.fixes.statements import (
    delete_statement,
    hoist_expression,
    hoist_statement,
    insert_before,
    replace_statement,
    unused_name,
)


def span(text: str, code: str) -> tuple[int, int]:
    start = text.index(code)
    return start, start + len(code)


def test_a_statement_goes_with_its_line_and_comment() -> None:
    text = "a = 1\nb = 2  # two\nc = 3\n"
    edit = delete_statement(text, *span(text, "b = 2"))

    assert edit is not None
    assert apply_edits(text, (edit,)) == "a = 1\nc = 3\n"


def test_the_only_statement_of_a_block_becomes_pass() -> None:
    text = "if a:\n    b = 2\nc = 3\n"
    edit = delete_statement(text, *span(text, "b = 2"))

    assert edit is not None
    assert apply_edits(text, (edit,)) == "if a:\n    pass\nc = 3\n"


def test_a_statement_that_shares_its_line_is_left() -> None:
    text = "a = 1; b = 2\n"

    assert delete_statement(text, *span(text, "b = 2")) is None
    assert delete_statement(text, *span(text, "a = 1")) is None
    assert delete_statement("a = = 1\nb = 2\n", 8, 13) is None


def test_a_statement_is_replaced_by_lines_with_its_indent() -> None:
    text = "def f():\n    a = 1\n    return a\n"
    edit = replace_statement(text, *span(text, "a = 1"), "if x:\n    a = 2")

    assert edit is not None
    assert apply_edits(text, (edit,)) == ("def f():\n    if x:\n        a = 2\n    return a\n")


def test_lines_are_inserted_before_a_statement_with_its_newlines() -> None:
    text = "def f():\r\n    return a\r\n"
    edit = insert_before(text, text.index("return"), "a = 1")

    assert edit is not None
    assert apply_edits(text, (edit,)) == "def f():\r\n    a = 1\r\n    return a\r\n"


def test_a_statement_is_hoisted_with_the_indent_of_the_loop() -> None:
    text = textwrap.dedent(
        '''\
        def train():
            for batch in data:
                mask = make_mask(
                    """keep
                    this""",
                )  # constant
                step(batch, mask)
        '''
    )
    statement = text[text.index("mask =") : text.index("  # constant")]
    edits = hoist_statement(text, *span(text, statement), text.index("for batch"))

    assert apply_edits(text, edits) == textwrap.dedent(
        '''\
        def train():
            mask = make_mask(
                """keep
                    this""",
            )  # constant
            for batch in data:
                step(batch, mask)
        '''
    )


def test_an_expression_is_computed_once_before_the_loop() -> None:
    text = "for x in xs:\n    y = x + tf.eye(3)\n"
    name = unused_name(text, "x")
    edits = hoist_expression(text, *span(text, "tf.eye(3)"), 0, name)

    assert name == "x_2"
    assert apply_edits(text, edits) == "x_2 = tf.eye(3)\nfor x in xs:\n    y = x + x_2\n"


def test_an_expression_over_several_lines_still_parses_before_the_loop() -> None:
    text = "while f(a +\n        b):\n    pass\n    g(a\n      .b)\n"
    edits = hoist_expression(text, *span(text, "a\n      .b"), 0, "c")

    ast.parse(apply_edits(text, edits))


def test_nothing_is_hoisted_out_of_a_one_line_loop() -> None:
    text = "for x in xs: y = 1\n"

    assert hoist_statement(text, *span(text, "y = 1"), 0) == ()
