"""Conditions that hold in few iterations, once, or only where somebody asks for it."""

from __future__ import annotations

from textwrap import indent

import pytest
from tests.semantics.second.written import calls, files, function

from deepperf.knowledge.schema import Trait
from deepperf.semantics.query import Guard

SELDOM = [
    "if step % 10 == 0:\n    act()",
    "if not step % 10:\n    act()",
    "if (step + 1) % n == 0:\n    act()",
    "if step % 10 != 0:\n    continue\nact()",
    "if step % 10 == 0 and verbose():\n    act()",
    "due = step % 10 == 0\nif due:\n    act()",
    "due = step % 10\nif not due:\n    act()",
    "if is_due(step):\n    act()",
    "if self.is_due(step):\n    act()",
    "if step == last:\n    act()",
    "if step == len(xs) - 1:\n    act()",
    "if step < 3:\n    act()",
    "due = False\nif step % 10 == 0:\n    due = True\nif due:\n    act()",
    "try:\n    pass\nexcept ValueError:\n    act()",
    "act() if step % 10 == 0 else None",
    "step % 10 == 0 and act()",
    "if every and step % every == 0:\n    act()",
    "if step in last:\n    act()",
    "if self.is_first(step):\n    act()",
    "if random.random() < 0.01:\n    act()",
    "if np.random.rand() <= 0.05:\n    act()",
]
ALWAYS = [
    "act()",
    "if step % 10:\n    act()",
    "if step % 10 == 0:\n    pass\nact()",
    "if step % 10 == 0:\n    pass\nelse:\n    act()",
    "if step % 10 == 0 or verbose():\n    act()",
    "if verbose():\n    act()",
    "if x > 0:\n    act()",
    "if step > 3:\n    act()",
    "due = True\nif step % 10 == 0:\n    due = False\nif due:\n    act()",
    "if x == 1:\n    act()",
    "if random.random() < 0.5:\n    act()",
    "if random.random() > 0.05:\n    act()",
    "if x < 0.05:\n    act()",
]
FRAME = """\
import random

import numpy as np


class Trainer:
    def is_due(self, step):
        return step % 5 == 0

    def is_first(self, count):
        return count == 1

    def run(self, xs, n, last, every, verbose):
        for step, x in enumerate(xs):
{body}


def is_due(step):
    return step % 100 == 0
"""


def guard(body: str) -> Guard:
    (call,) = calls(FRAME.format(body=indent(body, " " * 12)), "act")
    return call.guard(call.loops[0])


@pytest.mark.parametrize("body", SELDOM)
def test_what_runs_in_few_iterations_is_seldom(body: str) -> None:
    assert guard(body) is Guard.SELDOM


@pytest.mark.parametrize("body", ALWAYS)
def test_what_may_run_in_each_iteration_is_not(body: str) -> None:
    assert guard(body) is Guard.UNKNOWN


@pytest.mark.parametrize(
    "text",
    [
        (
            "class A:\n    def f(self, xs):\n        for step, x in enumerate(xs):\n"
            "            self.due = step % 5 == 0\n            if self.due:\n                act()"
        ),
        (
            "class A:\n    def f(self, xs):\n        for x in xs:\n            self.step += 1\n"
            "            if self.step % 5 == 0:\n                act()"
        ),
        "step = 0\nfor x in xs:\n    step += 1\n    if step == 5:\n        act()",
        "def f(step):\n    if step % 5 == 0:\n        act()",
    ],
)
def test_counters_are_followed_through_attributes_and_variables(text: str) -> None:
    (call,) = calls(text, "act")
    assert call.guard() is Guard.SELDOM


@pytest.mark.parametrize(
    "text",
    [
        "def f(xs, debug=False):\n    for x in xs:\n        if debug:\n            act()",
        "def f(xs, debug=False):\n    for x in xs:\n        if debug is True:\n            act()",
        "def f(xs, debug=False):\n    for x in xs:\n        if debug:\n            act()\nf([])",
        "DEBUG = False\nfor x in xs:\n    if DEBUG:\n        act()",
        (
            "class A:\n    def __init__(self, debug=False):\n        self.debug = debug\n"
            "    def f(self, xs):\n        for x in xs:\n            if self.debug:\n"
            "                act()"
        ),
        (
            "class A:\n    debug: bool = False\n    def f(self, xs):\n        for x in xs:\n"
            "            if self.debug:\n                act()"
        ),
        "def f(xs, quiet=True):\n    for x in xs:\n        if not quiet:\n            act()",
        (
            "def g(xs, debug):\n    for x in xs:\n        if debug:\n            act()\n"
            "def f(xs, debug=False):\n    g(xs, debug)"
        ),
        (
            "import argparse\nparser = argparse.ArgumentParser()\n"
            "parser.add_argument('--debug-it', action='store_true')\nargs = parser.parse_args()\n"
            "for x in xs:\n    if args.debug_it:\n        act()"
        ),
        "import torch\nfor x in xs:\n    if torch.jit.is_scripting():\n        act()",
        (
            "from torch import jit\nfor x in xs:\n"
            "    if not (jit.is_scripting() or jit.is_tracing()):\n        pass\n"
            "    else:\n        act()"
        ),
    ],
)
def test_what_is_off_by_default_is_off(text: str) -> None:
    (call,) = calls(text, "act")
    assert call.guard(call.loops[0]) is Guard.OFF


@pytest.mark.parametrize(
    "text",
    [
        "def f(xs, debug=True):\n    for x in xs:\n        if debug:\n            act()",
        "def f(xs, debug):\n    for x in xs:\n        if debug:\n            act()",
        (
            "def f(xs, debug=False):\n    for x in xs:\n        if debug:\n            act()\n"
            "f([], debug=True)"
        ),
        (
            "def f(xs, debug=False):\n    for x in xs:\n        if debug:\n            act()\n"
            "f([], True)"
        ),
        "DEBUG = True\nfor x in xs:\n    if DEBUG:\n        act()",
        (
            "class A:\n    def __init__(self, debug=False):\n        self.debug = debug\n"
            "    def f(self, xs):\n        for x in xs:\n            if self.debug:\n"
            "                act()\nA(debug=True)"
        ),
        "if __name__ == '__main__':\n    for x in xs:\n        act()",
        "import torch\nfor x in xs:\n    if not torch.jit.is_scripting():\n        act()",
        "import torch\nfor x in xs:\n    if torch.compiler.is_compiling():\n        act()",
    ],
)
def test_what_somebody_turns_on_is_not_off(text: str) -> None:
    (call,) = calls(text, "act")
    assert call.guard() is Guard.UNKNOWN


@pytest.mark.parametrize(
    "text",
    [
        "kept = None\nfor x in xs:\n    if kept is None:\n        kept = act()",
        (
            "class A:\n    def __init__(self):\n        self.kept = None\n    def f(self, xs):\n"
            "        for x in xs:\n            if self.kept is None:\n"
            "                self.kept = act()"
        ),
        "kept = {}\nfor x in xs:\n    if x not in kept:\n        kept[x] = act()",
        "for x in xs:\n    if bad(x):\n        act()\n        break",
        "def f():\n    for x in xs:\n        if bad(x):\n            return act()",
        "for x in xs:\n    if bad(x):\n        raise act()",
    ],
)
def test_what_is_done_the_first_time_or_ends_the_loop_is_done_once(text: str) -> None:
    (call,) = calls(text, "act")
    assert call.guard(call.loops[0]) is Guard.ONCE


def test_a_condition_outside_of_the_loop_says_nothing_of_its_iterations() -> None:
    text = "def f(xs, step):\n    if step % 5 == 0:\n        for x in xs:\n            act()"
    (call,) = calls(text, "act")
    assert call.guard(call.loops[0]) is Guard.UNKNOWN
    assert call.guard() is Guard.SELDOM


def test_an_option_of_another_file_that_is_off_there_is_off() -> None:
    found = files(
        {
            "example.py": "import settings\n\nfor x in xs:\n    if settings.DEBUG:\n"
            "        act()\n",
            "settings.py": "DEBUG = False\n",
        }
    )
    (call,) = [call for call in found.calls() if call.name == "act"]
    assert call.guard() is Guard.OFF


@pytest.mark.parametrize(
    ("test", "passed", "reached"),
    [
        ("text and flag", "False", False),
        ("text and flag", "True", True),
        ("text or flag", "False", True),
        ("not flag or not flag", "True", False),
        ("not flag", "True", False),
    ],
)
def test_a_branch_that_an_argument_rules_out_is_not_reached(
    test: str, passed: str, reached: object
) -> None:
    text = f"""
        import time

        def log(text, flag):
            if {test}:
                time.sleep(1)

        def handler(text):
            log(text, {passed})
        """
    handler = function(text, "handler")
    assert (handler.reaches(Trait.WAITS) is not None) is reached


def test_options_that_methods_set_from_each_other_are_unknown() -> None:
    turns = "".join(
        f"    def turn_{number}(self):\n"
        "        self.mask = self.last\n        self.last = self.mask\n"
        for number in range(4)
    )
    (call,) = calls(
        "class A:\n    def __init__(self):\n        self.mask = None\n        self.last = None\n"
        f"{turns}    def run(self, xs):\n        for x in xs:\n"
        "            if self.mask is not None:\n                act()",
        "act",
    )

    assert call.guard() is Guard.UNKNOWN


CHOSEN = """
class Trainer:
    def __init__(self, mode="plain"):
        self.mode = mode

    def fit(self, xs):
        for x in xs:
            if self.mode == "careful":
                act()
"""


@pytest.mark.parametrize(
    ("built", "guard"),
    [
        ("Trainer().fit([1])", Guard.OFF),
        ("Trainer(mode='careful').fit([1])", Guard.UNKNOWN),
        ("", Guard.UNKNOWN),
        ("def make():\n    return Trainer", Guard.UNKNOWN),
        ("def run(mode):\n    Trainer(mode).fit([1])", Guard.UNKNOWN),
        (
            "class Outer:\n    def __init__(self, mode='plain'):\n        Trainer(mode)",
            Guard.UNKNOWN,
        ),
    ],
)
def test_a_choice_is_ruled_out_only_where_every_call_is_seen(built: str, guard: Guard) -> None:
    (call,) = calls(f"{CHOSEN}\n\n{built}\n", "act")
    assert call.guard() is guard
