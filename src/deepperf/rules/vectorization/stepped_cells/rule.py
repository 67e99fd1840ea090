"""A recurrent cell is called once per time step, although all inputs are known before."""

from __future__ import annotations

from collections.abc import Iterator

from deepperf.knowledge.schema import Trait
from deepperf.records import Finding, Level
from deepperf.rules.rule import Rule, each_loop
from deepperf.semantics.query import Call, Dependence, Kind, Loop, LoopKind, Value

rule = Rule(
    module=__name__,
    cause="missed-efficient-api",
    symptoms=("slow-execution", "abnormal-gpu-utilization"),
    stage="model-building",
    level=Level.WARNING,
    frameworks=("torch",),
)


@each_loop
def check_loop(loop: Loop) -> Iterator[Finding]:
    if loop.kind is LoopKind.FEW or loop.is_comprehension:
        return
    cells = [call for call in loop.calls(Trait.STEPS_CELL) if call.loops[0] == loop]
    stacked: set[Value] = set()
    for call in cells:
        if _is_plain(call, loop, stacked):
            stacked.add(call.result)
    if cells and len(stacked) == len(cells):
        first, *others = cells
        yield rule.finding(
            first,
            f"`{first.name}` takes one step of a sequence that is known as a whole",
            "give the whole sequence to the layer, such as `nn.LSTM` or `nn.GRU`: it multiplies"
            " all inputs at once and runs the steps in one kernel",
            related=tuple([call.step(f"`{call.name}`, too") for call in others]),
            estimate=0.05,
        )


def _is_plain(call: Call, loop: Loop, below: set[Value]) -> bool:
    """Whether its input rests on no earlier step, and its state comes back as it was left."""
    if len(call.arguments) != 2 or call.is_conditional(loop):
        return False
    given, state = call.arguments
    if _made_by(given) not in below and given.dependence(loop) is not Dependence.VARYING:
        return False
    parts = state.operands if state.kind is Kind.TUPLE else (state,)
    return all(_comes_back(part, call.result) for part in parts)


def _made_by(value: Value) -> Value:
    """The call of a cell, of whose two results a value may be the first."""
    return value.operands[0] if value.kind is Kind.PART and value.data == 0 else value


def _comes_back(state: Value, result: Value) -> bool:
    """Whether the loop carries around nothing but the cell's result, or a part of it."""
    if state.kind is not Kind.CYCLE:
        return False
    carried = [part for part in state.operands[1:] if part != state]
    return bool(carried) and all(
        part == result or (part.kind is Kind.PART and part.operands[0] == result)
        for part in carried
    )
