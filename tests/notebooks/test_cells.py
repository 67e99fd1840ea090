"""Notebooks read as one virtual file."""

from __future__ import annotations

import ast
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deepperf.notebooks.cells import Notebook, read_notebook
from deepperf.notebooks.magics import without_magics
from deepperf.records import Failure, Role


def notebook_of(*sources: object, **metadata: object) -> bytes:
    cells = [{"cell_type": "code", "source": source, "outputs": []} for source in sources]
    return json.dumps({"cells": cells, "metadata": metadata, "nbformat": 4}).encode()


def read(data: bytes) -> Notebook:
    notebook = read_notebook("a.ipynb", data)
    assert isinstance(notebook, Notebook), notebook
    return notebook


def test_code_cells_are_joined_in_their_order() -> None:
    content = {
        "cells": [
            {"cell_type": "markdown", "source": ["# Title"]},
            {"cell_type": "code", "source": ["import os\n", "x = 1"]},
            {"cell_type": "raw", "source": "raw"},
            {"cell_type": "code", "source": "y = 2\n"},
        ]
    }
    notebook = read(json.dumps(content).encode())
    assert notebook.text == "import os\nx = 1\ny = 2\n\n"
    assert [notebook.cell_line(line) for line in (1, 2, 3, 4)] == [(1, 1), (1, 2), (2, 1), (2, 2)]


def test_a_notebook_of_format_3_is_read() -> None:
    cell = {"cell_type": "code", "language": "python", "input": ["x = 1"]}
    shell = {"cell_type": "code", "language": "bash", "input": "ls ("}
    sheets = [{"cells": [cell, shell]}, {"cells": [cell]}]
    notebook = read(json.dumps({"worksheets": sheets, "nbformat": 3}).encode())
    assert notebook.text.split() == ["x", "=", "1", "x", "=", "1"]
    assert notebook.cell_line(3) == (3, 1)


@pytest.mark.parametrize(
    ("magic", "python"),
    [
        ("%matplotlib inline", "pass"),
        ("!pip install 'it", "pass"),
        ("!x", "0"),
        ("if a:\n    %cd b\nc", "if a:\n    pass\nc"),
        ("tf.data?", "pass"),
        ("?tf.data", "pass"),
        ("files = !ls (", "files = 0"),
        ("a, b = %sql select", "a, b = 0"),
        ("%time y = f(x)", "if 1: y = f(x)"),
        ("%timeit -n 10 f(x)", "if 1: f(x)"),
        ("%time for x in y: z", "pass"),
        ("%%time\ny = f(x)", "y = f(x)"),
        ("%%deepperf run\ny = f(x)", "y = f(x)"),
        ("%%bash\nls (\n", ""),
        ("!a \\\n  b (\nc = 1", "pass\nc = 1"),
        ("x = ('%s'\n  % y)", "x = '%s' % y"),
        ("x = '''\n%y\n!z\n'''", "x = '\\n%y\\n!z\\n'"),
        ("x = y  # really?", "x = y"),
        ("%cd a\r\nx = 1\r\n!ls .", "pass\nx = 1\npass"),
        ("cd ../data", "pass"),
        ("x = 1\npip install 'torch>=2' tqdm\ny = x", "x = 1\npass\ny = x"),
        ("ls *.csv\nload = 1\ntime\nrun (load)", "pass\nload = 1\ntime\nrun(load)"),
        ("ls", "ls"),
        ("x = '''\ncd ../data\n'''", "x = '\\ncd ../data\\n'"),
    ],
)
def test_magics_become_python_without_moving_anything(magic: str, python: str) -> None:
    plain = without_magics(magic)
    assert ast.unparse(ast.parse(plain)) == ast.unparse(ast.parse(python))
    assert len(plain) == len(magic)
    kept = [index for index, character in enumerate(magic) if character in "\r\n"]
    assert kept == [index for index, character in enumerate(plain) if character in "\r\n"]


def test_a_cell_that_does_not_parse_costs_no_other_cell() -> None:
    notebook = read(notebook_of("a = 1", "b = (\n", "c = 3\nd = = 4", "e = 5"))
    assert ast.unparse(ast.parse(notebook.text)) == "a = 1\ne = 5"
    assert [str(failure.location) for failure in notebook.failures] == [
        "a.ipynb:cell 2:1:1",
        "a.ipynb:cell 3:2:1",
    ]
    assert notebook.text.index("e") == notebook.cells[3].start


@pytest.mark.parametrize(
    ("cell", "python"),
    [
        ("    x = 1\n    y = 2", "x = 1\ny = 2"),
        ("  # why\n  for x in y:\n      z(x)\n", "for x in y:\n    z(x)"),
        ("    %matplotlib inline\nx = 1", "pass\nx = 1"),
        ("\tx = 1\ny = 2", "x = 1\ny = 2"),
        ("  # an indented comment\nx = 1", "x = 1"),
    ],
)
def test_a_cell_may_be_indented(cell: str, python: str) -> None:
    notebook = read(notebook_of("a = 1", cell, "b = 2"))
    _, *inner, last = ast.parse(notebook.text).body
    if isinstance(inner[0], ast.If):
        inner = [*inner[0].body, *inner[1:]]

    assert not notebook.failures
    assert ast.unparse(ast.Module(inner, [])) == python
    assert notebook.cell_line(last.lineno) == (3, 1)
    for one in notebook.cells[1:]:
        assert notebook.text.count("\n", 0, one.start) + 1 == one.line
    start = notebook.cells[1].start
    assert notebook.text[start : start + len(cell)].splitlines()[-1] == cell.splitlines()[-1]


def test_an_indented_cell_with_an_error_is_lost_alone() -> None:
    notebook = read(notebook_of("a = 1", "    b = = 2", "c = 3"))

    assert [str(failure.location) for failure in notebook.failures] == ["a.ipynb:cell 2:1:5"]
    assert ast.unparse(ast.parse(notebook.text)) == "a = 1\nc = 3"


def test_a_python_2_cell_is_kept() -> None:
    assert read(notebook_of("print x", "y = 1")).failures == ()


def test_cells_whose_line_ends_differ_are_counted_right() -> None:
    notebook = read(notebook_of("a\r\nb\r", "c\x0cd", "e"))
    line = notebook.text[: notebook.text.index("e")].replace("\r\n", "\n").replace("\r", "\n")
    assert notebook.cell_line(line.count("\n") + 1) == (3, 1)


def test_another_language_has_no_code() -> None:
    assert read(notebook_of("x <- 1", kernelspec={"language": "R"})).cells == ()


def test_the_role_is_judged_by_the_path() -> None:
    notebook = read_notebook("docs/a.ipynb", notebook_of("x"))
    assert isinstance(notebook, Notebook)
    assert notebook.role is Role.EXAMPLE


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", "empty"),
        (b" \n", "empty"),
        (b"{", "line 1, column 2"),
        (b"\xff\xff\xff", "UTF-8"),
        (b"[]", "no notebook"),
        (b'{"cells": 3}', "no notebook"),
        (b"[" * 200_000, "nested"),
    ],
)
def test_what_is_no_notebook_is_said_in_one_line(data: bytes, said: str) -> None:
    failure = read_notebook("b.ipynb", data)
    assert isinstance(failure, Failure)
    assert failure.location.path == "b.ipynb"
    assert said in failure.message
    assert "\n" not in failure.message


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.text()
    | st.sampled_from(["code", "%x (", "a b"]),
    lambda inner: (
        st.lists(inner)
        | st.dictionaries(
            st.sampled_from(["cells", "source", "cell_type", "worksheets", "input", "metadata"]),
            inner,
        )
    ),
)


@given(st.binary() | JSON.map(lambda value: json.dumps(value).encode()))
def test_reading_never_raises(data: bytes) -> None:
    assert isinstance(read_notebook("c.ipynb", data), (Notebook, Failure))


@given(st.lists(st.text(alphabet="a=()'\"%!?\n\r\\ \x0cé:#")))
def test_magics_never_move_anything(sources: list[str]) -> None:
    notebook = read(notebook_of(*sources))
    added = notebook.text.count("if 1:\n")  # before cells that are indented
    assert len(notebook.text) == sum(len(source) + 1 for source in sources) + 6 * added
    for cell, source in zip(notebook.cells, sources, strict=True):
        assert cell.source == source
        assert notebook.cell_line(cell.line) == (cell.number, 1)
