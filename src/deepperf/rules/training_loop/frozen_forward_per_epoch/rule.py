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
_LONGEST = 4
"""Functions through which the loop over epochs is looked for."""
_DRAWING = (Trait.RANDOM, Trait.DRAWS, Trait.DRAWS_ELEMENT, Trait.AUGMENTS)


@each_function
def check(function: Function) -> Iterator[Finding]:
    if not function.is_function or function.file.role is Role.TEST:
        return
    found = [call for call in function.calls() if call.runs_model and _is_same_each_epoch(call)]
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
    """Whether each epoch runs it anew, with the same weights, on what data sets give alone."""
    is_in_hook = Trait.RUNS_EACH_STEP in call.function.traits
    if not is_in_hook and not (call.runs_for >= _EPOCHS and any(_epochs(call))):
        return False
    # Behind a condition it may be left out for what was stored.
    if call.is_conditional() or not call.result.users:
        return False
    if call.input_kinds != {InputKind.DATA} or any(_draws(loader) for loader in _loaders(call)):
        return False
    return call.runs_frozen_model is True


def _epochs(call: Call, steps: int = _LONGEST) -> Iterator[bool]:
    """For each loop over epochs that leads to it, whether it may have more than one iteration."""
    for loop in call.loops:
        if loop.kind is LoopKind.EPOCH:
            yield loop.known_count != 1
    for caller in call.function.callers() if steps else ():
        yield from _epochs(caller, steps - 1)


def _loaders(call: Call) -> Iterator[Call]:
    for loop in call.loops:
        yield from loop.iterable.makers


def _draws(loader: Call) -> bool:
    """Whether the samples of a loader, made by the project, are drawn or changed at random."""
    samples = loader.in_role(ParameterRole.SAMPLES_OF)
    return samples is not None and any(_is_drawn(one) for one in samples.methods("__getitem__"))


def _is_drawn(item: Function) -> bool:
    return any(item.reaches(trait) is not None for trait in _DRAWING)
