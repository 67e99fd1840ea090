"""A tree from any text."""

from __future__ import annotations

import ast
import warnings

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deepperf.semantics.text.syntax import character_column, line_starts, parse


def places(text: str) -> dict[str, tuple[int, int]]:
    """Line and column of each name in the tree of `text`."""
    nodes = [node for node in ast.walk(parse(text).tree) if isinstance(node, ast.Name)]
    return {node.id: (node.lineno, node.col_offset) for node in nodes}


def kept_statements(text: str) -> str:
    return ast.unparse(parse(text).tree)


def test_valid_text_has_the_parsers_own_tree() -> None:
    text = "x = [f(y) for y in z]\n"
    assert ast.dump(parse(text).tree) == ast.dump(ast.parse(text))
    assert parse(text).failures == ()


def test_warnings_about_the_users_code_are_not_ours() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert parse("x = '\\d'\nassert (1, 2)\ny = 1 is 1\n").failures == ()


def test_a_syntax_error_costs_a_statement() -> None:
    syntax = parse("import os\nx = = 1\nfor i in y:\n    a b c\n    z = 2\n")
    assert [failure[:2] for failure in syntax.failures] == [(2, 1), (4, 5)]
    assert ast.unparse(syntax.tree) == "import os\npass\nfor i in y:\n    pass\n    z = 2"


def test_a_broken_header_keeps_its_body() -> None:
    text = "if x y:\n    a = 1\nelif:\n    b = 2\nelse:\n    c = 3\n"
    assert places(text) == {"a": (2, 4), "b": (4, 4), "c": (6, 4)}


def test_a_broken_definition_keeps_its_name() -> None:
    kept = kept_statements("class A(:\n    def f(self x):\n        return g(1)\n")
    assert kept == "class A:\n\n    def f():\n        return g(1)"


def test_a_bracket_that_is_never_closed_costs_no_later_function() -> None:
    text = "x = foo(1,\n\ndef g():\n    return h\n\ny = z\n"
    assert {"h", "y", "z"} <= places(text).keys()
    assert [failure[0] for failure in parse(text).failures] == [1]


def test_a_bracket_that_is_never_closed_costs_no_later_statement() -> None:
    text = "if a:\n    x = foo(1,\n        b)(\n    y = (c,\n        d)\ne = f\n"
    assert places(text).keys() == {"a", "y", "c", "d", "e", "f"}
    assert [failure[:2] for failure in parse(text).failures] == [(2, 5)]


def test_a_string_that_is_never_closed_costs_its_line() -> None:
    assert kept_statements("a = 'b\nc = d\n") == "pass\nc = d"


def test_a_try_without_handlers_keeps_its_body() -> None:
    assert "f()" in kept_statements("try:\n    f()\nx = 1\n")


def test_indentation_from_nowhere_costs_its_block_alone() -> None:
    assert kept_statements("a = 1\n    b = 2\nc = 3\n") == "a = 1\nc = 3"


def test_broken_cases_of_a_match_keep_the_others() -> None:
    text = "match x:\n    case 1 2:\n        a = 1\n    case 3:\n        b = 2\n"
    assert places(text).keys() == {"x", "a", "b"}


def test_tabs_among_spaces_are_read_as_python_2_did_and_columns_stay_true() -> None:
    text = "if a:\n    if b:\n\tc = d\n\tif e:\n\t    f = g\n"
    assert parse(text).failures == ()
    assert places(text)["d"] == (3, 5)
    assert places(text)["g"] == (5, 9)


def test_null_bytes_are_blanks_and_said_so() -> None:
    syntax = parse("a = 1\nb =\0 2\n")
    assert ast.unparse(syntax.tree) == "a = 1\nb = 2"
    assert syntax.failures[0][:2] == (2, 4)


def test_many_lost_statements_are_summed_up() -> None:
    failures = parse("a b\n" * 1000).failures
    assert len(failures) == 100
    assert failures[-1][2] == "901 more statements are left out"


PYTHON_2 = {
    "print 'a', b": "print('a', b)",
    "print": "print()",
    "print >>f, a,": "print(f, a)",
    "print a; b = c": "print(a)\nb = c",
    "if x: print y": "if x:\n    print(y)",
    "print ('a'), b": "(print('a'), b)",
    "exec code in ns": "exec(code, ns)",
    "exec 'a = 1'": "exec('a = 1')",
    "raise E, 'm'": "raise E('m')",
    "raise E, 'm', tb": "raise E('m', tb)",
    "try: a\nexcept E, e:\n    f(e)": "try:\n    a\nexcept E as e:\n    f(e)",
    "try: a\nexcept (E, F), e: f": "try:\n    a\nexcept (E, F):\n    f",
    "a = `b` + `c`": "a = b + c",
    "a <> b": "a != b",
    "a = 0777 + 10L + 0xFFL": "a = 511 + 10 + 255",
    "a = ur'\\d'": "a = '\\\\d'",
    "def f(a, (b, c), d=(1, 2)): pass": "def f(a, b, c, d=(1, 2)):\n    pass",
    "f = lambda (a, b): a": "f = lambda a, b: a",
    "async = await = 1": "asyn_ = awai_ = 1",
    "f(async=True)": "f(asyn_=True)",
    "a = 'C:\\Users'; print a": "a = 'C:/Users'\nprint(a)",
}


@pytest.mark.parametrize(("old", "new"), PYTHON_2.items())
def test_python_2_is_read(old: str, new: str) -> None:
    # A second statement that Python 3 rejects, where the first alone would be valid.
    syntax = parse(f"{old}\n0L\n")
    assert syntax.failures == ()
    assert syntax.repaired
    assert ast.unparse(syntax.tree) == f"{new}\n0"


def test_python_2_keeps_its_places() -> None:
    text = "print first, second; third\nx = `fourth`+0777L, fifth\ndef f((a, b)): sixth\n"
    found = places(text)
    for name in ("first", "second", "third", "fourth", "fifth", "sixth"):
        line, column = found[name]
        assert text.split("\n")[line - 1].index(name) == column, name


@pytest.mark.parametrize(
    "text",
    [
        "-" * 50_000 + "1",
        "(" * 50_000,
        "x" + "[0]" * 20_000,
        "x = " + "+".join(["a"] * 20_000),
        "if a: pass\n" + "elif b: pass\n" * 3_000,
        "\n".join(" " * depth + "if a:" for depth in range(150)) + " pass",
        "x = " + "1" * 10_000,
        "x = '\ud800'\n\ud800 = 1\n",
        "lambda:" * 10_000,
        "f'{" * 200,
        "\x0c\x0c  x",
    ],
    ids=range(11),
)
def test_deep_huge_and_strange_text_costs_no_other_statement(text: str) -> None:
    kept = parse(f"before = 1\n{text}\nafter = 2\n").tree.body
    assert ast.unparse(kept[0]) == "before = 1"
    assert ast.unparse(kept[-1]) == "after = 2"


@given(st.text())
def test_parsing_never_raises(text: str) -> None:
    assert isinstance(parse(text).tree, ast.Module)


FRAGMENTS = (
    *("if", "else", "try:", "except", "def f(", "class A:", "match x:", "case 1:", "@", "for"),
    *("print x", "lambda", "`", "(", ")", '"""', "'", "\\", "\n", "\n    ", "\n\t", "\r", ";"),
    *("x", " = ", ",", ":", "0777", "ur''", "\0", "\ud800", "é", "\x0c", "async", "#", "{", "f'{"),
)


@settings(max_examples=300)
@given(st.lists(st.sampled_from(FRAGMENTS)).map("".join))
def test_parsing_never_raises_on_what_looks_like_code(text: str) -> None:
    lines = len(line_starts(text))
    syntax = parse(text)
    for node in ast.walk(syntax.tree):
        if isinstance(node, (ast.stmt, ast.expr)):
            assert 1 <= node.lineno <= lines
    for line, column, message in syntax.failures:
        assert 1 <= line <= lines
        assert column >= 1
        assert "\n" not in message


@given(st.text(alphabet="aé漢😀 "), st.data())
def test_columns_count_characters(line: str, data: st.DataObject) -> None:
    column = data.draw(st.integers(0, len(line)))
    assert character_column(line, len(line[:column].encode())) == column


def test_lines_begin_where_the_parser_says() -> None:
    text = "a\r\nb\rc\n\x0cd\u2028e"
    assert [text[start] for start in line_starts(text)] == ["a", "b", "c", "\x0c"]
    assert line_starts("a\n\nb") == [0, 2, 3]
    assert line_starts("") == [0]
