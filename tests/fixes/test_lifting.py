"""What makes a function is moved to where it is made once, or not at all."""

from __future__ import annotations

import pytest

from deepperf.fixes.apply import apply_edits
from deepperf.fixes.lifting import lift_before, lift_to_module

MADE = "jit(grad(loss))"
LOOP = f"def f(w):\n    for x in xs:\n        w = w - {MADE}(w, x)\n    return w\n"
DEFINED = """\
def f(xs):
    for x in xs:
        @jit
        def step(y):
            z = y * 2
            return z

        print(step(x))
"""
IN_CALL = """\
from jax import jit


def loss(w):
    return w


class A:
    def f(self, w):
        step = jit(loss)
        return step(w)
"""


def before_loop(text: str, made: str) -> str | None:
    start = text.index(made)
    edits = lift_before(text, start, start + len(made), text.index("for x"))
    return None if edits is None else apply_edits(text, edits)


def to_module(text: str, made: str) -> str | None:
    start = text.index(made)
    edits = lift_to_module(text, start, start + len(made))
    return None if edits is None else apply_edits(text, edits)


def test_an_expression_gets_a_name_before_the_loop() -> None:
    assert before_loop(LOOP, MADE) == (
        "def f(w):\n    compiled_loss = jit(grad(loss))\n    for x in xs:\n"
        "        w = w - compiled_loss(w, x)\n    return w\n"
    )


def test_a_name_that_is_taken_gets_a_number() -> None:
    text = "compiled_loss = 1\n" + LOOP
    assert "    compiled_loss_2 = jit(grad(loss))\n" in (before_loop(text, MADE) or "")


def test_a_definition_moves_with_its_decorator() -> None:
    assert before_loop(DEFINED, "jit") == (
        "def f(xs):\n    @jit\n    def step(y):\n        z = y * 2\n        return z\n\n"
        "    for x in xs:\n        print(step(x))\n"
    )


def test_a_definition_moves_that_is_named_where_it_is_compiled() -> None:
    text = DEFINED.replace("        @jit\n", "").replace("step(x)", "scan(step, x)")
    start = text.index("step, x")
    edits = lift_before(text, start, start + len("step"), text.index("for x"))
    assert edits is not None
    assert apply_edits(text, edits).startswith("def f(xs):\n    def step(y):\n")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("y * 2", "y * x"),
        ("y * 2", "y * self.scale"),
        ("            z = y", "            nonlocal total\n            z = y"),
        ("def step(y)", "def step(y, n=x)"),
        ("        print(step(x))", "        step = wrap(step)"),
        ("y * 2", '"""a\n  b"""'),
    ],
)
def test_a_function_that_rests_on_the_iteration_stays(old: str, new: str) -> None:
    assert before_loop(DEFINED.replace(old, new), "jit") is None


def test_what_is_compiled_under_a_condition_stays() -> None:
    text = LOOP.replace("        w =", "        if x:\n            w =")
    assert before_loop(text, MADE) is None


def test_an_assignment_moves_out_of_the_class_of_its_method() -> None:
    assert to_module(IN_CALL, "jit(loss)") == (
        "from jax import jit\n\n\ndef loss(w):\n    return w\n\n\nstep = jit(loss)\n\n\n"
        "class A:\n    def f(self, w):\n        return step(w)\n"
    )


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("jit(loss)", "jit(self.loss)"),
        ("jit(loss)", "jit(w)"),
        ("        step", "        loss = w\n        step"),
        ("class A", "def g():\n    step = 1\n\n\nclass A"),
        ("class A", "def g():\n    global loss\n    loss = 1\n\n\nclass A"),
        ("jit(loss)", "jit(later)"),
        ("        step = jit(loss)\n", "        if w:\n            step = jit(loss)\n"),
    ],
)
def test_a_function_that_rests_on_the_call_stays(old: str, new: str) -> None:
    text = IN_CALL.replace(old, new)
    made = next(
        one for one in ("jit(self.loss)", "jit(w)", "jit(later)", "jit(loss)") if one in text
    )
    assert to_module(text, made) is None
