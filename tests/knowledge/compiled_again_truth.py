"""How often the installed JAX traces a function that is handed to a compiler five times; as JSON.

Prints {case: traces}.
"""

from __future__ import annotations

import importlib
import json
from collections.abc import Callable
from typing import Any

jax: Any = importlib.import_module("jax")
TURNS = 5


class Counter:
    """An object with a method that counts how often it is traced."""

    def __init__(self) -> None:
        self.traces = 0

    def step(self, x: Any) -> Any:
        self.traces += 1
        return x + 1


def traces(compiler: Callable[[Any], Any], of_turn: Callable[[Counter], Any]) -> int:
    counter = Counter()
    rows = jax.numpy.ones((1, 3))
    for _ in range(TURNS):
        compiler(of_turn(counter))(rows)
    return counter.traces


def main() -> None:
    kept = Counter()
    method = kept.step
    for _ in range(TURNS):
        jax.jit(method)(jax.numpy.ones(3))
    answers = {
        "jit of one object": kept.traces,
        "jit of a method": traces(jax.jit, lambda counter: counter.step),
        "jit of a lambda": traces(jax.jit, lambda counter: lambda x: 2 * counter.step(x)),
        "pmap of a method": traces(jax.pmap, lambda counter: counter.step),
        "pmap of a lambda": traces(jax.pmap, lambda counter: lambda x: 2 * counter.step(x)),
    }
    print(json.dumps(answers))


if __name__ == "__main__":
    main()
