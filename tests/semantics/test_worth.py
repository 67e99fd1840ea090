"""Whether what the turns of a loop cost would be felt, as far as a program's text tells."""

from __future__ import annotations

import pytest

from deepperf.semantics.files.project import Project
from deepperf.semantics.text.source import Source, read_source
from deepperf.semantics.view import FileView, Loop, Update, view_file

HEAD = """
import numpy as np
import keras
import numba
import torch

"""


def file_of(program: str) -> FileView:
    source = read_source("main.py", (HEAD + program).encode())
    assert isinstance(source, Source)
    return view_file(Project({"main.py": source}), "main.py")


def loops_of(program: str) -> list[Loop]:
    return list(file_of(program).loops())


def updates_of(program: str) -> list[Update]:
    return list(file_of(program).updates())


def is_felt(program: str, header: str, framework: str) -> bool:
    return next(loop.is_felt(framework) for loop in loops_of(program) if loop.header == header)


@pytest.mark.parametrize(
    "header",
    [
        "for row in rows",
        "for i in range(len(rows))",
        "for i in range(rows.shape[0])",
        "for i in range(np.shape(rows)[0])",
        "for value in things.tolist()",
        "for i in range(5000)",
        "for user, group in things.groupby('user_id')",
    ],
)
def test_numbers_set_one_by_one_are_felt_where_there_is_one_for_each_row(header: str) -> None:
    program = f"def f(rows: np.ndarray, things, out):\n    {header}:\n        out[i] = 1\n"
    assert is_felt(program, header, "numpy")


@pytest.mark.parametrize(
    "header",
    [
        "for thing in things",
        "for store, group in things.groupby('store_id')",
        "for i in range(count)",
        "for i in range(len(rows.shape))",
        "for i in range(rows.ndim)",
        "for i in range(len(patch_size))",
        "for i in range(20)",
    ],
)
def test_numbers_set_one_by_one_are_not_felt_where_there_may_be_few(header: str) -> None:
    program = (
        "def f(rows: np.ndarray, things, count, patch_size, out):\n"
        f"    {header}:\n        out[i] = 1\n"
    )
    assert not is_felt(program, header, "numpy")


def test_two_loops_of_unknown_length_within_each_other_are_many_turns() -> None:
    program = (
        "def f(height, width, out):\n    for y in range(height):\n"
        "        for x in range(width):\n            out[y, x] = 1\n"
    )
    assert is_felt(program, "for x in range(width)", "numpy")


def test_few_numbers_for_each_of_few_things_are_felt_only_where_they_come_again() -> None:
    program = (
        "def f(states, actions, out):\n    for s in range(states):\n"
        "        for a in range(actions):\n            out[s, a] = 1\n"
    )
    header = "for a in range(actions)"
    assert not is_felt(program, header, "numpy")
    assert is_felt(f"{program}\nwhile True:\n    f(states, actions, out)\n", header, "numpy")


@pytest.mark.parametrize("many", ["range(width)", "training_texts", "range(len(x_train))"])
def test_tens_of_tens_are_felt_where_a_name_tells_of_a_picture_or_a_data_set(many: str) -> None:
    program = (
        f"def f(width, training_texts, x_train, out):\n    for s in {many}:\n"
        "        for a in s:\n            out[s, a] = 1\n"
    )
    assert is_felt(program, "for a in s", "numpy")


@pytest.mark.parametrize(
    ("loop", "beside"),
    [
        ("for point in points", "image = np.exp(np.log(image)) * np.sum(np.abs(image)); " * 2),
        ("for point in points", "keras.utils.load_img(path)"),
        ("for point in points", "image = crop(flip(scale(image), blur(rotate(image)))); " * 2),
    ],
)
def test_a_few_numbers_are_nothing_beside_what_a_turn_does_to_an_array(
    loop: str, beside: str
) -> None:
    program = (
        "def f(paths, points, image, out):\n    for path in paths:\n{beside}"
        f"        {loop}:\n            out[i] = 1\n"
    )
    with_work = program.replace("{beside}", f"        {beside}\n")
    called = "\nwhile True:\n    f(paths, points, image, out)\n"
    assert not is_felt(with_work + called, loop, "numpy")
    assert is_felt(program.replace("{beside}", "") + called, loop, "numpy")


def test_a_few_turns_that_work_themselves_are_felt_beside_as_much() -> None:
    program = (
        "def f(values, images: np.ndarray, size, out):\n    for image in images:\n"
        "        image = np.exp(np.log(image)) * np.sum(np.abs(image)) * np.max(image)\n"
        "        image = np.exp(np.log(image)) * np.sum(np.abs(image)) * np.max(image)\n"
        "        for i in range(size):\n            out[i] = {}\n"
    )
    assert not is_felt(program.format("values[i]"), "for i in range(size)", "numpy")
    assert is_felt(program.format("np.sin(np.cos(values[i]))"), "for i in range(size)", "numpy")


def test_lists_are_as_long_as_what_they_were_made_from() -> None:
    program = (
        "def f(batches, self):\n    for batch in batches:\n"
        "        orders = [torch.randperm(9) for _ in range({})]\n"
        "        x = [batch[order] for order in orders]\n"
    )
    assert is_felt(program.format("self.count"), "for order in orders", "torch")
    assert not is_felt(program.format("self.ensemble_size"), "for order in orders", "torch")


def test_one_pass_over_rows_is_not_felt_in_a_function_that_does_far_more() -> None:
    program = (
        "def f(rows: np.ndarray, x, count, out):\n    for row in rows:\n        out[i] = 1\n"
        "{}        x = np.exp(np.log(x)) * np.sum(np.abs(x))\n"
    )
    assert is_felt(program.format("    if count:\n"), "for row in rows", "numpy")
    assert not is_felt(program.format("    for j in range(count):\n"), "for row in rows", "numpy")


def test_numbers_of_all_rows_are_felt_beside_a_few_operations() -> None:
    program = (
        "def f(images, rows: np.ndarray, out):\n    for image in images:\n"
        "        np.exp(image); np.log(image); np.sum(image); np.abs(image)\n"
        "        for row in rows:\n            out[i] = 1\n"
    )
    assert is_felt(program, "for row in rows", "numpy")


@pytest.mark.parametrize(
    "before",
    [
        "def f(rows: np.ndarray, out):\n    {loop}",
        "import matplotlib.pyplot as plt\n\ndef g(rows: np.ndarray, out):\n    {loop}",
    ],
)
def test_one_pass_over_rows_is_felt_in_functions_that_may_run_again(before: str) -> None:
    loop = "for row in rows:\n        out[i] = 1\n"
    assert is_felt(before.format(loop=loop), "for row in rows", "numpy")


@pytest.mark.parametrize(
    "program",
    [
        "rows = np.zeros((n, 3))\nfor row in rows:\n    out[i] = 1\n",
        "def predict(rows: np.ndarray, out):\n    for row in rows:\n        out[i] = 1\n",
        (
            "import matplotlib.pyplot as plt\n\ndef show(rows: np.ndarray, out):\n"
            "    for row in rows:\n        out[i] = 1\n    plt.plot(out)\n"
        ),
        (
            "def train(self, rows: np.ndarray, out):\n"
            "    for row in rows:\n        out[i] = 1\n    self.model.fit(rows, out)\n"
        ),
    ],
)
def test_one_pass_over_rows_is_not_felt_in_what_runs_once_or_shows_or_trains(program: str) -> None:
    assert not is_felt(program, "for row in rows", "numpy")


@pytest.mark.parametrize(
    "header",
    [
        "for size in rows.shape[1:]",
        "for i in range(self.order + 1)",
        "for i in range(spatial_rank)",
    ],
)
def test_axes_and_powers_are_few(header: str) -> None:
    program = (
        "def f(self, rows: np.ndarray, spatial_rank, out):\n    for row in rows:\n"
        f"        {header}:\n            out[i] = 1\n"
    )
    assert not is_felt(program.replace("    for row in rows:\n    ", ""), header, "numpy")


def test_what_differs_in_an_array_is_less_than_its_rows() -> None:
    program = (
        "def f(labels, out):\n    kinds, counts = np.unique(labels, return_counts=True)\n"
        "    for kind in kinds:\n        out[kind] = 1\n"
    )
    assert not is_felt(program, "for kind in kinds", "numpy")


@pytest.mark.parametrize(
    "answer",
    ["model.predict(x).T[0]", "np.argmax(model.predict(x), axis=1)", "model.predict(x).ravel()"],
)
def test_what_a_model_answered_stays_so_in_another_form(answer: str) -> None:
    program = (
        f"def f(x, out):\n    model = keras.Sequential()\n    answers = {answer}\n"
        "    for row in answers:\n        out[i] = 1\n"
    )
    assert not is_felt(program, "for row in answers", "numpy")


def test_a_list_of_arrays_is_no_array_whose_places_could_be_set_at_once() -> None:
    program = (
        "def f(xs):\n    grids = list(torch.meshgrid(xs, indexing='ij'))\n"
        "    for i in range(len(grids)):\n        grids[i] = grids[i].reshape(-1)\n"
    )
    assert updates_of(program) == []


def test_numbers_of_a_batch_are_not_felt_beside_the_step_that_they_are_for() -> None:
    program = (
        "def f(model, targets: np.ndarray, out):\n    for i in range(len(targets)):\n"
        "        out[i] = targets[i]\n    model.train_on_batch(targets, out)\n"
    )
    assert not is_felt(program, "for i in range(len(targets))", "numpy")


def test_some_dispatched_operations_are_felt_in_what_is_run_for_each_batch_only() -> None:
    loop = "        for i in range(self.count):\n            out[i] = x[i]\n"
    forward = f"class Net(torch.nn.Module):\n    def forward(self, x, out):\n{loop}"
    once = f"class Net(torch.nn.Module):\n    def describe(self, x, out):\n{loop}"
    assert is_felt(forward, "for i in range(self.count)", "torch")
    assert not is_felt(once, "for i in range(self.count)", "torch")


def test_what_a_batch_loop_calls_runs_often_however_few_the_batches() -> None:
    program = (
        "def pick(x, names):\n    for name in names:\n        out[name] = x[name]\n\n"
        "def train(x, names):\n    for start in range(0, 512, 64):\n        pick(x, names)\n"
    )
    assert is_felt(program, "for name in names", "torch")


@pytest.mark.parametrize("decorator", ["numba.njit", "numba.jit(nopython=True)", "numba.vectorize"])
def test_loops_that_numba_compiles_run_natively(decorator: str) -> None:
    program = f"@{decorator}\ndef f(x):\n    for i in range(len(x)):\n        x[i] = 0\n"
    source = read_source("main.py", (HEAD + program).encode())
    assert isinstance(source, Source)
    assert all(
        loop.runs_natively for loop in view_file(Project({"main.py": source}), "main.py").loops()
    )


def test_methods_of_a_class_that_numba_compiles_run_natively() -> None:
    program = (
        "from numba.experimental import jitclass\n@jitclass(spec=[])\nclass Box:\n"
        "    def clip(self, x):\n        for i in range(len(x)):\n            x[i] = 0\n"
    )
    source = read_source("main.py", (HEAD + program).encode())
    assert isinstance(source, Source)
    assert all(
        loop.runs_natively for loop in view_file(Project({"main.py": source}), "main.py").loops()
    )


@pytest.mark.parametrize(
    "line",
    [
        "image[w] = np.logical_or(image[w], p)",
        "image[w] = 0.7 * image[w] + 0.3 * p",
    ],
)
def test_turns_that_go_on_from_what_is_at_a_place_are_no_updates(line: str) -> None:
    program = (
        "def f(where, points, image: np.ndarray):\n"
        f"    for w, p in zip(where, points):\n        {line}\n"
    )
    assert not updates_of(program)


def test_turns_that_add_up_at_a_place_are_updates() -> None:
    program = (
        "def f(where, points, image: np.ndarray):\n"
        "    for w, p in zip(where, points):\n        image[w] += p\n"
    )
    assert updates_of(program)


@pytest.mark.parametrize(("depth", "count"), [("9", 1), ("depths[i]", 0)])
def test_one_hot_arrays_are_made_at_once_where_they_are_equally_deep(
    depth: str, count: int
) -> None:
    program = (
        "import torch.nn.functional as F\ndef f(x: torch.Tensor, depths):\n    found = []\n"
        f"    for i in range(x.shape[1]):\n        found.append(F.one_hot(x[:, i], {depth}))\n"
        "    return torch.cat(found, dim=-1)\n"
    )
    assert len(updates_of(program)) == count


def test_who_is_asked_about_first_changes_no_answer() -> None:
    program = """
def innermost(rows):
    for i in range(len(rows)):
        rows[i] = torch.exp(rows[i])

def inner(rows):
    innermost(rows)

def middle(rows):
    inner(rows)

def outer(rows):
    for k in range(len(rows)):
        rows[k] = torch.exp(rows[k])
    middle(rows)

class Net(torch.nn.Module):
    def forward(self, rows):
        return outer(rows)
"""
    found = {
        number: [loop.is_felt("torch") for loop in loops_of(program)[::number]]
        for number in (1, -1)
    }

    assert found[1] == found[-1][::-1]
    assert found[1][1]


def test_samples_are_drawn_again_and_again_and_plots_now_and_then() -> None:
    program = "def {}(rows: np.ndarray, out):\n    for row in rows:\n        out[0] = row\n"

    assert is_felt(program.format("draw_starts"), "for row in rows", "numpy")
    assert not is_felt(program.format("plot_starts"), "for row in rows", "numpy")
