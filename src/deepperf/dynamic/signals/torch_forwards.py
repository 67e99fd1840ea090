"""A PyTorch model is asked about one row at a time, or keeps what only a backward pass needs."""

from __future__ import annotations

import math
import weakref
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from deepperf.dynamic.diagnosis import (
    FLOOR,
    FORWARD,
    Diagnosis,
    Weight,
    running_part,
    share_of,
    share_of_call,
    share_of_memory,
    told_at,
)
from deepperf.dynamic.frameworks.loader_waits import OTHER_WAITS, WAITS
from deepperf.dynamic.frameworks.torch_calls import ModuleCall, listen
from deepperf.dynamic.frameworks.torch_given import (
    cache_of,
    first_tokens,
    kept_by,
    tensors_of,
    vectors_of,
)
from deepperf.dynamic.program.turns import (
    in_loop,
    needs_last_turn,
    takes_item,
    takes_item_of_inmost,
)
from deepperf.dynamic.recording.places import Place
from deepperf.dynamic.recording.tape import Tape
from deepperf.dynamic.recording.trace import Observation, Trace

NAME = "torch-forwards"
RULES = ("missing-no-grad", "predict-per-item")
FEWEST_CALLS = 16
"""Calls from one line, among those heard: fewer are a look at an example now and then."""
FEWEST_STEPS = 4
"""Calls that do as well where each was heard in a step of its own: budgets end soon where a step
has many operations, and a training asks the same in each."""
ROWS_OF_STEP = 4
"""Rows of one step of an optimizer from which on a model in training could be asked at once."""
FEW_ROWS = 1.5
"""Rows of a call on average below which nearly all calls have one."""
LARGER = 16
"""How many times as many elements a tensor has that the rows were cut from."""
MOSTLY_OVERHEAD = 0.01
"""Seconds of a call up to which a batch shares most of it on any machine; a model that computes
longer for one row may keep all cores busy with it."""
FEW_VECTORS = 4
"""Vectors of a call up to which the weights are read rather than computed with: more rows would
read them only once, however large the model is."""
KEPT = (
    "model",
    "calls",
    "rows",
    "cut",
    "regrown",
    "texts",
    "cache",
    "seconds",
    "turns",
    "unused",
    "is_used",
    "kept",
    "alive",
    "vectors",
    "others",
)


def watch(tape: Tape) -> None:
    """Hear of calls of modules once PyTorch is there, as long as the budget lasts."""
    watched = _Watch(tape)
    listen(tape, NAME, watched.take, watched.note)


class _Seen:
    __slots__ = (
        "alive",
        "cache",
        "calls",
        "cut",
        "first",
        "is_used",
        "kept",
        "model",
        "others",
        "outer",
        "outputs",
        "regrown",
        "rows",
        "seconds",
        "shape",
        "texts",
        "tick",
        "tokens",
        "turns",
        "unused",
        "vectors",
    )

    def __init__(self, model: Any, outer: Place | None) -> None:
        self.model = type(model).__name__
        self.first = id(model)
        self.others = 0
        self.outer = outer
        self.calls = 0
        self.rows = self.vectors = 0
        self.cut = 0
        self.shape: tuple[int, ...] = ()
        self.tokens: list[int] = []
        self.texts = 0
        self.regrown = 0
        self.cache = ""
        self.tick = -1
        self.turns = 0
        self.seconds = 0.0
        self.unused = 0
        self.is_used = False
        self.kept = 0
        self.outputs: list[weakref.ref[Any]] = []
        self.alive = 1


class _Watch:
    """What each line was seen to ask of models."""

    def __init__(self, tape: Tape) -> None:
        self._tape = tape
        self._lines: dict[Place, _Seen] = {}
        self._by_step: weakref.WeakKeyDictionary[Any, bool] = weakref.WeakKeyDictionary()

    def take(self, call: ModuleCall) -> None:
        """Add what a call was about."""
        seen = self._lines.get(call.place)
        if seen is None:
            outer = call.ways[1] if len(call.ways) > 1 else None
            seen = self._lines[call.place] = _Seen(call.module, outer)
        seen.calls += 1
        seen.others += id(call.module) != seen.first
        seen.seconds += call.seconds
        ticks = self._tape.ticks
        seen.turns += ticks != seen.tick
        seen.tick = ticks
        given = call.given
        if given is not None and given.dim():
            seen.rows += 1 if given.dim() == 1 else self._rows_of(call, given)
            seen.vectors += vectors_of(given)
            base = given._base
            if base is not None and base.numel() >= LARGER * max(1, given.numel()):
                seen.cut += 1
            self._follow_text(seen, call, given)
        if call.module.training:
            seen.is_used = seen.is_used or call.torch.is_grad_enabled()
        elif not seen.is_used:
            self._follow(seen, call)

    def _follow_text(self, seen: _Seen, call: ModuleCall, given: Any) -> None:
        """Learn whether a model is given the tokens of the call before, and one more."""
        if given.dim() != 2 or given.is_floating_point():
            return
        seen.texts += 1
        shape, tokens = tuple(given.shape), first_tokens(given)
        before = seen.tokens
        seen.tokens = tokens
        is_longer = shape == (*seen.shape[:-1], seen.shape[-1] + 1) if seen.shape else False
        seen.shape = shape
        cache = cache_of(call.module)
        # Of a model without a cache, the next batch may be as long by chance.
        if is_longer and (cache or (before and before == tokens[: len(before)])):
            seen.regrown += 1
            seen.cache = cache

    def _rows_of(self, call: ModuleCall, given: Any) -> int:
        """How many rows a model is given, of whichever tensor has most: others may be one for all
        of them."""
        axis = self._axis_of_rows(call, given)
        others = (one for one in call.arguments if call.is_tensor(one) and one.dim() == given.dim())
        return max([int(given.size(axis)), *(int(one.size(axis)) for one in others)])

    def _axis_of_rows(self, call: ModuleCall, given: Any) -> int:
        """Recurrent layers take steps before rows, unless they are told otherwise."""
        if given.size(1) != 1:
            return 0
        by_step = self._by_step.get(call.module)
        if by_step is None:
            parts = call.module.modules()
            by_step = any(getattr(part, "batch_first", True) is False for part in parts)
            self._by_step[call.module] = by_step
        return int(by_step)

    def _follow(self, seen: _Seen, call: ModuleCall) -> None:
        """Learn whether what an evaluation has kept is ever used."""
        tensor = next(tensors_of(call.is_tensor, call.output), None)
        node = None if tensor is None else tensor.grad_fn
        if node is None:
            return
        seen.unused += 1

        def used(_gradients: Any) -> None:
            seen.is_used = True

        node.register_prehook(used)
        if seen.unused in (FEWEST_STEPS, FEWEST_CALLS):
            seen.kept = kept_by(call.is_tensor, node)
        seen.outputs.append(weakref.ref(tensor))
        if seen.unused % FEWEST_CALLS == 0:
            seen.outputs = [one for one in seen.outputs if one() is not None]
            seen.alive = max(seen.alive, len(seen.outputs))

    def note(self) -> None:
        """Put on the tape what is known so far."""
        for place, seen in list(self._lines.items()):
            if seen.calls < FEWEST_CALLS and not _is_each_step(seen):
                continue
            self._tape.note(NAME, place, count=0)
            detail = self._tape.detail(NAME, place)
            detail.update({name: getattr(seen, name) for name in KEPT})
            if seen.outer is not None:
                detail["outer"] = [seen.outer.file, seen.outer.line]
                detail["caller"] = seen.outer.function


def _is_each_step(seen: _Seen) -> bool:
    """Whether nobody used what any call kept, of which each was in a step of its own."""
    return seen.calls >= FEWEST_STEPS and seen.calls == seen.unused == seen.turns


def diagnose(trace: Trace) -> Iterable[Diagnosis]:
    """The lines that ask about little, and those that keep what nobody uses."""
    tellers: tuple[Callable[[Trace, Observation], Iterable[Diagnosis]], ...]
    tellers = (_of_gradients, _of_rows, _of_regrown)
    # What is called where a loop waits for its loader prepares samples, as `Normalize` does.
    loading = {
        (seen.file, seen.line) for seen in trace.observations if seen.kind in (WAITS, OTHER_WAITS)
    }
    for seen in trace.observations:
        is_asked = seen.kind == NAME and "calls" in seen.detail
        if is_asked and (seen.file, seen.line) not in loading:
            is_often = seen.detail["calls"] >= FEWEST_CALLS
            for tell in tellers if is_often else tellers[:1]:
                yield from tell(trace, seen)


def _of_rows(trace: Trace, seen: Observation) -> Iterable[Diagnosis]:
    detail = seen.detail
    calls = detail["calls"]
    lines = [(seen.file, seen.line), *([tuple(detail["outer"])] if "outer" in detail else [])]
    # A step for each row is another matter: then it is the batch that is small.
    is_stepped = detail["is_used"] and calls < ROWS_OF_STEP * detail["turns"]
    if is_stepped or not 0 < detail["rows"] <= FEW_ROWS * calls:
        return
    is_carried = [needs_last_turn(*line) for line in lines]
    if any(is_carried) and takes_item_of_inmost(*lines[0]) and not detail.get("others", calls):
        yield from _of_inmost(trace, seen)
        return
    if is_carried[0] and not any(is_carried[1:]):
        # Of one sequence in training, all calls may be a single step's.
        yield from () if detail["is_used"] else _of_sequences(trace, seen)
        return
    if not any(in_loop(*line) for line in lines) or any(is_carried):
        return
    share = share_of_call(trace, seen.file, seen.line, FORWARD)
    if share < FLOOR:
        return
    each = detail["seconds"] / calls
    is_cut = detail["cut"] * 2 >= calls or any(takes_item(*line) for line in lines)
    yield told_at(
        seen,
        signal=NAME,
        cause="missed-batch-api",
        message=f"`{detail['model']}` is called with one row at a time",
        evidence=f"{calls:,} sampled calls took {1000 * each:.2g} ms each",
        remedy="stack the inputs and call it once, or in batches of hundreds",
        # Rows that are neither cut from a tensor nor what a loop goes over may each depend on the
        # answer before.
        weight=Weight.TIME if is_cut and _gains(trace, detail, each) else Weight.HINT,
        share=share,
        rule="predict-per-item",
    )


def _gains(trace: Trace, detail: Mapping[str, Any], each: float) -> bool:
    """Whether calls of one row, each of so many seconds, take longer than their part of a batch."""
    if detail.get("vectors", math.inf) <= FEW_VECTORS * detail["calls"]:
        return True
    return running_part(trace) * each <= MOSTLY_OVERHEAD


def _of_inmost(trace: Trace, seen: Observation) -> Iterable[Diagnosis]:
    """The rows of one iteration of an outer loop, such as the scales of a picture: few, perhaps, so
    that what a batch of them saves is not known."""
    calls = seen.detail["calls"]
    share = share_of_call(trace, seen.file, seen.line, FORWARD)
    if share < FLOOR:
        return
    yield told_at(
        seen,
        signal=NAME,
        cause="missed-batch-api",
        message=f"`{seen.detail['model']}` is called with one row at a time in an inner loop",
        evidence=(
            f"{calls:,} sampled calls took {1000 * seen.detail['seconds'] / calls:.2g} ms each, "
            f"{share:.0%} of the run in all; only the loop around needs their results"
        ),
        remedy="stack the inputs of the inner loop, and call it once in each outer iteration",
        weight=Weight.HINT,
        share=share,
        rule="predict-per-item",
    )


def _of_sequences(trace: Trace, seen: Observation) -> Iterable[Diagnosis]:
    """A text that is written word by word needs its own words, and not those of other texts."""
    if "outer" not in seen.detail:
        return
    file, line = seen.detail["outer"]
    share = share_of(trace, file, line)
    if share < FLOOR or not takes_item(file, line):
        return
    calls = seen.detail["calls"]
    each = seen.detail["seconds"] / calls
    yield told_at(
        Place(file, line, seen.detail["caller"]),
        signal=NAME,
        cause="missed-batch-api",
        message=f"`{seen.detail['model']}` processes one sequence at a time, step by step",
        evidence=f"{calls:,} sampled calls of one row took {1000 * each:.2g} ms each",
        remedy="pad the sequences to one length, and process them in batches",
        weight=Weight.TIME if _gains(trace, seen.detail, each) else Weight.HINT,
        share=share,
        rule="predict-per-item",
    )


def _of_gradients(trace: Trace, seen: Observation) -> Iterable[Diagnosis]:
    detail = seen.detail
    fewest = FEWEST_CALLS if detail["calls"] >= FEWEST_CALLS else FEWEST_STEPS
    if detail["is_used"] or detail["unused"] < fewest:
        return
    peak = trace.peak
    yield told_at(
        seen,
        signal=NAME,
        cause="inefficient-api-usage",
        message=f"`{detail['model']}` records gradients for a backward pass that never comes",
        evidence=(
            f"all of {detail['unused']:,} sampled calls in evaluation mode; each kept "
            f"{detail['kept'] / 1e6:,.1f} MB"
            + (f", up to {detail['alive']:,} of them at once" if detail["alive"] > 1 else "")
        ),
        remedy="call it under `torch.inference_mode()` or `torch.no_grad()`",
        weight=Weight.MEMORY,
        share=share_of_memory(detail["kept"] * detail["alive"], peak),
        rule="missing-no-grad",
    )


def _of_regrown(trace: Trace, seen: Observation) -> Iterable[Diagnosis]:
    """Tokens that a model has seen, and computes anew for each further one."""
    detail = seen.detail
    # One that is in training mode by mistake writes texts, too.
    is_training = detail["is_used"] and (detail["cache"] or detail["turns"] > 1)
    if is_training or detail["regrown"] < FEWEST_CALLS:
        return
    if 2 * detail["regrown"] < detail.get("texts", detail["calls"]):
        return
    cached = (
        f"pass `{detail['cache']}` of the output to the next call, with only the new token; "
        "`generate` does so unless it gets `use_cache=False`"
    )
    own = "keep the keys and values of earlier tokens, and compute only those of the new one"
    yield told_at(
        seen,
        signal=NAME,
        cause="inefficient-api-usage",
        message=f"`{detail['model']}` recomputes the whole text for each new token",
        evidence=(
            f"{detail['regrown']:,} of {detail['calls']:,} sampled calls had the "
            "tokens of the call before, and one more"
        ),
        remedy=cached if detail["cache"] else own,
        share=share_of_call(trace, seen.file, seen.line, FORWARD),
    )
