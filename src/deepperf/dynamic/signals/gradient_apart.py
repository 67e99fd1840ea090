"""JAX computes a loss once more beside its gradient, which comes by it anyway."""

from __future__ import annotations

import itertools
from collections.abc import Iterable

from deepperf.dynamic.diagnosis import FLOOR, Diagnosis, Weight, share_of, told_at
from deepperf.dynamic.program.same_arguments import have_same_arguments, is_made_elsewhere
from deepperf.dynamic.recording.tape import Tape
from deepperf.dynamic.recording.trace import Observation, Trace
from deepperf.dynamic.signals.recompilation import JAX

NAME = "gradient-apart"
RULES: tuple[str, ...] = ()
SYMPTOMS = ("slow-execution",)
NAMELESS = "<lambda>"
"""What many functions are called."""


def watch(_tape: Tape) -> None:
    """Nothing: what is compiled is noted anyway, and where the time goes is looked at."""


def diagnose(trace: Trace) -> Iterable[Diagnosis]:
    """The lines of one function that compile the same function twice, for the same arguments."""
    lines = sorted(
        (seen for seen in trace.observations if seen.kind == JAX),
        key=lambda seen: (seen.file, seen.function, seen.line),
    )
    for _, found in itertools.groupby(lines, key=lambda seen: (seen.file, seen.function)):
        for first, second in itertools.pairwise(found):
            name = _same(first, second)
            if not name or is_made_elsewhere(first.file, name, first.line):
                continue
            if have_same_arguments(first.file, first.line, second.line):
                yield _diagnosis(trace, first, second, name)


def _same(first: Observation, second: Observation) -> str:
    """The function of the program's that both lines compiled, for arguments of the same shapes; ""
    where there is none."""
    others = second.detail.get("functions", {})
    for name, entry in first.detail.get("functions", {}).items():
        other = others.get(name)
        if name == NAMELESS or other is None or entry.get("library") or other.get("library"):
            continue
        if set(entry["shapes"]) & set(other["shapes"]):
            return str(name)
    return ""


def _diagnosis(trace: Trace, first: Observation, second: Observation, name: str) -> Diagnosis:
    shares = [share_of(trace, seen.file, seen.line) for seen in (first, second)]
    share = min(shares)
    less = first if shares[0] <= shares[1] else second
    other = second if less is first else first
    return told_at(
        less,
        signal=NAME,
        cause="inefficient-api-usage",
        message=f"`{name}` is compiled, and computed, twice for the same arguments",
        evidence=(
            f"here, and at line {other.line}: as its value and its gradient, or by two of "
            "`jax.jit`; the one that takes less is what can be spared"
        ),
        remedy="`jax.jit(jax.value_and_grad(f))` gives the loss with the gradient",
        weight=Weight.TIME if share >= FLOOR else Weight.HINT,
        share=share,
    )
