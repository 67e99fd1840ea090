"""Statements are deleted with their lines, or left alone."""

from __future__ import annotations

import pytest

from deepperf.fixes.apply import apply_edits
from deepperf.fixes.arguments import remove_keyword
from deepperf.fixes.statements import (
    decorate,
    delete_statement,
    hoist,
    insert_behind,
    put_under,
    undecorate,
)
from deepperf.records import Edit


def without(text: str, part: str) -> str | None:
    start = text.index(part)
    edit = delete_statement(text, start, start + len(part))
    return None if edit is None else apply_edits(text, (edit,))


@pytest.mark.parametrize(
    ("text", "part", "expected"),
    [
        ("a()\nb()\nc()\n", "b()", "a()\nc()\n"),
        ("if x:\n    a()\n    b()\n", "b()", "if x:\n    a()\n"),
        ("a()\nd['k'] = 1\n", "d['k']", "a()\n"),
        ("a()\nb(\n  1,\n)\n", "b(\n  1,\n)", "a()\n"),
        ("a()\n\nb()\n\n\ndef f(): ...\n", "b()", "a()\n\n\ndef f(): ...\n"),
        ("a()\n\n\nb()\n\nc()\n", "b()", "a()\n\n\nc()\n"),
        ("a()\nb()\n\nc()\n", "b()", "a()\n\nc()\n"),
        ("b()\n\nc()\n", "b()", "\nc()\n"),
    ],
)
def test_a_statement_goes_with_its_lines(text: str, part: str, expected: str) -> None:
    assert without(text, part) == expected


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("if x:\n    b()\n", "b()"),
        ("a(); b()\n", "b()"),
        ("a()\nb()  # why\n", "b()"),
        ("a()\nx = b()\n", "b()"),
        ("with b():\n    a()\n    c()\n", "b()"),
    ],
)
def test_what_cannot_go_alone_stays(text: str, part: str) -> None:
    assert without(text, part) is None


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        ("f(n=1)", "f()"),
        ("f(a, n=1)", "f(a)"),
        ("f(n=1, b=2)", "f(b=2)"),
        ("f(a, n=1, b=2)", "f(a, b=2)"),
        ("f(\n    a,\n    n=1,\n    b=2,\n)", "f(\n    a,\n    b=2,\n)"),
        ("f(\n    a,\n    n=1,\n)", "f(\n    a,\n)"),
        ("f(a, n=1,)", "f(a,)"),
    ],
)
def test_a_keyword_goes_with_its_comma(call: str, expected: str) -> None:
    edit = remove_keyword(call, 0, len(call), "n")
    assert edit is not None
    assert apply_edits(call, (edit,)) == expected


def test_a_keyword_beside_a_comment_stays() -> None:
    call = "f(\n    a,  # why\n    n=1,\n)"
    assert remove_keyword(call, 0, len(call), "n") is None


LOOP = """def f(m, xs):
    for x in xs:
        w = ones(3)  # weights
        if x:
            y = m(x, w)
    return y
"""


def hoisted(text: str) -> tuple[Edit, ...] | None:
    start = text.index("ones")
    return hoist(text, start, text.index(")", start) + 1, text.index("for x"))


def test_a_statement_is_hoisted_with_its_comment() -> None:
    edits = hoisted(LOOP)
    assert edits is not None
    assert apply_edits(LOOP, edits) == (
        "def f(m, xs):\n    w = ones(3)  # weights\n    for x in xs:\n"
        "        if x:\n            y = m(x, w)\n    return y\n"
    )


@pytest.mark.parametrize(
    "text",
    [
        "for x in xs:\n    w = ones(3)\n",
        "for x in xs:\n    w = ones(3); y = 1\n    z = 2\n",
        'for x in xs:\n    w = ones("""a\n    b""")\n    z = 2\n',
        "for x in xs: w = ones(3); z = 2\n",
        "for x in xs:\n    if x:\n        w = ones(3)\n    z = 2\n",
        "for x in xs:\n    z = w\n    w = ones(3)\n",
        "for x in xs:\n    w = ones(3)\n    w += 1\n",
        "for x in xs:\n    w, z = ones(3)\n    y = 1\n",
        "for x in xs:\n    f(ones(3))\n    y = 1\n",
        "for x in xs:\n    w = ones(x)\n    y = 1\n",
        "for x in xs:\n    def n(): pass\n    w = ones(n)\n",
        "for x in xs:\n    n = f()\n    w = ones(n)\n",
    ],
)
def test_a_statement_that_cannot_be_moved_alone_stays(text: str) -> None:
    assert hoisted(text) is None


def test_statements_of_a_block_are_put_into_a_with() -> None:
    first, last = LOOP.index("w ="), LOOP.index("y = m")
    edits = put_under(LOOP, first, last, "with no_grad()")
    assert edits is not None
    assert apply_edits(LOOP, edits) == (
        "def f(m, xs):\n    for x in xs:\n        with no_grad():\n"
        "            w = ones(3)  # weights\n            if x:\n"
        "                y = m(x, w)\n    return y\n"
    )


def test_lines_of_a_text_are_never_moved() -> None:
    text = 'def f():\n    x = """a\n  b"""\n    return x\n'
    assert put_under(text, text.index("x ="), text.index("x ="), "with no_grad()") is None


def test_statements_are_inserted_behind_with_the_same_indent() -> None:
    start = LOOP.index("ones")
    edit = insert_behind(LOOP, start, start + 4, ["w.a()", "w.b()"])
    assert edit is not None
    assert "        w = ones(3)  # weights\n        w.a()\n        w.b()\n" in apply_edits(
        LOOP, [edit]
    )


@pytest.mark.parametrize("text", ["with ones(3):\n    pass\n", "if ones(3):\n    pass\n"])
def test_nothing_is_inserted_behind_the_head_of_a_block(text: str) -> None:
    assert insert_behind(text, text.index("ones"), text.index("ones") + 4, ["a()"]) is None


def test_a_decorator_is_the_outermost() -> None:
    text = "class A:\n    @b\n    def f(self):\n        pass\n"
    edit = decorate(text, 3, "jit")
    assert edit is not None
    assert apply_edits(text, [edit]) == text.replace("    @b", "    @jit\n    @b")


def test_line_ends_are_kept() -> None:
    text = "for x in xs:\r\n    w = ones(3)\r\n    y = 2\r\n"
    edits = hoisted(text)
    assert edits is not None
    assert apply_edits(text, edits) == "w = ones(3)\r\nfor x in xs:\r\n    y = 2\r\n"


def test_an_assignment_moves_out_of_loops_inside_of_the_loop() -> None:
    text = "for e in range(3):\n    for x in xs:\n        w = ones(3)\n        f(x, w)\n"
    read_before = text.replace("    for x", "    f(w)\n    for x")

    def moved(text: str) -> str | None:
        start = text.index("ones")
        edits = hoist(text, start, start + len("ones(3)"), 0)
        return None if edits is None else apply_edits(text, edits)

    assert moved(text) == "w = ones(3)\nfor e in range(3):\n    for x in xs:\n        f(x, w)\n"
    assert moved(read_before) is None


def test_the_parameters_of_a_lambda_are_its_own() -> None:
    text = "for x in xs:\n    f = jit(lambda x: x + 1)\n    f(x)\n"
    start = text.index("jit")
    edits = hoist(text, start, text.index(")\n") + 1, 0)
    assert edits is not None
    assert apply_edits(text, edits) == "f = jit(lambda x: x + 1)\nfor x in xs:\n    f(x)\n"


def test_a_decorator_is_taken_away_with_its_line() -> None:
    text = "@first\n@tf.function\ndef rate(step):\n    return 0.1 * step\n"
    start = text.index("tf.function")
    edit = undecorate(text, start, start + len("tf.function"))
    assert edit is not None
    assert apply_edits(text, (edit,)) == text.replace("@tf.function\n", "")


def test_a_decorator_that_shares_its_line_with_words_stays() -> None:
    text = "@tf.function  # for speed\ndef rate(step):\n    return 0.1 * step\n"
    assert undecorate(text, 1, len("@tf.function")) is None
