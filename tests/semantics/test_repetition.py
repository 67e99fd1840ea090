"""What a loop does again in each turn for the same operands."""

from __future__ import annotations

from deepperf.rules.training_loop.loop_invariant_op.asked import asked_again, computed_again
from deepperf.semantics.files.project import Project
from deepperf.semantics.query import file_of
from deepperf.semantics.text.source import Source, read_source


def repeated(body: str, **others: str) -> list[str]:
    """The operations that the loops and hooks of a file repeat, and the models that they ask."""
    files = {"main.py": f"import numpy as np\nimport torch\n{body}"}
    files |= {f"{name}.py": text for name, text in others.items()}
    sources = {}
    for path, text in files.items():
        source = read_source(path, text.encode())
        assert isinstance(source, Source)
        sources[path] = source
    functions = list(file_of(Project(sources), "main.py").functions())
    runs = [run for told in (computed_again, asked_again) for one in functions for run in told(one)]
    return [run.calls[-1].text for run in runs]


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
        "        print(np.argsort(points, axis=1))\n"
        "        labels = [points[labels == k].mean(0) for k in range(9)]\n"
    )
    assert repeated(body) == ["np.argsort(points, axis=1)"]


def test_a_method_that_sorts_an_array_changes_it() -> None:
    body = (
        "def f(points, turns):\n"
        "    for turn in range(turns):\n"
        "        print(np.argsort(points, axis=1))\n"
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


def test_the_outermost_loop_is_named() -> None:
    body = """
def f(xs, ys, a):
    for x in xs:
        for y in ys:
            print(x, y, np.linalg.inv(a))
"""
    source = read_source("main.py", f"import numpy as np\n{body}".encode())
    assert isinstance(source, Source)
    functions = file_of(Project({"main.py": source}), "main.py").functions()
    again = [run.loop for one in functions for run in one.computes_again]
    assert [loop.header for loop in again if loop is not None] == ["for x in xs"]


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


def test_a_name_that_partial_binds_to_itself_again_is_followed_no_further() -> None:
    body = (
        "import functools\n\n\n"
        "def f(xs, g):\n"
        "    for x in xs:\n"
        "        g = functools.partial(g, x)\n"
        "        print(g(np.linalg.inv(x)))\n"
    )
    assert repeated(body) == []


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
