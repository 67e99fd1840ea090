"""Samples are prepared as a whole where only a part of each, such as its label, is used."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterable

from deepperf.dynamic.diagnosis import FLOOR, Diagnosis, told_at
from deepperf.dynamic.program.sample_parts import lines_for_others, parts_taken
from deepperf.dynamic.recording.places import Place
from deepperf.dynamic.recording.tape import Tape
from deepperf.dynamic.recording.trace import Trace

NAME = "samples-for-labels"
RULES: tuple[str, ...] = ()
SYMPTOMS = ("slow-execution",)
PREPARES = "__getitem__"


def watch(tape: Tape) -> None:
    """The samples of the lines tell enough."""


def diagnose(trace: Trace) -> Iterable[Diagnosis]:
    """The lines that have samples prepared, and use none of what takes the time."""
    for caller, lines in _callers(trace).items():
        taken = parts_taken(caller.file, caller.line)
        if taken is None:
            continue
        looks = sum(
            count
            for (file, line), count in lines.items()
            if line in lines_for_others(file, line, taken)
        )
        if trace.sampled and looks >= FLOOR * trace.sampled:
            (file, line), _ = lines.most_common(1)[0]
            share = looks / trace.sampled
            where = f"{file.rpartition('/')[2]}:{line}"
            yield told_at(
                caller,
                signal=NAME,
                cause="inefficient-api-usage",
                message="whole samples are prepared, and only a part of each is used here",
                evidence=(
                    f"what is not used of them took {share * trace.work_seconds:.2f} s, most at "
                    f"{where}"
                ),
                remedy=(
                    "keep what is asked for here, such as the labels, in a list of its own beside "
                    "the samples (`dataset.targets` of torchvision's), and ask that"
                ),
                share=share,
            )


def _callers(trace: Trace) -> dict[Place, Counter[tuple[str, int]]]:
    """The lines that have samples prepared, with the looks at each line of what prepares them."""
    found: dict[Place, Counter[tuple[str, int]]] = {}
    for stack in trace.stacks:
        places = [trace.samples[number] for number in stack.lines]
        for inner, outer in itertools.pairwise(places):
            if inner.function == PREPARES:
                caller = Place(outer.file, outer.line, outer.function)
                at = inner.file, inner.line
                found.setdefault(caller, Counter())[at] += stack.looks
    return found
