"""What an iteration of a loop writes to: by other names, and in the functions that it calls."""

from __future__ import annotations

import pytest
from tests.semantics.second.written import calls, loops, probed

from deepperf.semantics.query import Written

CLASSES = """
class Log:
    def __init__(self):
        self.seen, self.count = [], 0

    def note(self, x):
        self.seen.append(x)

    def tick(self):
        self.count += 1

class Loud(Log):
    def tick(self):
        self.seen.clear()

class Steady:
    def __init__(self):
        self.seen = []

    def run(self, xs):
        for x in xs:
            self.step(x)
            probe(self.seen)

    def step(self, x):
        print(x)
"""


def written(text: str) -> Written:
    text += "\ndef probe(value):\n    return value is None\n"
    (value,) = probed(text)
    found = [loop for loop in loops(text) if loop.place[:2] == value.place[:2]]
    return found[0].writes_to(value)


@pytest.mark.parametrize(
    "body",
    [
        "a.append(x)",
        "a[0] = x",
        "a += [x]",
        "del a[0]",
        "a.weight = x",
        "b.append(x)",
        "b[:1][0] = x",
        "put(a, x)",
        "pair[0].append(x)",
        "again(a, x)",
        "np.add(x, x, out=a)",
        "inside(x)",
    ],
)
def test_a_write_is_seen_by_other_names_and_in_called_functions(body: str) -> None:
    text = f"""
import numpy as np

def put(where, x):
    where.append(x)

def again(where, x):
    put(where, x)

def f(a, xs):
    b = a
    pair = (a, xs)
    def inside(x):
        a.append(x)
    for x in xs:
        {body}
        probe(a)
"""
    assert written(text) is Written.WRITTEN


@pytest.mark.parametrize(
    "body",
    [
        "print(a, len(a), sorted(a))",
        "b.append(x)",
        "x.append(a)",
        "n += 1",
        "a.sum()",
        "a.index(x)",
        "total = sum(a)",
        "a = a",
        "rest = copied(a, x)",
        "np.add(a, a, out=b)",
    ],
)
def test_reading_is_no_write_and_neither_is_a_write_to_something_else(body: str) -> None:
    text = f"""
import numpy as np

def copied(where, x):
    rest = list(where)
    rest.append(x)
    return rest

def f(a, b, xs):
    n = 0
    for x in xs:
        {body}
        probe(a)
"""
    assert written(text) is Written.NOT


@pytest.mark.parametrize("body", ["g(a)", "g.take(a)", "a.shake()", "g([a])", "for h in g: h(x)"])
def test_code_that_is_not_known_may_write(body: str) -> None:
    text = f"def f(a, g, xs):\n    for x in xs:\n        {body}\n        probe(a)\n"
    assert written(text) is Written.UNKNOWN


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("log.note(x)", Written.WRITTEN),
        ("log.seen = [x]", Written.WRITTEN),
        ("Log().note(x)", Written.NOT),
        ("log.tick()", Written.NOT),
    ],
)
def test_what_methods_write_to_is_told_apart_by_attribute(body: str, expected: Written) -> None:
    text = f"{CLASSES}\nlog = Log()\ndef f(xs):\n    for x in xs:\n        {body}\n"
    assert written(text.replace("probe(self.seen)", "pass") + "        probe(log.seen)") is expected


def test_a_method_that_a_subclass_has_may_write() -> None:
    assert written(CLASSES) is Written.NOT
    below = "class Below(Steady):\n    def step(self, x):\n        self.seen.append(x)\n"
    assert written(CLASSES + below) is Written.UNKNOWN


def test_a_write_behind_or_before_the_loop_is_none_of_its_iterations() -> None:
    text = "def f(a, xs):\n    a.append(1)\n    for x in xs:\n        probe(a)\n    a.append(2)\n"
    assert written(text) is Written.NOT


def test_elements_may_change_where_the_shape_does_not() -> None:
    text = "def f(a, xs):\n    for x in xs:\n        a[0] = x\n        probe(a.shape)\n"
    assert written(text) is Written.NOT


def test_what_partial_passes_before_is_not_mixed_up() -> None:
    text = """
import functools

def put(where, x):
    where.append(x)

def f(a, b, xs):
    keep = functools.partial(put, b)
    for x in xs:
        keep(x)
        probe(a)
"""
    assert written(text) is Written.UNKNOWN


def test_functions_that_call_each_other_come_to_an_end() -> None:
    text = """
def even(where, n):
    return odd(where, n - 1)

def odd(where, n):
    where.append(n)
    return even(where, n - 1)

def f(a, xs):
    for x in xs:
        even(a, x)
        probe(a)
"""
    assert written(text) is Written.WRITTEN


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("made['a'] = x", Written.NOT),
        ("if x:\n        made = {}\n    made['a'] = x", Written.NOT),
        ("print(made['a'])", Written.NOT),
        ("made[x] = 0", Written.WRITTEN),
        ("made['a']['b'] = x", Written.WRITTEN),
        ("made['a'].append(x)", Written.WRITTEN),
        ("put(made['a'], x)", Written.WRITTEN),
        ("unknown(made)", Written.UNKNOWN),
    ],
)
def test_a_key_of_a_dict_is_set_in_nothing_that_lies_in_it(body: str, expected: Written) -> None:
    text = f"""
from copy import deepcopy

def put(where, x):
    where.append(x)

def f(a, x, unknown):
    made = deepcopy(a)
    {body}
"""
    (call,) = calls(text, "deepcopy")
    assert call.function.writes_below(call.result) is expected
