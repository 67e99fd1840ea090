"""Tiny JAX operations are sent off one by one in a Python loop, outside of any `jax.jit`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

from deepperf.dynamic.diagnosis import Diagnosis
from deepperf.dynamic.frameworks import jax_operations
from deepperf.dynamic.program.dispatch_loops import Dialect, diagnoses
from deepperf.dynamic.program.operation_loops import CASES as ANY
from deepperf.dynamic.program.operation_loops import Case, Words
from deepperf.dynamic.recording.tape import Tape
from deepperf.dynamic.recording.trace import Trace

NAME = "jax-loops"
RULES = ("eager-loop", "looped-draw", "looped-lookup", "looped-update", "per-slice-op")
COMPILED = "recompilation jax"
WORDS = Words(
    reads=(),
    draws=("_normal", "_uniform", "_randint", "_bernoulli", "_categorical", "_truncated_normal"),
    updates=jax_operations.UPDATES,
    lookups=jax_operations.LOOKUPS,
    around=("reshape", "concatenate", "stack", "iota", "expand_dims"),
)
CASES = {
    "update": Case(
        "looped-update",
        "missed-efficient-api",
        "places of an array are set one by one, each time in a new copy of it",
        "set all of them by one `x.at[rows, columns].set(values)`",
    ),
    "draw": Case(
        "looped-draw",
        "missed-efficient-api",
        "random numbers are drawn one at a time",
        "draw all of them by one call with their shape",
    ),
    "lookup": Case(
        "looped-lookup",
        "missed-efficient-api",
        "parts of an array are picked one by one",
        "pick all of them by one index, `x[rows, columns]`, or by `jnp.take`",
    ),
    "slice": Case(
        "per-slice-op",
        "missed-batch-api",
        "operations are applied slice by slice in a Python loop",
        "apply them once to the whole array, with `axis` for what the slices were, or map them by "
        "`jax.vmap`",
    ),
    "eager": Case(
        "eager-loop",
        "inefficient-api-usage",
        ANY["eager"].message,
        "put the loop's body into a function under `jax.jit`, or the whole loop into "
        "`jax.lax.scan` or `jax.vmap`",
    ),
}
DIALECT = Dialect(NAME, WORDS, CASES, jax_operations.EACH)


def watch(tape: Tape) -> None:
    """Listen to what is sent off once JAX is there, as long as the budget lasts."""
    jax_operations.listen(tape, NAME)


def diagnose(trace: Trace) -> Iterable[Diagnosis]:
    """The loops in which tiny operations were heard, each for what it is a case of."""
    return diagnoses(trace, DIALECT, _compiled(trace))


def _compiled(trace: Trace) -> Mapping[tuple[str, int], float]:
    """The seconds that lines spent on compiling."""
    found: Counter[tuple[str, int]] = Counter()
    for seen in trace.observations:
        if seen.kind == COMPILED:
            for entry in seen.detail.get("functions", {}).values():
                found[seen.file, seen.line] += entry["seconds"]
    return found
