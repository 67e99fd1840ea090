"""What a loop does again in each turn for the same operands."""

from __future__ import annotations

import pytest

from deepperf.rules.training_loop.loop_invariant_op.asked import asked_again
from deepperf.semantics.files.project import Project
from deepperf.semantics.query import file_of
from deepperf.semantics.text.source import Source, read_source
from deepperf.semantics.view import view_file


def repeated(body: str, **others: str) -> list[str]:
    """The operations that the loops and hooks of a file repeat, and the models that they ask."""
    files = {"main.py": f"import numpy as np\nimport torch\n{body}"}
    files |= {f"{name}.py": text for name, text in others.items()}
    sources = {}
    for path, text in files.items():
        source = read_source(path, text.encode())
        assert isinstance(source, Source)
        sources[path] = source
    project = Project(sources)
    view = view_file(project, "main.py")
    turning = (*view.loops(), *view.step_hooks)
    operations = [work.operation.text for loop in turning for work in loop.repeated_work()]
    functions = file_of(project, "main.py").functions()
    asked = [run.calls[-1].text for one in functions for run in asked_again(one)]
    return [*operations, *asked]


def test_an_operation_on_what_the_loop_leaves_alone_is_repeated() -> None:
    assert repeated("def f(xs, a):\n    for x in xs:\n        print(x @ np.linalg.inv(a))\n") == [
        "np.linalg.inv(a)"
    ]


def test_an_operation_on_the_loop_variable_is_not_repeated() -> None:
    assert repeated("def f(xs):\n    for x in xs:\n        print(np.linalg.inv(x))\n") == []


def test_what_depends_on_a_name_of_the_loop_is_not_repeated() -> None:
    body = "def f(xs, a):\n    for x in xs:\n        a = a + x\n        print(np.linalg.inv(a))\n"
    assert repeated(body) == []


def test_an_array_that_the_loop_writes_to_changes() -> None:
    body = "def f(xs, a):\n    for i, x in xs:\n        a[i] = x\n        print(np.linalg.inv(a))\n"
    assert repeated(body) == []


def test_methods_that_sum_up_an_array_leave_it_alone() -> None:
    body = (
        "def f(points, labels, turns):\n"
        "    for turn in range(turns):\n"
        "        print(np.linalg.norm(points, axis=1))\n"
        "        labels = [points[labels == k].mean(0) for k in range(9)]\n"
    )
    assert repeated(body) == ["np.linalg.norm(points, axis=1)"]


def test_a_method_that_sorts_an_array_changes_it() -> None:
    body = (
        "def f(points, turns):\n"
        "    for turn in range(turns):\n"
        "        print(np.linalg.norm(points, axis=1))\n"
        "        points.sort()\n"
    )
    assert repeated(body) == []


def test_an_array_that_a_closure_writes_to_changes() -> None:
    body = """
def f(xs):
    kept = []
    def keep(x):
        kept.append(x)
    for x in xs:
        keep(x)
        print(np.stack(kept))
"""
    assert repeated(body) == []


def test_work_is_found_through_functions_of_other_files() -> None:
    helper = "import torch\ndef mask(n):\n    return torch.triu(torch.ones(n, n))\n"
    body = "from helper import mask\ndef f(xs, n):\n    for x in xs:\n        print(x + mask(n))\n"
    assert repeated(body, helper=helper) == ["torch.triu(torch.ones(n, n))"]


def test_an_object_that_a_method_changes_in_the_loop_gives_something_else() -> None:
    body = """
class Mean:
    def __init__(self, width):
        self.value = np.zeros(width)
    def push(self, x):
        self.value = self.value + x
    def spread(self):
        return np.linalg.norm(self.value)

def f(xs):
    mean = Mean(3)
    for x in xs:
        mean.push(x)
        print(mean.spread())
"""
    assert repeated(body) == []


def test_what_is_remembered_is_computed_once() -> None:
    body = """
class Table:
    def __init__(self, rows):
        self.rows = rows
        self.unit = None
    def get(self):
        if self.unit is None:
            self.unit = torch.nn.functional.normalize(self.rows)
        return self.unit

def f(xs, table: Table):
    for x in xs:
        print(x @ table.get())
"""
    assert repeated(body) == []


def test_a_wrapper_that_leads_back_to_itself_ends() -> None:
    body = """
import functools
def f(xs, g):
    for x in xs:
        g = functools.partial(g, x)
    return g(np.linalg.inv(xs))
"""
    assert repeated(body) == []


def test_a_list_that_a_loop_makes_longer_by_itself_ends() -> None:
    body = """
def f(steps, table):
    found, kept = [], []
    while len(found) < 10:
        step = np.linalg.inv(table)
        found += [step.squeeze(1)]
        kept += [step]
    return np.stack(found), np.stack(kept)

def g(rows, table):
    for row in rows:
        print(f(row, table))
"""
    assert repeated(body) == ["np.linalg.inv(table)"]


def test_what_a_wrapper_gives_that_leads_back_to_itself_is_not_known() -> None:
    body = """
import functools
def f(xs, g, hooks):
    for hook in hooks:
        g = functools.partial(g, hook)
    for x in xs:
        print(g(x) + np.linalg.inv(xs))
"""
    assert repeated(body) == ["np.linalg.inv(xs)"]


def test_the_outermost_loop_is_named() -> None:
    body = """
def f(xs, ys, a):
    for x in xs:
        for y in ys:
            print(x, y, np.linalg.inv(a))
"""
    source = read_source("main.py", f"import numpy as np\n{body}".encode())
    assert isinstance(source, Source)
    view = view_file(Project({"main.py": source}), "main.py")
    loops = [loop.header for loop in view.loops() if loop.repeated_work()]
    assert loops == ["for x in xs"]


SCALES = """
class Scales:
    def __init__(self, matrix):
        self.matrix, self.power = matrix, 1.0

    @property
    def inverse(self):
        return np.linalg.inv(self.matrix) * self.power

    def grow(self):
        self.power *= 2.0
"""


def test_what_a_property_computes_is_repeated_where_it_is_read() -> None:
    body = "def f(xs):\n    s = Scales(np.eye(9))\n    for x in xs:\n        print(x @ s.inverse)\n"
    assert repeated(SCALES + body) == ["np.linalg.inv(self.matrix)"]


def test_what_is_made_of_a_property_changes_with_what_the_property_reads() -> None:
    body = """
def f(xs):
    s = Scales(np.eye(9))
    for x in xs:
        s.grow()
        print(x @ np.linalg.inv(s.inverse))
"""
    assert repeated(SCALES + body) == ["np.linalg.inv(self.matrix)"]


def test_what_a_method_that_is_handed_on_writes_to_changes() -> None:
    body = """
class Worlds:
    def __init__(self, count):
        self.seen = [None] * count
    def step(self, actions):
        return {run}
    def advance(self, actions):
        for i, action in enumerate(actions):
            self.seen[i] = action
    def observed(self):
        return np.stack(self.seen)

def play(policy):
    worlds = Worlds(4)
    while True:
        print(policy * worlds.observed())
        worlds.step(policy)
"""
    assert repeated(body.replace("{run}", "actions")) == ["np.stack(self.seen)"]
    assert repeated(body.replace("{run}", "other_thread(self.advance, actions)")) == []


def test_what_a_model_keeps_of_its_last_call_is_not_the_same_in_each_turn() -> None:
    body = """
def f(self, batches):
    for batch in batches:
        {use}
        print(torch.stack(self.model.losses))
"""
    assert repeated(body.replace("{use}", "print(len(batch))")) == [
        "torch.stack(self.model.losses)"
    ]
    assert repeated(body.replace("{use}", "print(self.model(batch))")) == []


def test_what_a_function_computes_by_methods_of_its_argument_is_repeated() -> None:
    body = """
def normalized(adjacency: torch.Tensor):
    return adjacency * adjacency.sum(dim=1).rsqrt()

def f(batches, edges):
    adjacency = torch.zeros(4000, 4000)
    for batch in batches:
        print(batch @ normalized(adjacency))
"""
    assert repeated(body) == ["adjacency.sum(dim=1).rsqrt()"]


def test_a_method_of_an_array_is_an_operation_on_the_array() -> None:
    body = """
def f(rows):
    table = np.zeros((4000, 400))
    for row in rows:
        print(row - table.mean(axis=0))
"""
    assert repeated(body) == ["table.mean(axis=0)"]


def test_what_is_summed_up_along_an_axis_is_a_table() -> None:
    body = """
def nearest(table, rows):
    for row in rows:
        print(np.sum(table ** 2, axis=1) - 2 * table @ row)
"""
    assert repeated(body) == ["np.sum(table ** 2, axis=1)"]
    assert repeated(body.replace(", axis=1", "")) == []


MODEL = """
import torch.nn as nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 4)
        self.drop = nn.Dropout()
        self.asked = 1

    def forward(self, x):
        {forward}
        return self.drop(self.layer(x))


net = Net().eval()


def told(part):
    if isinstance(part, nn.Dropout):
        part.{mode}()


{applied}


def f(batches, shown):
    for batch in batches:
        {turn}
        print(batch - net(shown))
"""


def of_model(forward: str = "pass", turn: str = "pass", mode: str = "eval") -> list[str]:
    applied = "net.apply(told)" if mode == "train" else ""
    text = MODEL.replace("{forward}", forward).replace("{turn}", turn)
    return repeated(text.replace("{mode}", mode).replace("{applied}", applied))


def test_a_model_that_nothing_trains_answers_the_same() -> None:
    assert of_model() == ["net(shown)"]


def test_a_model_that_goes_on_from_its_last_call_answers_anew() -> None:
    assert of_model(forward="self.asked += 1; x = x * self.asked") == []


def test_a_model_whose_listed_parameters_are_changed_answers_anew() -> None:
    assert of_model(turn="for one in net.parameters(): one.data.add_(batch)") == []


def test_a_model_of_which_parts_are_told_to_train_answers_anew() -> None:
    assert of_model(mode="train") == []


WORDS = """
def encoded(size):
    return torch.linalg.svd(torch.full((400, 400), float(size)))[1]


def f(loader, sizes):
    for batch in loader:
        for size in {}:
            print(batch @ encoded(size))
"""


def test_what_a_turn_computes_for_each_thing_of_a_list_is_repeated() -> None:
    assert len(repeated(WORDS.replace("{}", "(16, 32, 64)"))) == 1


@pytest.mark.parametrize("made", ["sizes", "iter(sizes)", "(one for one in sizes)"])
def test_what_is_not_written_out_may_be_other_things_in_each_turn(made: str) -> None:
    assert repeated(WORDS.replace("{}", made)) == []


def test_what_a_case_computes_for_some_turns_is_not_repeated_in_each() -> None:
    body = """
def f(batches, a, kind):
    for batch in batches:
        match {asked}:
            case "turned":
                print(batch @ np.linalg.inv(a))
"""
    assert repeated(body.replace("{asked}", "batch.kind")) == []
    assert repeated(body.replace("{asked}", "kind")) == ["np.linalg.inv(a)"]


def test_an_array_that_is_added_to_rests_on_what_it_was_filled_with() -> None:
    function = (
        "def grids(a, count):\n"
        "    out = np.empty((count, 3, 3))\n"
        "    for i in np.arange(count):\n"
        "        out[i] = np.linalg.multi_dot([a.T, a])\n"
        "    out += np.identity(3)\n"
        "    return np.linalg.cholesky(out)\n\n\n"
    )
    same = "def f(xs, a):\n    for x in xs:\n        print(x @ grids(a, 40))\n"
    other = same.replace("print(", "a[0] = x\n        print(")
    assert repeated(function + same) == ["np.linalg.cholesky(out)", "np.empty((count, 3, 3))"]
    assert repeated(function + other) == []


def test_a_name_that_partial_binds_to_itself_again_is_followed_no_further() -> None:
    body = (
        "import functools\n\n\n"
        "def f(xs, g):\n"
        "    for x in xs:\n"
        "        g = functools.partial(g, x)\n"
        "        print(g(np.linalg.inv(x)))\n"
    )
    assert repeated(body) == []


@pytest.mark.parametrize("given", ["True", "False", "k", "", "0", "None"])
def test_what_a_call_says_no_to_is_not_repeated(given: str) -> None:
    function = (
        "def scaled(x, a, whiten=False):\n"
        "    if whiten:\n"
        "        x = np.linalg.inv(a) @ x\n"
        "    elif not whiten:\n"
        "        x = np.linalg.pinv(a) @ x\n"
        "    return x\n\n\n"
    )
    body = f"def f(xs, a, k):\n    for x in xs:\n        print(scaled(x, a, {given}))\n"
    found = repeated(function + body)
    assert ("np.linalg.inv(a)" in found) is (given in ("True", "k"))
    assert ("np.linalg.pinv(a)" in found) is (given != "True")


def test_short_work_by_way_of_one_call_is_told_once() -> None:
    functions = (
        "def down(a):\n    return np.exp(a) + np.ones(3)\n\n\n"
        "def up(a):\n    return np.sin(a) + np.ones(3)\n\n\n"
        "def both(a):\n    return down(a) + up(a)\n\n\n"
        "def scaled(x, a):\n    y = both(a)\n    return x * y\n\n\n"
    )
    body = "a = np.load('a.npy')\n\n\ndef f(xs):\n    for x in xs:\n        print(scaled(x, a))\n"
    assert len(repeated(functions + body)) == 1


FLAGGED = (
    "def places(known, count, distinct=False):\n"
    "    if distinct:\n"
    "        return np.unique(known)[:count]\n"
    "    return np.random.randint(0, len(known), count)\n"
    "def sample(known, count, distinct=False):\n"
    "    return known[places(known, count, distinct=distinct)]\n"
)


def test_what_only_a_flag_asks_for_is_done_where_a_caller_of_the_caller_sets_it() -> None:
    body = FLAGGED + "def f(known, n):\n    for _ in range(n):\n        yield sample(known, 9{})\n"
    assert repeated(body.format(", True")) == ["np.unique(known)"]
    assert repeated(body.format(", distinct=f.distinct")) == ["np.unique(known)"]
    assert repeated(body.format(", distinct=False")) == []
    assert repeated(body.format("")) == []


def test_answers_that_each_turn_keeps_in_a_place_of_its_own_are_samples_of_a_model() -> None:
    body = (
        "import keras\n"
        "def f(x, y, count):\n"
        "    model = keras.models.load_model('m.keras')\n"
        "    samples = np.zeros((count, 9))\n"
        "    for i in range(count):\n"
        "        samples[i] = model.predict(x){}\n"
        "    return samples\n"
    )
    assert repeated(body.format("")) == []
    assert repeated(body.format(" - y[i]")) == ["model.predict(x)"]


def test_what_was_selected_in_a_film_moves_as_a_loop_goes_on_along_its_frames() -> None:
    body = (
        "def f(film, frames):\n"
        "    atoms = film.select('carbon')\n"
        "    for frame in {}:\n"
        "        distances = np.linalg.norm(atoms.places, axis=1)\n"
        "        print(distances.mean())\n"
    )
    assert repeated(body.format("film.frames")) == []
    assert "np.linalg.norm(atoms.places, axis=1)" in repeated(body.format("frames"))


def test_a_model_that_is_made_longer_by_itself_is_no_endless_question() -> None:
    body = """
class Encoder(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.net = torch.nn.Linear(3, 3)
        self.net = torch.nn.Sequential(self.net, torch.nn.ReLU())

    def forward(self, xs, table):
        for x in xs:
            print(self.net(table), x)
"""
    assert repeated(body) == ["self.net(table)"]
