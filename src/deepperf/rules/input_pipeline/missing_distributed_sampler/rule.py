"""Each of several processes goes over all of the data, instead of a part of its own."""

from __future__ import annotations

import enum
from collections.abc import Iterator

from deepperf.knowledge.schema import ParameterRole, Trait
from deepperf.records import Finding, Level
from deepperf.rules.rule import Rule, each_call
from deepperf.semantics.query import Call, Function, Kind, LoopKind, Value

rule = Rule(
    module=__name__,
    cause="improper-data-input",
    symptoms=("slow-execution",),
    stage="training",
    level=Level.NOTE,
    frameworks=("torch",),
)
_CALLEES = 2
_MOST_PARTS = 200
"""Values that are followed back."""

_SKETCH = """\
sampler = torch.utils.data.DistributedSampler({dataset}, shuffle={shuffled})
{name} = {maker}({arguments}, sampler=sampler)
for epoch in ...:
    sampler.set_epoch(epoch)
    ...  # goes over `{name}`
"""


@each_call(Trait.JOINS_PROCESSES)
def check(call: Call) -> Iterator[Finding]:
    """Beside where a model is wrapped, nothing may be shared out or chosen otherwise."""
    near = _near(call.function)
    if any(any(one.file.calls(Trait.SHARES_OUT)) for one in near):
        return
    for function in sorted(near, key=lambda one: one.place):
        for loader in function.calls():
            order = _order(loader)
            if order is not None and _is_of_own_part(loader):
                continue
            if order is _Order.SHUFFLED or (
                order is _Order.KEPT and _is_trained_on(loader, call, near)
            ):
                yield rule.finding(
                    loader,
                    f"every process goes over all samples: `{loader.name}` takes them all, while"
                    f" `{call.name}` has several processes train one model",
                    "pass `sampler=DistributedSampler(dataset)` instead of `shuffle`, and call"
                    " `sampler.set_epoch(epoch)` before each epoch",
                    path=(call.step(f"`{call.text}` wraps the model"),),
                    framework="torch",
                    sketch=_sketch(loader, order),
                    estimate=0.4,
                )


class _Order(enum.Enum):
    """How a loader goes over all samples."""

    SHUFFLED = "shuffled"
    KEPT = "kept"  # as the data set has them


def _sketch(loader: Call, order: _Order) -> str:
    shuffled = loader.in_role(ParameterRole.SHUFFLED)
    said = loader.written_arguments
    arguments = [name + value.source for name, value in said if value != shuffled]
    return _SKETCH.format(
        dataset=said[0][1].source if said and not said[0][0] else "dataset",
        shuffled=order is _Order.SHUFFLED,
        name=loader.result.variable or "loader",
        maker=loader.name,
        arguments=", ".join(arguments),
    )


def _order(call: Call) -> _Order | None:
    """How a loader goes over all samples; None where it may leave some out."""
    if not call.takes(ParameterRole.SHUFFLED) or not call.takes(ParameterRole.ORDER):
        return None
    if call.passes_unknown or call.in_role(ParameterRole.ORDER) is not None:
        return None
    shuffled = call.in_role(ParameterRole.SHUFFLED)
    if shuffled is None or shuffled.literal is False:
        return _Order.KEPT
    return _Order.SHUFFLED if shuffled.literal is True else None


def _is_of_own_part(loader: Call) -> bool:
    """Whether what the data set is made of rests on which process this is."""
    pending, seen = list(loader.arguments[:1]), set[Value]()
    while pending and len(seen) < _MOST_PARTS:
        value = pending.pop()
        if value in seen or value.is_missing:
            continue
        seen.add(value)
        if value.call is not None and value.call.has(Trait.NUMBERS_PROCESS):
            return True
        pending += [*value.operands, *(call.result for call in value.makers)]
    return False


def _is_trained_on(loader: Call, wrapping: Call, near: set[Function]) -> bool:
    """Whether steps of the training go over it, and its samples are no process's own."""
    dataset = loader.arguments[0] if loader.arguments else None
    if dataset is None or dataset.is_unknown or Trait.STREAMS in dataset.class_traits:
        return False
    process = {part for value in wrapping.arguments for part in (value, *value.operands)}
    process = {part for part in process if part.kind in (Kind.PARAMETER, Kind.NAME)}
    if any(argument in process for made in dataset.makers for argument in made.arguments):
        return False
    loops = (loop for function in near for loop in function.loops() if not loop.is_while)
    return any(loop.kind is LoopKind.STEP and loader in loop.iterable.makers for loop in loops)


def _near(function: Function) -> set[Function]:
    """The function, what it runs, and the functions that run it, with what these run."""
    found = {function, *(call.function for call in function.callers())}
    new = found
    for _ in range(_CALLEES):
        new = {run for one in new for call in one.calls() for run in call.runs} - found
        found = found | new
    return found
