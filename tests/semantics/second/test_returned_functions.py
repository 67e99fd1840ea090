"""Who calls a function that another one returns, wraps, keeps or passes on."""

from __future__ import annotations

import pytest
from tests.semantics.second.written import calls, file, files, function

from deepperf.semantics.callgraph.calls import has_unseen_callers
from deepperf.semantics.callgraph.overrides import has_some_arguments

MAKE = """\
import functools
import jax
from dataclasses import dataclass
from functools import partial
from typing import Callable, NamedTuple

def make(model):
    def step(batch):
        return model(batch)
    return step

"""
LOOP = "    for batch in loader:\n        {}(batch)\n"
LOGGED = """\
def logged(f):
    def wrapper(*given):
        print("called")
        return f(*given)
    return wrapper

"""
OBJECT = """\
class logged:
    def __init__(self, f):
        self.f = f
    def __call__(self, batch):
        return self.f(batch)

"""
FIELDS = """\
def build(model):
    def init(key):
        return key
    return {}

def main():
    fns = build(1)
    for batch in loader:
        {}(batch)
"""


def callers(text: str, name: str = "step") -> list[str]:
    return [call.text for call in function(text, name).callers()]


@pytest.mark.parametrize(
    ("text", "called"),
    [
        (f"def main():\n    step = make(1)\n{LOOP.format('step')}", "step(batch)"),
        (f"def main():\n{LOOP.format('make(1)')}", "make(1)(batch)"),
        (f"run = make(1)\ndef main():\n{LOOP.format('run')}", "run(batch)"),
        (f"def main():\n    fn = jax.jit(make(1))\n{LOOP.format('fn')}", "fn(batch)"),
        (
            (
                "def build(m):\n    return jax.jit(make(m), donate_argnums=0)\n"
                f"def main():\n    fn = build(1)\n{LOOP.format('fn')}"
            ),
            "fn(batch)",
        ),
        (
            (
                "def build(m):\n    return make(m), make(2)\n"
                f"def main():\n    train, evaluate = build(1)\n{LOOP.format('evaluate')}"
            ),
            "evaluate(batch)",
        ),
        (
            (
                f"def train(fn, loader):\n{LOOP.format('fn')}\n"
                "def main():\n    train(make(1), loader)\n"
            ),
            "fn(batch)",
        ),
        (
            (
                "class Trainer:\n    def __init__(self, model):\n        self.fn = make(model)\n"
                "    def run(self):\n        for batch in loader:\n            self.fn(batch)\n"
            ),
            "self.fn(batch)",
        ),
        (
            (
                "class Trainer:\n    def __init__(self, fn):\n        self.fn = fn\n"
                "    def run(self):\n        for batch in loader:\n            self.fn(batch)\n"
                "Trainer(make(1)).run()\n"
            ),
            "self.fn(batch)",
        ),
        (
            f"STEPS = {{'a': make(1)}}\ndef main(kind):\n    fn = STEPS[kind]\n{LOOP.format('fn')}",
            "fn(batch)",
        ),
        (
            (
                "def around(fn):\n    def outer(batch):\n        return fn(batch)\n"
                "    return outer\n"
                f"def main():\n    outer = around(make(1))\n{LOOP.format('outer')}"
            ),
            "fn(batch)",
        ),
        (
            (
                "def apply(fn, batch):\n    return fn(batch)\n"
                f"def main():\n    run = partial(apply, make(1))\n{LOOP.format('run')}"
            ),
            "fn(batch)",
        ),
    ],
)
def test_a_function_that_is_returned_is_run_by_the_calls_of_what_was_returned(
    text: str, called: str
) -> None:
    assert callers(MAKE + text) == [called]


@pytest.mark.parametrize(
    ("start", "made", "called"),
    [
        ("", "{'init': init, 'step': make(1)}", "fns['step']"),
        ("class Fns(NamedTuple):\n    init: Callable\n    step: Callable\n", "Fns(init, make(1))",
         "fns.step"),
        ("@dataclass\nclass Fns:\n    init: Callable\n    run: Callable\n",
         "Fns(run=make(1), init=init)", "fns.run"),
    ],
)  # fmt: skip
def test_what_lies_beside_it_is_not_called(start: str, made: str, called: str) -> None:
    text = MAKE + start + FIELDS.format(made, called)
    assert callers(text) == [f"{called}(batch)"]
    assert [one.name for one in calls(text, called)[0].runs] == ["step"]
    assert callers(text, "init") == []


@pytest.mark.parametrize(
    "decorator",
    [
        LOGGED,
        LOGGED.replace("    def wrapper", "    @functools.wraps(f)\n    def wrapper"),
        OBJECT,
    ],
)
def test_what_a_decorator_gives_is_run_by_the_calls_of_what_it_decorates(decorator: str) -> None:
    text = (
        f"{MAKE}{decorator}@logged\ndef work(batch):\n    return batch\n"
        f"def main():\n{LOOP.format('work')}"
    )
    name = "__call__" if "__call__" in decorator else "wrapper"
    assert callers(text, name) == ["work(batch)"]
    assert callers(text, "work")[-1] == "work(batch)"
    runs = {one.name for one in calls(text, "work")[0].runs}
    assert runs == {"work", name}


def test_a_decorator_with_arguments_is_one_all_the_same() -> None:
    text = (
        "def every(n):\n    def decorate(f):\n        def wrapper(*given):\n"
        "            return f(*given)\n        return wrapper\n    return decorate\n"
        "class Trainer:\n    @every(3)\n    def step(self, batch):\n        return batch\n"
        "    def run(self):\n        for batch in loader:\n            self.step(batch)\n"
    )
    assert callers(text, "wrapper") == ["self.step(batch)"]


def test_other_functions_under_the_same_decorator_keep_their_results_apart() -> None:
    text = (
        f"{LOGGED}import numpy as np\n@logged\ndef a():\n    return np.zeros(3)\n"
        "@logged\ndef b():\n    return [1]\nprobe(b())\n"
    )
    (call,) = calls(text, "probe")
    assert "numpy.ndarray" not in call.arguments[0].types


def test_a_method_that_is_returned_is_run_with_its_object_first() -> None:
    text = (
        "class Ode:\n    def sample(self, x, model):\n        probe(x)\n        return model(x)\n"
        "class Sampler:\n    def ode(self):\n        ode = Ode()\n        return ode.sample\n"
        "import numpy as np\ndef main(net):\n    fn = Sampler().ode()\n    for _ in range(9):\n"
        "        fn(np.zeros(3), net)\n"
    )
    assert callers(text, "sample") == ["fn(np.zeros(3), net)"]
    (probe,) = calls(text, "probe")
    assert "numpy.ndarray" in probe.arguments[0].types


def test_which_argument_of_what_partial_made_is_which_is_not_known() -> None:
    text = (
        "from functools import partial\nimport numpy as np\n"
        "def make(m):\n    def step(model, batch):\n        probe(model)\n"
        "    return partial(step, m)\n"
        "def main():\n    fn = make(1)\n    fn(np.zeros(3))\n"
    )
    assert callers(text) == ["fn(np.zeros(3))"]
    (probe,) = calls(text, "probe")
    assert "numpy.ndarray" not in probe.arguments[0].types


def test_a_table_of_another_file_leads_to_the_functions_in_it() -> None:
    found = files(
        {
            "main.py": (
                "from tables import KINDS\ndef build(name):\n    return KINDS[name]\n"
                "def main():\n    sample = build('heun')\n    for x in xs:\n        sample(x)\n"
            ),
            "tables.py": (
                "def heun(x):\n    return x\ndef euler(x):\n    return x\n"
                "KINDS = {'heun': heun, 'euler': euler}\n"
            ),
        }
    )
    (call,) = [one for one in found.calls() if one.name == "sample"]
    assert {one.name for one in call.runs} == {"heun", "euler"}
    assert all([one.text for one in run.callers()] == ["sample(x)"] for run in call.runs)


def test_what_a_step_calls_runs_as_often_as_the_loop_around_what_was_returned() -> None:
    text = (
        f"import torch\n{MAKE}".replace("return model(batch)", "return helper(batch)")
        + "def helper(x):\n    return x\n"
        + "def main(data):\n    fn = make(1)\n"
        + "    for batch in torch.utils.data.DataLoader(data):\n        fn(batch)\n"
    )
    assert "batch" in function(text, "step").runs_for
    assert "batch" in function(text, "helper").runs_for


@pytest.mark.parametrize("rest", ["", "    register(fn)\n", "    yield fn\n", "    return fn\n"])
def test_gradients_may_be_recorded_where_a_function_gets_out_of_sight(rest: str) -> None:
    text = (
        "import torch\ndef make():\n    def step(x):\n        return torch.relu(x)\n"
        "    return step\ndef main(x):\n    fn = make()\n    with torch.no_grad():\n"
        f"        fn(x)\n{rest}"
    )
    found = file(text)
    (relu,) = [call for call in found.calls() if call.name == "torch.relu"]
    assert relu.is_gradient_free is (rest == "")


@pytest.mark.parametrize(
    "wrap",
    [
        "def wrap(f):\n    return f\n",
        "def wrap(f, fast=True):\n    return jax.jit(f) if fast else f\n",
        "def wrap(f):\n    fns = {'a': f}\n    return fns['a']\n",
        "def inner(f):\n    return jax.jit(f)\ndef wrap(f):\n    return inner(f)\n",
    ],
)
def test_what_gives_functions_back_gives_each_to_those_who_passed_it(wrap: str) -> None:
    text = (
        f"import jax\n{wrap}def train(x):\n    return x\ndef test(x):\n    return x\n"
        "def main():\n    a = wrap(train)\n    b = wrap(test)\n    a(1)\n    b(2)\n"
    )
    assert callers(text, "train") == ["a(1)"]
    assert callers(text, "test") == ["b(2)"]


def test_what_a_decorator_puts_into_a_table_is_run_by_what_takes_it_out() -> None:
    text = (
        "KINDS = {}\ndef register(name):\n    def keep(f):\n        KINDS[name] = f\n"
        "        return f\n    return keep\n"
        "@register('heun')\ndef heun(x):\n    return x\n"
        "@register('euler')\ndef euler(x):\n    return x\n"
        f"def main(kind):\n    fn = KINDS[kind]\n{LOOP.format('fn')}"
        "    euler(1)\n"
    )
    assert callers(text, "heun") == ["fn(batch)"]
    assert sorted(callers(text, "euler")) == ["euler(1)", "fn(batch)"]


@pytest.mark.parametrize(
    ("made", "is_partial"),
    [("partial(step, 1)", True), ("jax.jit(partial(step, 1))", True), ("jax.jit(step)", False)],
)
def test_that_a_returned_function_was_given_some_arguments_before_is_seen(
    made: str, *, is_partial: bool
) -> None:
    text = (
        "import jax\nfrom functools import partial\ndef make():\n    def step(model, x):\n"
        f"        return x\n    return {made}\nfn = make()\nfn(2)\n"
    )
    (call,) = calls(text, "fn")
    assert has_some_arguments(call.program, call.place) is is_partial


@pytest.mark.parametrize("count", [3, 40])
def test_what_is_taken_out_of_a_table_of_many_functions_may_be_any(count: int) -> None:
    text = "".join(f"def f{number}(x):\n    return x\n" for number in range(count)) + (
        f"TABLE = [{', '.join(f'f{number}' for number in range(count))}]\n"
        "def main(index):\n    fn = TABLE[index]\n    fn(1)\n"
    )
    found = function(text, "f0")
    assert [call.text for call in found.callers()] == (["fn(1)"] if count == 3 else [])
    assert has_unseen_callers(found.program, found.place[:2]) is (count == 40)
