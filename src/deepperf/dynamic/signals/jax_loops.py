"""Tiny JAX operations are sent off one by one in a Python loop, outside of any `jax.jit`."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping

from deepperf.dynamic.diagnosis import Diagnosis, Weight, own_share_of, told_at
from deepperf.dynamic.frameworks import jax_operations
from deepperf.dynamic.program.dispatch_loops import BESIDE, Dialect, diagnoses
from deepperf.dynamic.program.few_rows import SLOW_PROCESSOR
from deepperf.dynamic.program.operation_loops import Words, cases
from deepperf.dynamic.program.turns import in_loop, needs_last_turn, picks_by_turn
from deepperf.dynamic.recording.tape import Tape
from deepperf.dynamic.recording.trace import Trace

NAME = "jax-loops"
RULES = ("eager-loop", "looped-draw", "looped-lookup", "looped-update", "per-slice-op")
COMPILED = "recompilation jax"
SMALL = 100_000
"""Numbers that a call takes, makes or multiplies up to which it takes less than to send it off."""
FEWEST_CALLS = 1000
"""Calls of the program's functions: fewer are over in a moment."""
COSTLY = 0.1
"""Share of the run from which on a function that is compiled already is worth another change."""
WORDS = Words(
    reads=(),
    draws=("_normal", "_uniform", "_randint", "_bernoulli", "_categorical", "_truncated_normal"),
    updates=jax_operations.UPDATES,
    lookups=jax_operations.LOOKUPS,
    around=("reshape", "concatenate", "stack", "iota", "expand_dims"),
)
CASES = cases(
    "an array",
    {
        "update": "set all of them with one `x.at[rows, columns].set(values)`: every such call "
        "copies the whole array",
        "draw": "draw all of them with one call with their shape",
        "lookup": "read all of them with one index, `x[rows, columns]`, or by `jnp.take`",
        "slice": "apply them once to the whole array, with `axis` for the slices, or map "
        "them by `jax.vmap`",
        "eager": "put the body of the loop under `jax.jit`, or write the loop with `jax.lax.scan` "
        "or `jax.vmap`",
    },
)
DIALECT = Dialect(NAME, WORDS, CASES, jax_operations.EACH, BESIDE | {"jax", "jaxlib"})


def watch(tape: Tape) -> None:
    """Listen to what is sent off once JAX is there, as long as the budget lasts."""
    jax_operations.listen(tape, NAME)


def diagnose(trace: Trace) -> Iterable[Diagnosis]:
    """The loops in which tiny operations were heard, each for what it is a case of."""
    yield from diagnoses(trace, DIALECT, _compiled(trace))
    yield from _small_calls(trace)


def _small_calls(trace: Trace) -> Iterator[Diagnosis]:
    """The lines of loops that call compiled functions which compute next to nothing."""
    work = _work(trace)
    ticks = max(trace.steps.values(), default=0)
    for seen in trace.observations:
        called = seen.detail.get("functions", {}) if seen.kind == NAME else {}
        most = max((work.get(name, math.inf) for name in called), default=math.inf)
        if most > SMALL or ticks < FEWEST_CALLS or not in_loop(seen.file, seen.line):
            continue
        share = own_share_of(trace, seen.file, seen.line)
        each = share * trace.work_seconds / ticks
        lost = share * (1.0 - most / SLOW_PROCESSOR / each) if each else 0.0
        if lost < COSTLY:
            continue
        is_joined = not needs_last_turn(seen.file, seen.line) and picks_by_turn(
            seen.file, seen.line
        )
        yield told_at(
            seen,
            signal=NAME,
            cause="missed-batch-api",
            message=f"`{max(called, key=called.__getitem__)}` does little work per call",
            evidence=(
                f"a call multiplies and adds about {most:,.0f} numbers; {share:.0%} of the run is "
                "spent at the line that calls it"
            ),
            remedy=(
                "map it with `jax.vmap` over everything that the loop iterates over"
                if is_joined
                else "put the loop under `jax.jit`, with `jax.lax.scan` or `jax.lax.fori_loop`"
            ),
            # What is computed from the turn before may be needed outside of JAX meanwhile.
            weight=Weight.TIME if is_joined else Weight.HINT,
            share=lost,
        )


def _work(trace: Trace) -> Mapping[str, float]:
    """The most that functions compute at a call, by their names."""
    found: dict[str, float] = {}
    for seen in trace.observations:
        if seen.kind == COMPILED:
            for name, entry in seen.detail.get("functions", {}).items():
                found[name] = max(found.get(name, 0.0), entry.get("work", math.inf))
    return found


def _compiled(trace: Trace) -> Mapping[tuple[str, int], float]:
    """The seconds that lines spent on compiling."""
    found: Counter[tuple[str, int]] = Counter()
    for seen in trace.observations:
        if seen.kind == COMPILED:
            for entry in seen.detail.get("functions", {}).values():
                found[seen.file, seen.line] += entry["seconds"]
    return found
