"""Each epoch of a training runs a frozen model on the same samples again."""

from __future__ import annotations

from collections.abc import Iterator

from deepperf.knowledge.schema import ParameterRole, Trait
from deepperf.records import Finding, Level, Role
from deepperf.rules.rule import Rule, each_function
from deepperf.semantics.query import Call, Cost, Function, InputKind, Iteration, LoopKind, share

rule = Rule(
    module=__name__,
    cause="inefficient-api-usage",
    symptoms=("slow-execution",),
    stage="training",
    level=Level.NOTE,
    frameworks=("torch",),
)
_EPOCHS = frozenset(("step", "epoch"))
_STEPS = frozenset(("step", "seldom"))
"""For what all runs that a step leads to, behind a rare condition too."""
_LONGEST = 4
"""Functions through which the loop over epochs is looked for."""
_MOST_WAYS = 64
"""Ways that are looked at, the shortest ones: of the others nothing is said."""
_DRAWING = (Trait.RANDOM, Trait.DRAWS, Trait.DRAWS_ELEMENT, Trait.AUGMENTS)


@each_function
def check(function: Function) -> Iterator[Finding]:
    if not function.is_function or function.file.role is Role.TEST:
        return
    if function.runs_for.isdisjoint(_STEPS) and not any(function.loops()):
        return
    found = [call for call in function.calls() if _is_same_each_epoch(call)]
    if not found or function.file.project_augments:
        return
    first, *others = found
    yield rule.finding(
        first,
        f"`{first.name}` runs a frozen model on the same samples in each epoch",
        "run it once over the data set, store what it gives, and train on that; where samples are"
        " to be augmented, store some variants of each",
        related=tuple([one.step(f"so does `{one.name}`") for one in others]),
        estimate=share(Cost.FORWARD, 1, Iteration.STEP),
    )


def _is_same_each_epoch(call: Call) -> bool:
    """Whether each epoch runs a model anew, with the same weights, on what data sets give alone."""
    # Behind a condition it may be left out for what was stored.
    if call.is_conditional() or not call.result.users or call.runs_for.isdisjoint(_STEPS):
        return False
    if not call.runs_model:
        return False
    is_same = any(_is_of_data(call, way) for way in _ways(call))
    return is_same and call.runs_frozen_model is True


def _ways(call: Call) -> Iterator[tuple[Call, ...]]:
    """The calls that lead to it, the innermost first, from each loop over epochs that may have more
    than one iteration, or from what a framework calls in each training step.
    """
    is_in_steps = call.runs_for >= _EPOCHS
    pending: list[tuple[Call, ...]] = [()]
    for way in pending:  # which grows
        around = way[-1] if way else call
        if _is_training_hook(around.function) or (is_in_steps and _is_in_epochs(around)):
            yield way
        callers = around.function.callers() if len(way) < _LONGEST else ()
        pending += [(*way, caller) for caller in callers[: _MOST_WAYS - len(pending)]]


def _is_training_hook(function: Function) -> bool:
    traits = function.traits
    return Trait.RUNS_EACH_STEP in traits and Trait.RUNS_WITHOUT_GRADIENT not in traits


def _is_in_epochs(call: Call) -> bool:
    return any(loop.kind is LoopKind.EPOCH and loop.known_count != 1 for loop in call.loops)


def _is_of_data(call: Call, way: tuple[Call, ...]) -> bool:
    """Whether it runs on samples alone, where it is called on a way."""
    if call.input_kinds(way) != {InputKind.DATA}:
        return False
    return not any(_draws(loader) for one in (call, *way) for loader in _loaders(one))


def _loaders(call: Call) -> Iterator[Call]:
    for loop in call.loops:
        yield from loop.iterable.makers


def _draws(loader: Call) -> bool:
    """Whether the samples of a loader, made by the project, are drawn or changed at random."""
    samples = loader.in_role(ParameterRole.SAMPLES_OF)
    return samples is not None and any(_is_drawn(one) for one in samples.methods("__getitem__"))


def _is_drawn(item: Function) -> bool:
    return any(item.reaches(trait) is not None for trait in _DRAWING)
