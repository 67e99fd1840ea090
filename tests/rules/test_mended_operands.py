"""What functions of `jax.lax` read from around them is passed, so that they are compiled once."""

from __future__ import annotations

import pytest
from benchmarks.compilers import likeness, seen

from deepperf.check.run import check_text
from deepperf.config.options import Options
from deepperf.fixes.apply import fix_text
from deepperf.records import Level, Safety


def fixed(text: str, safety: Safety = Safety.UNSAFE) -> str:
    options = Options(select=("compiled-per-call",), level=Level.NOTE)
    return fix_text(text, lambda now: check_text(now, options).findings, safety).text


PROGRAM = """\
import jax
import jax.numpy as jnp
from jax import lax

XS = jnp.linspace(0.1, 1.0, 8)


def run(x, rates):
    for rate in rates:
        x = CALL
    return x


def main():
    return run(jnp.ones(8), [0.1 * k for k in range(1, 21)])
"""
CALLS = {
    "lax.scan(lambda c, v: (c + rate * v, c), x, XS)": "compiled_scan(x, rate)",
    "lax.fori_loop(0, 3, lambda i, c: jnp.sin(c) * rate + i, x)": "compiled_fori_loop(x, rate)",
    "lax.cond(operand, lambda v: v * rate, lambda v: v + rate, x)": (
        "compiled_cond(operand, x, rate)"
    ),
    "lax.while_loop(lambda v: v.sum() > 9 - rate, lambda v: v / 2, x)": (
        "compiled_while_loop(x, rate)"
    ),
}
"""Calls as they stand in the new function, and what the loop calls in their place."""
DEFINED = """\
import jax
import jax.numpy as jnp
from jax import lax


def run(x, rates):
    for rate in rates:
        def body(c, v):
            return c + rate * v, c

        x, _ = lax.scan(body, x, jnp.ones(4))
    return x


def main():
    return run(jnp.ones(8), [0.1 * k for k in range(1, 21)])
"""
AFTER = """\
import jax
import jax.numpy as jnp
from jax import lax


@jax.jit
def compiled_scan(x, operand, rate):
    def body(c, v):
        return c + rate * v, c

    return lax.scan(body, x, operand)


def run(x, rates):
    for rate in rates:
        x, _ = compiled_scan(x, jnp.ones(4), rate)
    return x


def main():
    return run(jnp.ones(8), [0.1 * k for k in range(1, 21)])
"""
NESTED = """\
import jax
import jax.numpy as jnp


def further_out(w):
    def run(batches, xs):
        for x in batches:
            scale = jnp.sum(x)
            print(jax.lax.scan(lambda c, t: (c + w * t * scale, None), x, xs)[0])

    return run


def run(batches, xs):
    for x in batches:
        scale = jnp.sum(x)
        print(jax.lax.scan(lambda c, t: (c + t * scale, None), x, xs)[0])
"""
LEFT = (
    "lax.scan(lambda c, v: (c + v if rate > 1 else c, c), x, XS)",
    "lax.scan(lambda c, v: (sum(c * v for _ in range(int(rate))), c), x, XS)",
    "lax.scan(lambda c, v: (rate(c), c), x, XS)",
    "lax.scan(lambda c, v: (c * rate.scale, c), x, XS)",
    "lax.scan(lambda c, v: (c * len(rate), c), x, XS)",
    "lax.scan(lambda c, v: (c + rate * v, c), x, XS, length=len(rates))",
    "lax.scan(lambda c, v: (c + rate * v, print(c)), x, XS)",
)


def program(call: str) -> str:
    first = "[0]" if "scan" in call else ""
    return PROGRAM.replace("CALL", call.replace("operand", "x.sum() > 4") + first)


def test_two_calls_get_functions_of_their_own_with_what_functions_further_out_have() -> None:
    text = fixed(NESTED)

    assert "def compiled_scan(x, xs, w, scale):\n" in text
    assert "print(compiled_scan(x, xs, w, scale)[0])" in text
    assert "def compiled_scan_2(x, xs, scale):\n" in text
    assert "print(compiled_scan_2(x, xs, scale)[0])" in text


def test_a_call_is_compiled_in_a_function_that_takes_what_it_read() -> None:
    for call, use in CALLS.items():
        text = fixed(program(call))
        made = f"@jax.jit\ndef {use}:\n    return {call}\n"
        assert f"\n\n\n{made}\n\ndef run(x, rates):\n" in text, call
        assert f"        x = {use.replace('operand', 'x.sum() > 4')}" in text, call
    assert fixed(DEFINED) == AFTER


def test_what_an_array_would_not_do_for_is_left_and_so_are_effects() -> None:
    for call in LEFT:
        text = program(call)
        assert fixed(text) == text, call


def test_safe_fixes_leave_it() -> None:
    assert fixed(DEFINED, Safety.SAFE) == DEFINED


def test_fixed_programs_compile_once_and_give_the_same() -> None:
    pytest.importorskip("jax")
    texts = {call: program(call) for call in CALLS} | {"defined": DEFINED}
    sides = texts | {f"{name}, fixed": fixed(text) for name, text in texts.items()}
    done = seen("jax", sides)["programs"]
    for name in texts:
        was, now = done[name], done[f"{name}, fixed"]
        assert was["compiled"] >= 20 > 3 >= now["compiled"], name
        assert likeness(was["result"], now["result"]) in ("equal", "close"), name
