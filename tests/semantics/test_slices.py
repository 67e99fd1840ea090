"""What a turn of a loop takes of arrays, and whether functions of one slice take all of them."""

from __future__ import annotations

import pytest

from deepperf.semantics.files.project import Project
from deepperf.semantics.frameworks.versions import admitted_versions
from deepperf.semantics.text.source import Source, read_source
from deepperf.semantics.view import Call, FileView, Taken, view_file


def file_of(text: str) -> FileView:
    source = read_source("main.py", text.encode())
    assert isinstance(source, Source)
    return view_file(Project({"main.py": source}, admitted_versions({})), "main.py")


def call_of(text: str, name: str) -> Call:
    return next(call for call in file_of(text).calls() if call.last_name == name)


LOOP = """
import torch

def run(table, rows: torch.Tensor, count, step):
    width = table.shape[1]
    state = torch.zeros(3)
    kept = []
    for i in range(count):
        row = rows[i]
        state = state + row
        kept.append(torch.relu({}))
    return kept
"""


@pytest.mark.parametrize(
    ("expression", "answer"),
    [
        ("width", Taken.FIXED),
        ("i + 1", Taken.COUNTER),
        ("rows[i]", Taken.SLICE),
        ("table[:, i]", Taken.SLICE),
        ("row.abs() * width", Taken.SLICE),
        ("table[i] - row", Taken.SLICE),
        ("count[i]", Taken.ELEMENT),
        ("rows[i : i + step]", Taken.OTHER),
        ("rows[i][row > 0]", Taken.OTHER),
        ("state", Taken.OTHER),
        ("kept[-1]", Taken.OTHER),
        ("unknown(row)", Taken.OTHER),
    ],
)
def test_an_expression_takes_of_its_turn(expression: str, answer: Taken) -> None:
    call = call_of(LOOP.format(expression), "relu")
    assert call.arguments[0].taken_in(call.loops[0]) is answer


def kept_by_its_loop(body: str) -> bool:
    text = f"import torch\ntotal, found = 0.0, {{}}\nfor i, row in enumerate(rows):\n    {body}\n"
    call = call_of(text, "relu")
    return call.is_kept_by(call.loops[0])


@pytest.mark.parametrize(
    "body",
    [
        "kept.append(torch.relu(row))",
        "kept.append(torch.relu(row).sum() / 2)",
        "y = torch.relu(row); z = y + 1; kept.append(z)",
        "kept[i] = torch.relu(row)",
        "total += torch.relu(row).sum()",
    ],
)
def test_a_result_is_kept_in_each_turn(body: str) -> None:
    assert kept_by_its_loop(body)


@pytest.mark.parametrize(
    "body",
    ["total = torch.relu(row)", "print(torch.relu(row))", "found[row] = torch.relu(row)"],
)
def test_what_the_next_turn_replaces_is_not_kept(body: str) -> None:
    assert not kept_by_its_loop(body)


@pytest.mark.parametrize(
    ("function", "operations"),
    [
        ("lambda r: tf.math.top_k(r, 3).values", ["tf.math.top_k"]),
        ("lambda r: r // 3 + r % 3", ["//", "%", "+"]),
        ("lambda r: tf.map_fn(lambda v: v * 2.0, r)", ["*"]),
        ("tf.reduce_sum", ["tf.reduce_sum"]),
        ("partial(tf.math.top_k, k=2)", ["partial(tf.math.top_k, k=2)"]),
        ("lambda p: tf.gather(p[0], p[1])", ["tf.gather"]),
        ("lambda i: table[i]", ["[]"]),
    ],
)
def test_a_function_of_one_slice_is_made_of_operations(
    function: str, operations: list[str]
) -> None:
    head = "import tensorflow as tf\nfrom functools import partial\ntable = tf.ones((4, 4))\n"
    work = call_of(f"{head}tf.map_fn({function}, x)\n", "map_fn").arguments[0].row_work
    assert work is not None
    assert [operation.called for operation in work.operations] == operations


@pytest.mark.parametrize(
    "function",
    [
        "lambda r: r[0]",
        "lambda r: tf.boolean_mask(r, r > 0)",
        "lambda r: tf.range(r)",
        "lambda r: r[: r[0]]",
        "lambda r: r[r > 0]",
        "lambda r: tf.where(r)",
        "lambda r: r + tf.random.normal(())",
        "lambda r: unknown(r)",
        "lambda r: tf.io.decode_png(r)",
        "lambda r: tf.tile([1.0], [r])",
        "lambda r: [v * 2 for v in r]",
    ],
)
def test_of_other_functions_nothing_is_said(function: str) -> None:
    text = f"import tensorflow as tf\ntf.map_fn({function}, x)\n"
    assert call_of(text, "map_fn").arguments[0].row_work is None


def test_rows_that_a_loop_cuts_off_of_themselves_are_sliced_all_the_same() -> None:
    text = """
import numpy as np
import tensorflow as tf

def shrunk(images: np.ndarray, count):
    rows = np.stack(images)
    while len(rows) > count:
        rows = rows[1:]
    found = []
    for row in rows:
        found.append(tf.math.softmax(row))
    return tf.stack(found)
"""
    file = file_of(text)
    call = next(call for call in file.calls() if call.last_name == "softmax")
    loop = next(loop for loop in file.loops() if loop.header == "for row in rows")
    assert call.taken_in(loop) is Taken.SLICE
