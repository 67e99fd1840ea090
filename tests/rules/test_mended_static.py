"""When an argument of JAX is static no more, and when a step may take its state's memory."""

from __future__ import annotations

import pytest
from benchmarks.compilers import likeness, seen

from deepperf.check.run import check_text
from deepperf.config.options import Options
from deepperf.fixes.apply import fix_text
from deepperf.records import Level, Safety


def fixed(text: str, rule: str, safety: Safety = Safety.UNSAFE) -> str:
    options = Options(select=(rule,), level=Level.NOTE)
    return fix_text(text, lambda now: check_text(now, options).findings, safety).text


STATIC = """\
from functools import partial

import jax
import jax.numpy as jnp


@partial(jax.jit, static_argnames="n")
def step(x, n):
    return BODY


def main():
    x = jnp.linspace(0.1, 1.0, 16)
    for n in range(1, 21):
        x = step(x, n)
    return x
"""
TAKEN = (
    "x * n",
    "jnp.roll(x, n) / n",
    "jnp.where(n > 10, jnp.sin(x), x)",
    "jnp.tanh(x) ** n",
    "x + jax.random.normal(jax.random.fold_in(jax.random.key(0), n), (16,))",
)
LEFT = (
    "sum(jnp.sin(x) for _ in range(n))",
    "jnp.pad(x, (0, n))[:16]",
    "x[:n].sum() + x",
    "jnp.sin(x) if n % 2 else x",
    "jnp.sin(x) if n > 3 and x.ndim else x",
    "x * len(str(n))",
    "jnp.sum(jnp.ones(n)) * x",
    "[x, jnp.sin(x)][n % 2]",
    "x * jnp.array([1.0] * n).sum()",
    "jax.lax.fori_loop(0, n, lambda i, c: c, x)",
)


def test_what_a_body_takes_an_array_for_is_static_no_more() -> None:
    for body in TAKEN:
        text = fixed(STATIC.replace("BODY", body), "retracing")
        assert text.startswith("import jax\n"), body
        assert "\n\n\n@jax.jit\ndef step(x, n):" in text, body


def test_what_python_needs_stays_static() -> None:
    for body in LEFT:
        text = STATIC.replace("BODY", body)
        assert fixed(text, "retracing") == text, body


def test_safe_fixes_leave_static_arguments() -> None:
    text = STATIC.replace("BODY", "x * n")
    assert fixed(text, "retracing", Safety.SAFE) == text


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('@partial(jax.jit, static_argnames="n")', '@partial(jax.jit, static_argnames=("n",))'),
        ('@partial(jax.jit, static_argnames="n")', "@jax.jit(static_argnums=1)"),
    ],
)
def test_nothing_is_left_of_a_compiler_without_options(old: str, new: str) -> None:
    assert "\n@jax.jit\n" in fixed(STATIC.replace(old, new).replace("BODY", "x * n"), "retracing")


def test_other_static_arguments_and_options_stay() -> None:
    text = STATIC.replace("BODY", "x * n if mode else x").replace("x, n", "x, n, mode")
    text = text.replace('"n")', '("n", "mode"), inline=True)')
    text = text.replace("step(x, n, mode)\n    return x", "step(x, n, True)\n    return x")
    found = fixed(text, "retracing")
    assert '@partial(jax.jit, static_argnames=("mode",), inline=True)' in found
    assert found.startswith("from functools import partial\n\nimport jax\n")


def test_a_text_that_another_call_passes_keeps_it_static() -> None:
    text = STATIC.replace("BODY", "x * n") + "\n\ndef other(x):\n    return step(x, 'two')\n"
    assert fixed(text, "retracing") == text


DONATED = """\
import jax
import jax.numpy as jnp


@jax.jit
def step(params, batch):
    return params - 0.1 * (params - batch)


def main():
    params = jnp.zeros(64)
    for k in range(6):
        params = step(params, jnp.full(64, float(k)))
    return params
"""
OPTION = "@functools.partial(jax.jit, donate_argnums=0)"


def test_a_step_takes_the_memory_of_a_state_that_it_replaces() -> None:
    found = fixed(DONATED, "undonated-state")
    assert found.startswith("import functools\n\nimport jax\n")
    assert f"\n{OPTION}\ndef step" in found
    assert fixed(DONATED, "undonated-state", Safety.SAFE) == DONATED
    inner = DONATED.replace("    for k", "    for _ in range(3):\n      for k").replace(
        "        params = step", "          params = step"
    )
    assert OPTION in fixed(inner, "undonated-state")
    called = DONATED.replace("@jax.jit\n", "").replace(
        "def main", "step = jax.jit(step, inline=True)\n\n\ndef main"
    )
    assert "jax.jit(step, inline=True, donate_argnums=0)" in fixed(called, "undonated-state")


START = "def main():\n    params = jnp.zeros(64)"
AGAIN = "    first = params\n    for r in range(3):\n     params = first\n     for k"
COMPARED = "return params\n\n\ndef main():\n    p = jnp.ones(64)\n    return train(p) - p\n"
HELD = {
    "the first state is read afterwards": (
        ("params = jnp", "first = params = jnp"),
        ("return params\n", "return params - first\n"),
    ),
    "another run begins with the first state": (
        ("    for k", AGAIN),
        ("        params = step", "         params = step"),
    ),
    "each state is kept": (
        ("    for k", "    kept = []\n    for k"),
        ("float(k)))\n", "float(k)))\n        kept.append(params)\n"),
    ),
    "the best state is kept": (
        ("    for k", "    best = params\n    for k"),
        ("float(k)))\n", "float(k)))\n        best = params if k == 3 else best\n"),
    ),
    "each state is yielded": (("float(k)))\n", "float(k)))\n        yield params\n"),),
    "a global holds the first state": (
        (START, "FIRST = jnp.zeros(64)\n\n\ndef main():\n    params = FIRST"),
    ),
    "an object holds the first state": ((START, "def main(model):\n    params = model.params"),),
    "the first state is passed twice": (
        ("params = jnp.zeros(64)", "batch = params = jnp.zeros(64)"),
        ("jnp.full(64, float(k))", "batch"),
    ),
    "something else calls the step": (
        ("def main", "def once(params):\n    return step(params, params)\n\n\ndef main"),
    ),
    "the caller reads the first state": (
        (START, "def train(params):"),
        ("return params\n", COMPARED),
    ),
}


@pytest.mark.parametrize("case", HELD)
def test_a_state_that_something_else_holds_is_not_given_away(case: str) -> None:
    text = DONATED
    for old, new in HELD[case]:
        # The first place alone is the step's own return.
        at = text.rindex(old)
        text = text[:at] + new + text[at + len(old) :]
    assert "donate" not in fixed(text, "undonated-state")


def test_fixed_programs_compile_once_and_give_the_same() -> None:
    pytest.importorskip("jax")
    texts = {body: STATIC.replace("BODY", body) for body in TAKEN} | {"donated": DONATED}
    after = {
        name: fixed(text, "undonated-state" if name == "donated" else "retracing")
        for name, text in texts.items()
    }
    assert all(after[name] != text for name, text in texts.items())
    was, done = (seen("jax", sides)["programs"] for sides in (texts, after))
    for name in TAKEN:
        assert was[name]["compiled"] >= 20, name
        assert done[name]["compiled"] <= 2, name
        assert likeness(was[name]["result"], done[name]["result"]) in ("equal", "close"), name
    assert likeness(was["donated"]["result"], done["donated"]["result"]) == "equal"
