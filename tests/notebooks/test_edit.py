"""Edits put back into notebooks."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deepperf.notebooks.cells import Notebook, read_notebook
from deepperf.notebooks.edit import apply_to_notebook
from deepperf.records import Edit

CONTENT = {
    "cells": [
        {"cell_type": "markdown", "source": ["Größe \U0001f600"]},
        {
            "cell_type": "code",
            "source": ["%matplotlib inline\n", "x = 'ä'\n", "y = f(x)"],
            "outputs": [{"text": ["</b>", "ä"], "n": 1.50}],
        },
        {"cell_type": "code", "source": "z = 1\nz = 2\n", "metadata": {"source": [1]}},
    ],
    "nbformat": 4,
}
STYLES = {
    "as Jupyter writes": {"indent": 1, "ensure_ascii": False},
    "escaped": {"indent": 4},
    "in one line": {"separators": (",", ":")},
}


def read(data: bytes) -> Notebook:
    notebook = read_notebook("a.ipynb", data)
    assert isinstance(notebook, Notebook), notebook
    return notebook


def edit_of(notebook: Notebook, old: str, new: str) -> Edit:
    start = notebook.text.index(old)
    return Edit(start, start + len(old), new)


@pytest.mark.parametrize("style", STYLES.values(), ids=STYLES.keys())
@pytest.mark.parametrize("tail", ["", "\n", "\r\n \n"])
def test_only_the_touched_lines_change(style: dict[str, object], tail: str) -> None:
    def written(content: object) -> bytes:
        return (json.dumps(content, **style) + tail).encode()  # type: ignore[arg-type]

    notebook = read(written(CONTENT))
    edits = [edit_of(notebook, "f(x)", "g('ö',\n  x)"), edit_of(notebook, "z = 2", "z = 'ü'")]
    expected = json.loads(json.dumps(CONTENT))
    expected["cells"][1]["source"][2:] = ["y = g('ö',\n", "  x)"]
    expected["cells"][2]["source"] = "z = 1\nz = 'ü'\n"
    assert apply_to_notebook(notebook, edits) == written(expected)


def test_without_edits_the_bytes_are_the_same() -> None:
    data = b'{"cells" : [ ] , "x":1e3}\n\n'
    assert apply_to_notebook(read(data), []) == data


def test_lines_that_stay_keep_their_spelling() -> None:
    data = rb'{"cells":[{"source" : [ "a = \"\u00e4\\n\/\"\n" ,"b"],"cell_type":"code"}]}'
    notebook = read(data)
    changed = apply_to_notebook(notebook, [edit_of(notebook, "b", "c")])
    assert changed == data.replace(b'"b"', b'"c"')


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-32", "utf-16-le"])
def test_the_encoding_stays(encoding: str) -> None:
    data = json.dumps(CONTENT, ensure_ascii=False).encode(encoding)
    notebook = read(data)
    changed = apply_to_notebook(notebook, [edit_of(notebook, "f(x)", "h(x)")])
    assert changed.decode(encoding) == data.decode(encoding).replace("f(x)", "h(x)")
    assert changed[:4] == data[:4]


def test_cells_of_worksheets_are_edited() -> None:
    cell = {"cell_type": "code", "input": ["a = 1"]}
    content = {"worksheets": [{"cells": []}, {"cells": [{"cell_type": "markdown"}, cell]}]}
    notebook = read(json.dumps(content).encode())
    changed = json.loads(apply_to_notebook(notebook, [edit_of(notebook, "1", "2")]))
    assert changed["worksheets"][1]["cells"][1]["input"] == ["a = 2"]


def test_cutting_the_last_line_leaves_the_next_cell_alone() -> None:
    notebook = read(json.dumps(CONTENT).encode())
    changed = json.loads(apply_to_notebook(notebook, [edit_of(notebook, "y = f(x)\n", "")]))
    assert changed["cells"][1]["source"] == ["%matplotlib inline\n", "x = 'ä'\n"]
    assert changed["cells"][2]["source"] == "z = 1\nz = 2\n"


def test_edits_that_overlap_or_leave_their_cell_are_refused() -> None:
    notebook = read(json.dumps(CONTENT).encode())
    with pytest.raises(ValueError, match="leaves its cell"):
        apply_to_notebook(notebook, [Edit(0, len(notebook.text), "")])
    with pytest.raises(ValueError, match="overlap"):
        apply_to_notebook(notebook, [Edit(0, 3, ""), Edit(2, 4, "")])


@given(
    st.lists(st.text(alphabet='ab=\n\r\x0c\u2028é"\\'), min_size=1),
    st.sampled_from(list(STYLES.values())),
    st.text(alphabet='xyé\n\\"'),
    st.data(),
)
def test_an_inserted_text_is_read_back(
    sources: list[str], style: dict[str, object], text: str, data: st.DataObject
) -> None:
    cells = [
        {"cell_type": "code", "source": source.splitlines(keepends=True)} for source in sources
    ]
    notebook = read(json.dumps({"cells": cells}, **style).encode())  # type: ignore[arg-type]
    index = data.draw(st.integers(0, len(sources) - 1))
    offset = data.draw(st.integers(0, len(sources[index])))
    start = notebook.cells[index].start + offset
    changed = read(apply_to_notebook(notebook, [Edit(start, start, text)]))
    expected = [*sources]
    expected[index] = sources[index][:offset] + text + sources[index][offset:]
    assert [cell.source for cell in changed.cells] == expected
