"""Every training step saves, draws, logs or tidies up, which a step now and then would do."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from deepperf.knowledge.schema import ParameterRole, Trait
from deepperf.records import Finding, Level
from deepperf.rules.rule import Rule, each_function, each_loop
from deepperf.semantics.query import (
    Call,
    Cost,
    Function,
    Iteration,
    Kind,
    Loop,
    LoopKind,
    level_of,
    share,
)

rule = Rule(
    module=__name__,
    cause="inefficient-api-usage",
    symptoms=("slow-execution", "abnormal-gpu-utilization"),
    stage="training",
    level=Level.NOTE,
    frameworks=("torch",),
)


class _Chore(NamedTuple):
    cost: Cost
    ceiling: Level
    does: str
    remedy: str


_CHORES = {
    Trait.SAVES: _Chore(
        Cost.SAVE, Level.WARNING, "writes a file", "save once an epoch, or every so many steps"
    ),
    Trait.PLOTS: _Chore(
        Cost.PLOT, Level.WARNING, "draws a picture", "draw every so many steps, or after the epoch"
    ),
    Trait.MOVES: _Chore(
        Cost.MOVE_MODEL, Level.WARNING, "moves the model", "move the model once, before the loop"
    ),
    Trait.COLLECTS_GARBAGE: _Chore(
        Cost.COLLECT,
        Level.NOTE,
        "looks through all objects for garbage",
        "leave it to Python, or call `gc.disable()` and collect every so many steps",
    ),
    Trait.EMPTIES_CACHE: _Chore(
        Cost.CACHE,
        Level.NOTE,
        "gives cached memory back, which the next step asks for again",
        "take it out: the caching allocator reuses its memory",
    ),
    Trait.LOGS_METRICS: _Chore(
        Cost.LOG, Level.NOTE, "logs", "log every so many steps, from values kept on the device"
    ),
    Trait.PRINTS: _Chore(Cost.PRINT, Level.NOTE, "prints", "print every so many steps"),
}
"""What is done beside the training, the dearest first."""
_MEMORY = {trait: _CHORES[trait] for trait in (Trait.COLLECTS_GARBAGE, Trait.EMPTIES_CACHE)}
"""What also costs where a model is only run, batch after batch."""
_RUNNING = (LoopKind.BATCH, LoopKind.UNKNOWN)
_FEW = 10
"""Fewer steps than these train nothing: somebody tries something out."""

_SKETCH = """\
{header}:
    ...
    if step % 100 == 0:  # `step` counts the iterations
        {chore}
"""


@each_loop
def check_loop(loop: Loop) -> Iterator[Finding]:
    if (loop.trip_count or _FEW) < _FEW:
        return
    direct = [call for call in loop.calls() if _is_in_each(call, loop)]
    if loop.kind is LoopKind.STEP:
        yield from _findings(direct, loop)
    # An iteration that loads a model of its own, as for a fold, is no batch.
    elif (
        loop.kind in _RUNNING
        and any(_runs_model(call, loop) for call in direct)
        and not loop.reaches(Trait.GIVES_MODEL)
    ):
        yield from _findings(direct, loop, _MEMORY)


@each_function
def check_step_function(function: Function) -> Iterator[Finding]:
    """What a framework calls once per step is the body of a loop that the framework has."""
    if Trait.RUNS_EACH_STEP in function.traits and not function.callers():
        yield from _findings((call for call in function.calls() if _is_in_each(call)), None)


def _runs_model(call: Call, loop: Loop) -> bool:
    """Whether each iteration runs a model, and no loop of its own that does."""
    # Of a loop of unknown kind, such as one over folds, the engine has seen no run of a module.
    of_modules = (Trait.RUNS_MODULE,) if loop.kind is LoopKind.BATCH else ()
    way = call.way_to(*of_modules, Trait.INFERS, Trait.GENERATES)
    return bool(way) and not call.is_conditional(loop) and not any(map(_is_rare, way[1:]))


def _findings(
    calls: Iterable[Call], loop: Loop | None, chores: Mapping[Trait, _Chore] = _CHORES
) -> Iterator[Finding]:
    found: dict[Trait, tuple[Call, ...]] = {}
    others: list[Call] = []
    for call in calls:
        if call.is_conditional(loop) or call.guard(loop).is_rare:
            continue
        for trait in chores:
            way = call.way_to(trait)
            if not way or any(_is_rare(inner) for inner in way[1:]):
                continue
            if not _is_chore(way[-1], trait, loop):
                continue
            if trait in found:
                others.append(call)
            found.setdefault(trait, way)
            break
    if not found:
        return
    (trait, way), *rest = sorted(found.items(), key=lambda item: list(_CHORES).index(item[0]))
    chore = _CHORES[trait]
    estimate = share(chore.cost, 1, Iteration.STEP)
    level = level_of(estimate)
    if level is None:
        return
    each = "training step" if chores is _CHORES else "iteration"
    related = [way_[0].step(f"{_CHORES[one].does} in each step, too") for one, way_ in rest]
    related += [call.step(f"`{call.name}`, too, in each step") for call in others]
    yield rule.finding(
        way[0],
        f"`{way[0].name}` {chore.does} in each {each}",
        chore.remedy,
        path=tuple([call.step(f"`{call.name}` is called") for call in way[1:]]),
        sketch=_SKETCH.format(header=loop.header, chore=way[0].source) if loop else "",
        level=min(level, chore.ceiling),
        related=tuple(related),
        estimate=min(estimate, 0.01) if chore.ceiling is Level.NOTE else estimate,
    )


def _is_rare(call: Call) -> bool:
    return not _is_in_each(call) or call.is_conditional() or call.guard().is_rare


def _is_in_each(call: Call, loop: Loop | None = None) -> bool:
    """Whether it runs in each iteration, or call of its function: in no other loop but one over a
    handful of things, or over the objects whose method it is, such as hooks.
    """
    for inner in call.loops:
        if inner == loop:
            return True
        is_of_element = bool(call.runs) and call.receiver == inner.element
        if not (inner.is_short or is_of_element):
            return False
    return loop is None


def _is_chore(call: Call, trait: Trait, loop: Loop | None) -> bool:
    if call.function.is_traced and not call.has(Trait.ADDS_NODE):
        return False  # Python does it while it traces, and no more
    if trait is Trait.MOVES:
        return call.has(Trait.WRITES_STATE)  # a tensor is copied, a model is changed
    if trait is Trait.COLLECTS_GARBAGE:
        return not any(call.file.calls(Trait.TIMES_COLLECTION))
    if trait is Trait.SAVES:
        return not _is_stream(call, loop)
    return True


def _is_stream(call: Call, loop: Loop | None) -> bool:
    """Whether it writes on to a file that was opened before the loop."""
    place = call.in_role(ParameterRole.PLACE)
    if place is None or loop is None or loop.contains(place):
        return False
    opened = place.call is not None and place.call.has(Trait.OPENS_HANDLE)
    return opened or place.kind is Kind.ENTER
