"""The host waits for the device in every iteration, with work queued since the last wait."""

from __future__ import annotations

from collections.abc import Iterator

from deepperf.knowledge.schema import Trait
from deepperf.records import Finding, Level, Step
from deepperf.rules.rule import Rule, each_function, each_loop
from deepperf.semantics.query import (
    Cost,
    Function,
    Iteration,
    Loop,
    LoopKind,
    Wait,
    level_of,
    share,
)

rule = Rule(
    module=__name__,
    cause="inefficient-data-transmission",
    symptoms=("abnormal-gpu-utilization", "slow-execution"),
    stage="training",
    level=Level.WARNING,
    frameworks=("torch", "jax", "tensorflow"),
)

_WHERE = {
    LoopKind.STEP: "each training step waits for the device",
    LoopKind.BATCH: "each batch waits for the device",
    LoopKind.TOKEN: "each run of the model waits for the device before the next one",
    LoopKind.PARAMETER: "the host waits for the device once per parameter",
    LoopKind.LAYER: "the host waits for the device once per module that the model runs",
    LoopKind.ROW: "the host waits for the device once per row",
}
_LITTLE = 0.005
"""The estimate of reads that wait for no work: how many rows there are nobody knows."""
_INNER = frozenset((LoopKind.PARAMETER, LoopKind.LAYER, LoopKind.ROW, LoopKind.UNKNOWN))
_UNSURE = frozenset((LoopKind.PARAMETER, LoopKind.UNKNOWN))
"""Norms of parameters are mostly asked for once a step, beside a backward pass far longer."""
_COLD = dict.fromkeys((LoopKind.PARAMETER, LoopKind.LAYER, LoopKind.ROW), Level.NOTE)
"""Of loops that nothing is seen to run often; of others of unknown length nothing is said."""
_SELDOM = frozenset(("seldom",))
_HOT = frozenset(("step", "batch", "token", "request", "parameter", "layer", "row"))
_QUIET = frozenset((LoopKind.EPOCH, LoopKind.FEW))
_KEEP = {
    "torch": "keep values on the device (`.detach()`)",
    "jax": "keep values as JAX arrays",
    "tensorflow": "keep values as tensors, or in a metric",
}
_REMEDY = "{} and read them together after the loop, or only on the steps that log"
_SKETCH = """\
kept = []
{header}:
    ...
    kept.append({value})  # instead of `{read}`
values = {joined}  # one wait, after the loop
"""
_JOINED = {
    "torch": ("{}.detach()", "torch.stack(kept).tolist()"),
    "jax": ("{}", "jax.device_get(kept)"),
    "tensorflow": ("{}", "tf.stack(kept).numpy()"),
}
_INNER_REMEDY = "collect the tensors, stack them, and read the result once after the loop"

_LAYER_REMEDY = (
    "compute without asking (`torch.where`, a mask), or ask once before the layers and pass the"
    " answer to them"
)


@each_loop
def check_loop(loop: Loop) -> Iterator[Finding]:
    kind = loop.kind
    if kind in _QUIET:
        return
    waits = loop.waits
    if loop.reaches(Trait.TELLS_TIME):
        waits = tuple([wait for wait in waits if not _is_barrier(wait)])
    if not any(wait.empties for wait in waits):
        reads = tuple([wait for wait in waits if wait.is_explicit])
        if reads and kind is LoopKind.ROW:
            yield _reads_elements(loop, reads)
        return
    if kind in _INNER:
        estimate = share(Cost.WAIT, _emptied(waits), Iteration(kind.value))
        cold = None if loop.runs_for == _SELDOM else _COLD.get(kind)
        level = level_of(estimate) if _HOT & loop.runs_for else cold
        # What one layer asks mostly holds for all, also where a branch rests on it.
        is_layer = kind is LoopKind.LAYER
        is_sure = (
            not _select(waits) if is_layer else loop.is_in_training_step and not _are_needed(waits)
        )
        if kind in _UNSURE or not is_sure:
            level = _at_most_note(level)
        remedy = _LAYER_REMEDY if is_layer else _INNER_REMEDY
    else:
        # What a model is given next rests on what it gave: one wait belongs to the algorithm.
        needed = 1.0 if kind is LoopKind.TOKEN else 0.0
        times = max(_counted(waits) - needed, 0.25)
        estimate = share(Cost.WAIT, times, Iteration(kind.value))
        # Beside a whole step of a model some waits are little: readers called most of them so.
        level = _at_most_note(level_of(estimate))
        remedy = _REMEDY.format(_KEEP[waits[0].framework])
    if level is not None:
        where = _WHERE.get(kind, f"every iteration of `{loop.header}` waits for the device")
        around = (loop.step("the loop"),) if kind in _INNER else ()
        yield _finding(where, waits, level, estimate, remedy, around)


def _reads_elements(loop: Loop, waits: tuple[Wait, ...]) -> Finding:
    """No work is queued, so that each read is a small copy, and there is one for each row."""
    first, *others = waits
    return rule.finding(
        first.calls[0],
        f"`{first.at.text}` copies one element from the device in every iteration of"
        f" `{loop.header}`",
        "copy all elements once before the loop: `.tolist()` or `.cpu()`",
        framework=first.framework,
        level=Level.NOTE,
        related=tuple([wait.at.step(f"`{wait.at.text}`, too") for wait in others]),
        estimate=_LITTLE,
    )


@each_function
def check_step_function(function: Function) -> Iterator[Finding]:
    """What a framework calls once per step is the body of a loop that the framework has."""
    if not _is_step(function):
        return
    waits = function.waits
    if not any(wait.empties for wait in waits) or waits[0].framework != "torch":
        return  # what others call once per step is traced
    if _is_told_by_callers(function):
        return
    estimate = share(Cost.WAIT, _counted(waits), Iteration.STEP)
    level = _at_most_note(level_of(estimate))
    if level is not None:
        where = f"each call of `{function.name}`, once per step, waits for the device"
        yield _finding(where, waits, level, estimate, _REMEDY.format(_KEEP["torch"]))


def _is_step(function: Function) -> bool:
    return bool(function.class_bases) and "step" in function.runs_for


def _is_told_by_callers(function: Function) -> bool:
    """Whether a loop that calls it, or a step function that does, is told of its waits."""
    places = {wait.at for wait in function.waits}
    pending, seen = [function], {function}
    while pending:
        for call in pending.pop().callers():
            around = call.function
            if around in seen:
                continue
            telling = [loop.waits for loop in call.loops if loop.kind not in _QUIET]
            if _is_step(around):
                telling.append(around.waits)
            if any(wait.at in places for waits in telling for wait in waits):
                return True
            seen.add(around)
            pending.append(around)
    return False


def _are_needed(waits: tuple[Wait, ...]) -> bool:
    """Whether no read could be done after the loop."""
    return all(wait.is_needed for wait in waits if wait.empties and wait.is_explicit)


def _select(waits: tuple[Wait, ...]) -> bool:
    """Whether each layer chooses its own elements, or reads what it goes on with."""
    return all(
        wait.selects or (wait.is_explicit and wait.is_needed) for wait in waits if wait.empties
    )


def _at_most_note(level: Level | None) -> Level | None:
    return None if level is None else min(level, Level.NOTE)


def _is_barrier(wait: Wait) -> bool:
    """Whether it only waits, so that what a clock says is true."""
    return wait.is_explicit and not wait.at.users


def _emptied(waits: tuple[Wait, ...]) -> float:
    return float(sum(wait.empties for wait in waits))


def _counted(waits: tuple[Wait, ...]) -> float:
    """How many waits cost something: one at the end of an iteration hides little."""
    last = any(wait.is_last and wait.empties for wait in waits)
    return max(_emptied(waits) - last, 0.25)


def _finding(
    where: str,
    waits: tuple[Wait, ...],
    level: Level,
    estimate: float,
    remedy: str,
    around: tuple[Step, ...] = (),
) -> Finding:
    first, *others = sorted(waits, key=lambda wait: not wait.empties)
    also = dict.fromkeys(wait.at for wait in others if wait.at != first.at)
    count = f" {len(waits)} times" if len(waits) > 1 else ""
    path = [call.step(f"`{call.name}` is called") for call in first.calls[:-1]]
    if path:
        path.append(first.at.step(f"`{first.at.text}` waits for the device"))
    return rule.finding(
        first.calls[0],
        f"{where}{count}: `{first.at.text}` needs a value that the device has not computed yet",
        remedy,
        path=tuple(path),
        framework=first.framework,
        level=level,
        related=(*around, *(at.step(f"`{at.text}` waits, too") for at in also)),
        sketch=_sketch(first),
        estimate=estimate,
    )


def _sketch(wait: Wait) -> str:
    """A list of what stays on the device, where the loop around the read is in sight."""
    loops = wait.calls[0].loops if len(wait.calls) == 1 else ()
    if not loops or loops[0].is_comprehension or not wait.is_explicit:
        return ""
    value, joined = _JOINED[wait.framework]
    return _SKETCH.format(
        header=loops[0].header,
        value=value.format(wait.tensor.source),
        read=wait.at.text,
        joined=joined,
    )
