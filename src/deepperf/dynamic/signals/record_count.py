"""A loop goes through a dataset only to count its elements."""

from __future__ import annotations

import ast
import functools
import sys
from collections.abc import Iterable, Iterator
from types import ModuleType
from typing import Any

from deepperf.dynamic.diagnosis import Diagnosis, share_of, told_at
from deepperf.dynamic.program.text import tree_of
from deepperf.dynamic.recording.tape import Tape
from deepperf.dynamic.recording.trace import Trace
from deepperf.dynamic.recording.unseen import standing_for

NAME = "record-count"
RULES = ("record-count",)
HOMES = {
    "tensorflow.python.data.ops.dataset_ops": "DatasetV2",
    "torch.utils.data.dataloader": "DataLoader",
}


def watch(tape: Tape) -> None:
    """Learn at which lines datasets and loaders are gone through."""
    for home, name in HOMES.items():
        tape.imports.after(home, functools.partial(_wrap, tape, name))


def _wrap(tape: Tape, name: str, module: ModuleType) -> None:
    cls: Any = getattr(module, name)
    iterate = cls.__iter__

    @standing_for(iterate)
    def watched(self: Any) -> Any:
        frame = sys._getframe(1)
        # What a framework goes through is not counted by it.
        if tape.active and tape.code.path_of(frame.f_code.co_filename):
            tape.note(NAME, tape.code.place(frame))
        return iterate(self)

    cls.__iter__ = watched


def diagnose(trace: Trace) -> Iterable[Diagnosis]:
    """The loops of which the text shows that they take nothing but the number."""
    for seen in trace.observations:
        if seen.kind != NAME:
            continue
        loop = next(_counts_at(seen.file, seen.line), None)
        if loop is None:
            continue
        share = max(share_of(trace, seen.file, line) for line in loop)
        yield told_at(
            seen,
            signal=NAME,
            cause="missed-efficient-api",
            message="every element of a dataset is loaded only to count them",
            evidence=f"iterated over {seen.count:,}x; only the number is used",
            remedy=(
                "use `len` or `cardinality` where it is known; else count the raw records before "
                "they are parsed, in batches, and keep the number beside the files"
            ),
            share=share,
            rule=NAME,
        )


def _counts_at(file: str, line: int) -> Iterator[range]:
    """The lines of a loop whose head is at `line`, where it only counts."""
    tree = tree_of(file)
    if tree is None:
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.For):
            counts, head = _only_counts(node), node.iter
        elif isinstance(node, ast.Call):
            counts, head = _is_sum_of_ones(node), node
        else:
            continue
        if counts and head.lineno <= line <= (head.end_lineno or 0):
            yield range(node.lineno, (node.end_lineno or node.lineno) + 1)


def _only_counts(loop: ast.For) -> bool:
    """Whether each turn adds a number to one that does not come from the element."""
    named = {node.id for node in ast.walk(loop.target) if isinstance(node, ast.Name)}
    if len(loop.body) != 1 or loop.orelse:
        return False
    (step,) = loop.body
    if not isinstance(step, ast.AugAssign) or not isinstance(step.op, ast.Add):
        return False
    used = {node.id for node in ast.walk(step) if isinstance(node, ast.Name)}
    return not used & named and not any(isinstance(node, ast.Call) for node in ast.walk(step))


def _is_sum_of_ones(call: ast.Call) -> bool:
    """Whether it is `sum(1 for … in …)` or `len(list(…))`."""
    if not isinstance(call.func, ast.Name) or len(call.args) != 1:
        return False
    (given,) = call.args
    if call.func.id == "sum" and isinstance(given, (ast.GeneratorExp, ast.ListComp)):
        return isinstance(given.elt, ast.Constant) and not given.generators[0].ifs
    return (
        call.func.id == "len"
        and isinstance(given, ast.Call)
        and isinstance(given.func, ast.Name)
        and given.func.id in ("list", "tuple")
    )
