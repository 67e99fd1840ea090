"""A Python loop computes parameter by parameter what one call does for all."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from deepperf.knowledge.schema import Trait
from deepperf.records import Finding, Level
from deepperf.rules.rule import Rule, each_loop
from deepperf.semantics.query import (
    Call,
    Cost,
    Dependence,
    Iteration,
    Kind,
    Loop,
    LoopKind,
    Value,
    level_of,
    share,
)

rule = Rule(
    module=__name__,
    cause="missed-efficient-api",
    symptoms=("slow-execution", "abnormal-gpu-utilization"),
    stage="training",
    level=Level.NOTE,
    frameworks=("torch",),
)

_PARAMETERS = 100
"""About as many parameters as a model of fifty layers has."""
_NORM = (
    "`torch.nn.utils.clip_grad_norm_` gives the norm of all gradients and"
    " `torch.nn.utils.get_total_norm` that of a list of tensors, in few launches"
)
_SUM = (
    "join them first, `torch.nn.utils.parameters_to_vector(model.parameters())`, and compute once"
)
_AVERAGE = (
    "`torch.optim.swa_utils.AveragedModel` with"
    " `multi_avg_fn=get_ema_multi_avg_fn(decay)` updates all parameters in few launches"
)
_SCALE = (
    "do it for all at once: `clip_grad_norm_` or `clip_grad_value_`, or the optimizer's own"
    " arguments with `foreach=True` or `fused=True`"
)
_SKETCHES = {
    _NORM: """\
# instead of `{header}`
gradients = [p.grad for p in {iterable} if p.grad is not None]
norm = torch.nn.utils.get_total_norm(gradients)
""",
    _SUM: """\
# instead of `{header}`
flat = torch.nn.utils.parameters_to_vector({iterable})
total = ...  # of `flat`, in one operation
""",
    _AVERAGE: """\
from torch.optim.swa_utils import AveragedModel, get_ema_multi_avg_fn

average = AveragedModel(model, multi_avg_fn=get_ema_multi_avg_fn(0.999))  # before the loop
average.update_parameters(model)  # instead of `{header}`
""",
}


@each_loop
def check_loop(loop: Loop) -> Iterator[Finding]:
    if loop.kind is not LoopKind.PARAMETER:
        return
    work = _work(loop)
    if not work:
        return
    often = loop.runs_for
    if (often and "step" not in often) or loop.file.mentions_any(Trait.SHARDS):
        return
    if not often and not _reads_gradients(loop) and not _is_average(loop, loop.calls()):
        return  # what initializes, compares or reports parameters runs seldom
    estimate = share(Cost.LAUNCH, len(work) * _PARAMETERS, Iteration.STEP)
    if often and level_of(estimate) is None:
        return
    first = work[0]
    remedy = _remedy(loop)
    yield rule.finding(
        loop,
        f"`{first.text}` runs once per parameter{' in each training step' if often else ''}:"
        " the device gets many small operations",
        remedy,
        sketch=_SKETCHES.get(remedy, "").format(header=loop.header, iterable=loop.iterable.source),
        related=tuple([value.step(f"`{value.text}`") for value in work]),
        estimate=estimate if often else 0.005,
    )


def _work(loop: Loop) -> list[Value]:
    """What each iteration computes from the parameter that it is given, outermost operations."""
    found = [
        value
        for value in loop.values(Kind.CALL, Kind.BINARY)
        if _computes(value, loop)
        and (value.dependence(loop) is Dependence.VARYING or _changes(value, loop))
    ]
    inside = {operand for value in found for operand in value.operands}
    return [value for value in found if value not in inside]


def _computes(value: Value, loop: Loop) -> bool:
    call = value.call
    if call is None:
        return any(_is_tensor(operand, loop) for operand in value.operands)
    if call.has(Trait.RANDOM) or not call.has(Trait.COMPUTES, Trait.CHANGES_ELEMENTS):
        return False
    if _is_written(call, loop):
        return True
    receiver = call.receiver
    operands = call.arguments if receiver is None else (receiver, *call.arguments)
    return any(_is_tensor(operand, loop) for operand in operands)


def _changes(value: Value, loop: Loop) -> bool:
    """Whether it writes to the parameter, or its gradient, itself."""
    call = value.call
    if call is not None:
        return _is_written(call, loop)
    return value.data.endswith("=") and _is_tensor(value.operands[0], loop)


def _is_tensor(value: Value, loop: Loop) -> bool:
    return bool(value.is_array) and value.dependence(loop) is Dependence.VARYING


def _is_written(call: Call, loop: Loop) -> bool:
    """Whether a tensor, or what may be one, has its elements changed, as tensors alone have."""
    tensor = call.receiver
    if tensor is None or not call.has(Trait.CHANGES_ELEMENTS):
        return False
    return _may_be_tensor(tensor, loop)


def _may_be_tensor(value: Value, loop: Loop) -> bool:
    return value.may_be_array and value.dependence(loop) is Dependence.VARYING


def _remedy(loop: Loop) -> str:
    calls = [call for value in loop.values(Kind.CALL) if (call := value.call) is not None]
    if any(call.has(Trait.REDUCES) for call in calls if _computes(call.result, loop)):
        return _NORM if _reads_gradients(loop) else _SUM
    return _AVERAGE if _is_average(loop, calls) else _SCALE


def _reads_gradients(loop: Loop) -> bool:
    return any(value.data == "grad" for value in loop.values(Kind.ATTRIBUTE))


def _is_average(loop: Loop, calls: Iterable[Call]) -> bool:
    """Whether two tensors meet in an iteration: the average, and what goes into it."""
    if _reads_gradients(loop):
        return False
    changing = [call for call in calls if call.has(Trait.CHANGES_ELEMENTS)]
    written = [given for call in changing for given in call.arguments]
    operands = [operand for value in loop.values(Kind.BINARY) for operand in value.operands]
    return any(_may_be_tensor(given, loop) for given in written) or any(
        _is_tensor(operand, loop) for operand in operands
    )
