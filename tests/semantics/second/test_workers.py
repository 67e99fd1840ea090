"""Which functions are work for a worker, and which calls are made for some inputs only."""

from __future__ import annotations

import pytest
from tests.semantics.second.written import calls, function

from deepperf.semantics.query import Repeated


@pytest.mark.parametrize(
    ("text", "runs"),
    [
        ("Thread(target=f).start()", True),
        ("Pool(8).starmap(f, xs)", True),
        ("Pool(8).starmap(g, xs)", True),
        ("with ThreadPoolExecutor() as pool:\n    pool.map(f, xs)", True),
        ("def use(pool):\n    pool.imap_unordered(f, xs)", True),
        ("map(f, xs)", False),
        ("for x in xs:\n    f(x)", False),
        ("tf.data.Dataset.range(8).map(f)", False),
    ],
)
def test_what_a_worker_is_given_runs_in_it_and_so_does_what_that_calls(
    text: str, *, runs: bool
) -> None:
    head = (
        "from concurrent.futures import ThreadPoolExecutor\n"
        "from multiprocessing.pool import Pool\n"
        "from threading import Thread\n"
        "import tensorflow as tf\n"
        "def f(x):\n    pass\n"
        "def g(x):\n    f(x)\n"
    )
    assert function(head + text, "f").runs_in_worker is runs


@pytest.mark.parametrize(
    ("body", "is_chosen"),
    [
        ("ask(x)", False),
        ("if x.startswith('http'):\n  ask(x)", True),
        ("if isinstance(x, str):\n  ask(x)", True),
        ("x = [x]\nfor y in x:\n  if y:\n    ask(y)", True),
        ("if isfile(x):\n  return open(x)\nask(x)", True),
        ("if isfile(x):\n  r = open(x)\nelse:\n  r = ask(x)", True),
        ("if not x:\n  return None\nask(x)", False),
        ("if kind == 'large':\n  ask(x)", False),
    ],
)
def test_a_condition_on_what_is_another_one_each_time_chooses(
    body: str, *, is_chosen: bool
) -> None:
    indented = "".join(f"    {line}\n" for line in body.split("\n"))
    text = f"def f(x, kind):\n{indented}\n\ndef g(xs, kind):\n  for x in xs:\n    f(x, kind)\n"
    (outer,) = calls(text, "f")
    (asked,) = calls(text, "ask")
    each = Repeated(outer.function, outer.loops[0]).inside(outer, asked.function)
    assert each.chooses(asked) is is_chosen
