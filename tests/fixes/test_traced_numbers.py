"""Whether an array may stand where a function gets a number."""

from __future__ import annotations

import pytest
from tests.semantics.second.written import function

from deepperf.fixes.traced_numbers import takes_array

TAKES = {
    "arithmetic": "return x * (n + 1)",
    "a comparison": "return jnp.where(n > 2, x, -x)",
    "arithmetic of a function inside": "def g(v):\n        return v * n\n    return g(x)",
    "an index of an array": "return jnp.zeros(4)[n]",
}
NEEDS = {
    "a branch": "return x if n > 2 else -x",
    "a shape": "return x.reshape(n, -1)",
    "a shape in a function inside": ("def g(v):\n        return v.reshape(n, -1)\n    return g(x)"),
    "a branch in a lambda": "return jax.vmap(lambda v: v if n else -v)(x)",
    "a shape of what is computed, in a function inside": (
        "m = n + 1\n    def g(v):\n        return jnp.zeros(m)\n    return g(x)"
    ),
    "not": "return x * (not n)",
    "in": "return x * (n in (1, 2))",
    "comparisons in a row": "return x * (0 < n < 5)",
    "a repeated list": "return x + jnp.asarray([0] * n)",
    "a count": "return sum(x for _ in range(n))",
}


def taken(body: str) -> bool:
    text = f"import jax\nimport jax.numpy as jnp\n\n\ndef f(x, n):\n    {body}\n"
    return takes_array(function(text, "f").parameters[1])


@pytest.mark.parametrize("body", TAKES.values(), ids=TAKES)
def test_what_is_computed_with_may_be_an_array(body: str) -> None:
    assert taken(body)


@pytest.mark.parametrize("body", NEEDS.values(), ids=NEEDS)
def test_what_python_asks_stays_a_number(body: str) -> None:
    assert not taken(body)
