"""What an edit changed: words of new pieces, and whether a file only grew by definitions."""

from __future__ import annotations

import pytest

from deepperf.check.edited import edit_since, marks_of

TEXT = """\
import torch

SIZE = 3


@torch.no_grad()
def f(x):
    return x


class C:
    def g(self):
        return f(1)
"""
NEW = "def h(y):\n    return y\n"


@pytest.mark.parametrize(
    "grown",
    [
        f"{TEXT}\n\n{NEW}",
        TEXT.replace("class C", f"{NEW}\n\nclass C"),
        f"{TEXT}\n\n@decorated(\n    1,\n)\n{NEW}",
        TEXT.replace("SIZE = 3\n", "SIZE = 3\n\n\nclass h:\n    y = 1\n"),
    ],
)
def test_a_file_that_gets_a_definition_only_grew(grown: str) -> None:
    edit = edit_since(marks_of(TEXT), grown)
    assert edit.only_grew
    assert edit.bound == {"h"}
    assert {"h", "y"} <= edit.words
    assert "SIZE" not in edit.words


@pytest.mark.parametrize(
    "changed",
    [
        f"{TEXT}\n\nh = 3\n",
        f"{TEXT}\n\nimport h\n",
        TEXT.replace("return x", "return 2 * x"),
        TEXT.replace("class C", "class D"),
        TEXT.replace("SIZE = 3\n", ""),
        TEXT.replace("def f", f"{NEW}\n\ndef f"),
        f"{TEXT}\n\n{NEW.replace('h', 'f')}",
        f"{TEXT}\n\ndef h():\n    global SIZE\n    SIZE = 4\n",
        f"{TEXT}\n\n{NEW}    return\nelse:\n",
        f'TEXT = """\n{TEXT}\n"""\n\n{NEW}',
    ],
)
def test_any_other_edit_is_no_growth(changed: str) -> None:
    assert not edit_since(marks_of(TEXT), changed).only_grew


def test_definitions_in_a_text_are_none() -> None:
    quoted = 'def f():\n    return """\ndef g():\n    pass\n"""\n'
    grown = quoted.replace("def g", f"{NEW}\n\ndef g")
    assert not edit_since(marks_of(quoted), grown).only_grew


def test_only_words_of_new_pieces_are_new() -> None:
    edit = edit_since(marks_of(TEXT), TEXT.replace("return x", "return 2 * x"))
    assert "no_grad" not in edit.words
    assert {"f", "x"} <= edit.words


def test_lines_between_statements_make_no_difference() -> None:
    assert edit_since(marks_of(TEXT), TEXT.replace("\n\n\n", "\n\n")).words == frozenset()
