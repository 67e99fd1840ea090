"""`tf.map_fn` runs a function row by row, though its operations would take all rows at once."""

from __future__ import annotations

import sys
import threading
import time
import weakref
from collections.abc import Iterable
from types import ModuleType
from typing import Any

from deepperf.dynamic.diagnosis import Diagnosis, Weight, share_of, share_of_seconds, told_at
from deepperf.dynamic.frameworks.graph_places import asked_from, innermost, stack_now
from deepperf.dynamic.frameworks.keras_calls import leading_array, rows_of
from deepperf.dynamic.recording.tape import Tape
from deepperf.dynamic.recording.trace import Observation, Trace
from deepperf.dynamic.recording.unseen import standing_for

NAME = "row-wise-map"
RULES = ("row-wise-map",)
FEWEST_ROWS = 16
"""Rows below which a map may be there for the memory that each of them needs."""
FEWEST_NESTED = 6
"""The same for a function that goes through rows itself, and so has each row met by many."""
USUAL_ROWS = 32
"""Rows of a batch whose size is not known while its graph is built."""
MOST_LOOKED_AT = 400
"""Operations that are looked at of one map, to tell what its function does."""
ONE_AT_A_TIME = (
    "Decode",
    "ReadFile",
    "PyFunc",
    "EagerPyFunc",
    "NonMaxSuppression",
    "Parse",
    "Unique",
    "StringSplit",
    "RandomShuffle",
    "Ragged",
    "Sparse",
    "Audio",
    "SampleDistortedBoundingBox",
    "CropAndResize",
    "WriteFile",
    "ListDiff",
)
"""How operations begin that give each row another shape, or take one at a time."""


BY_CONDITION = ("Where",)
"""How operations begin that choose elements of a row, for which a mask of all rows may do."""
REDUCES = ("ArgM", "Min", "Max", "Sum", "Mean", "Prod", "Any", "All", "EuclideanNorm")
"""How operations begin that make one of what was chosen, as they do of a row with a mask."""
BY_ORDER = ("TopK", "Pad", "Cumsum", "Cumprod", "MatMul", "BatchMatMul", "Reverse", "Segment")
"""How operations begin to which it matters which place a chosen element has."""


def watch(tape: Tape) -> None:
    """Look at each map that is not part of another."""
    tape.imports.after("tensorflow.python.ops.map_fn", lambda module: _wrap(tape, module))


def _wrap(tape: Tape, module: ModuleType) -> None:
    mapped: Any = module.map_fn
    state = threading.local()

    @standing_for(mapped)
    def watched(*arguments: Any, **named: Any) -> Any:
        if not tape.active or getattr(state, "inside", False):
            state.nested = True
            return mapped(*arguments, **named)
        elements = named["elems"] if "elems" in named else (*arguments, None, None)[1]
        look = tape.guarded(NAME, lambda: _Look(tape, elements))
        state.inside, state.nested = True, False
        begin = time.perf_counter()
        try:
            return mapped(*arguments, **named)
        finally:
            state.inside = False
            seconds = time.perf_counter() - begin
            if look is not None:
                look.is_nested = state.nested
                tape.guarded(NAME, lambda: look.end(seconds))

    module.map_fn = watched  # type: ignore[attr-defined]


class _Look:
    """What is seen of one map while it runs, or while its graph is built."""

    def __init__(self, tape: Tape, elements: Any) -> None:
        self.is_nested = False
        self._tape = tape
        self._kinds: list[str] = []
        array = leading_array(elements)
        self._rows = rows_of(elements)
        self._is_odd = array is None or type(array).__name__ in ("RaggedTensor", "SparseTensor")
        self._is_odd = self._is_odd or getattr(array.dtype, "name", "") == "string"
        frames = stack_now()
        self._place = innermost(tape.code, frames)
        self._asked = asked_from(tape.code, frames)
        self._graph: Any = None
        if self._asked is not None:
            graph = sys.modules["tensorflow.python.framework.ops"].get_default_graph()
            self._graph = weakref.ref(graph)
        self._known = {} if self._place is None else tape.detail(NAME, self._place)
        self._callbacks = sys.modules.get("tensorflow.python.framework.op_callbacks")
        if "kinds" not in self._known and self._callbacks is not None:
            self._callbacks.add_op_callback(self._hear)
        else:
            self._callbacks = None

    def _hear(self, kind: Any, *_: Any, **__: Any) -> None:
        if len(self._kinds) < MOST_LOOKED_AT:
            self._kinds.append(kind if isinstance(kind, str) else kind.decode())

    def end(self, seconds: float) -> None:
        """Note what was seen."""
        if self._callbacks is not None:
            self._callbacks.remove_op_callback(self._hear)
        if self._place is None:
            return
        is_graph = self._asked is not None
        self._tape.note(NAME, self._place, seconds=0.0 if is_graph else seconds)
        detail = self._known
        detail["rows"] = max(detail.get("rows", 0), self._rows or 0)
        detail["nested"] = self.is_nested
        detail["odd"] = self._is_odd or detail.get("odd", False)
        if "kinds" not in detail:
            detail["kinds"] = sorted(set(self._kinds))
            rows = self._rows or USUAL_ROWS
            detail["each"] = max(1, len(self._kinds) // (1 if is_graph else rows))
        if self._asked is not None:
            detail["asked"] = [self._asked.file, self._asked.line]
            graph = self._graph()
            detail["around"] = 0 if graph is None else len(graph.get_operations())


def diagnose(trace: Trace) -> Iterable[Diagnosis]:
    """The maps over many rows whose functions take whole batches as well."""
    for seen in trace.observations:
        if seen.kind != NAME or seen.detail.get("odd") or not seen.detail.get("kinds"):
            continue
        rows = seen.detail["rows"]
        if 0 < rows < (FEWEST_NESTED if seen.detail.get("nested") else FEWEST_ROWS):
            continue
        if any(kind.startswith(ONE_AT_A_TIME) for kind in seen.detail["kinds"]):
            continue
        yield _diagnosis(trace, seen, rows)


def _takes_all_rows(kinds: Iterable[str]) -> bool:
    """Whether the operations surely work on all rows at once: where some elements of a row are
    chosen, a mask does it if only a reduction of them is made."""
    found = tuple(kinds)
    if not any(kind.startswith(BY_CONDITION) for kind in found):
        return True
    is_reduced = any(kind.startswith(REDUCES) for kind in found)
    return is_reduced and not any(kind.startswith(BY_ORDER) for kind in found)


def _diagnosis(trace: Trace, seen: Observation, rows: int) -> Diagnosis:
    each = seen.detail["each"]
    is_sure = _takes_all_rows(seen.detail["kinds"])
    shown = f"{rows:,} rows" if rows else "rows"
    if "asked" in seen.detail:
        work = (rows or USUAL_ROWS) * each
        part = work / (work + seen.detail.get("around", 0))
        file, line = seen.detail["asked"]
        share = part * share_of(trace, file, line)
        evidence = (
            f"a loop of the graph, {shown} by about {each:,} operations: {part:.0%} of those that "
            f"line {line} runs"
        )
    else:
        share = share_of_seconds(trace, seen.seconds)
        evidence = f"{shown} mapped {seen.count:,}x, in {seen.seconds:.2f} s"
    is_chosen = any(kind.startswith(BY_CONDITION) for kind in seen.detail["kinds"])
    return told_at(
        seen,
        signal=NAME,
        cause="missed-batch-api",
        message="a function is mapped row by row, although its operations accept whole batches",
        evidence=evidence,
        remedy=(
            "give the operations all rows at once, with `axis` counted from the end; "
            "`tf.vectorized_map` does it where they cannot be rewritten"
            if not is_chosen
            else "use a mask, with the three-argument `tf.where`, instead of branching, and let "
            "the operations take all rows at once"
        ),
        weight=Weight.TIME if is_sure else Weight.HINT,
        share=share,
        rule=NAME,
    )
