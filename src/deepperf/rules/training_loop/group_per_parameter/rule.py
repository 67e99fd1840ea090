"""An optimizer is given a group for each parameter, and updates them one by one."""

from __future__ import annotations

from collections.abc import Iterator

from deepperf.knowledge.schema import Trait
from deepperf.records import Finding, Level
from deepperf.rules.rule import Rule, each_loop
from deepperf.semantics.query import (
    Call,
    Cost,
    Dependence,
    Function,
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
    cause="inefficient-api-usage",
    symptoms=("slow-execution", "abnormal-gpu-utilization"),
    stage="training",
    level=Level.NOTE,
    frameworks=("torch",),
)

_PARAMETERS = 100
"""About as many parameters as a model of fifty layers has."""
_OPERATIONS = 8
"""About as many operations as an optimizer has for a group, however many parameters are in it."""
_HOLDING = (Kind.LIST, Kind.TUPLE, Kind.PART, Kind.COLLECT, Kind.BINARY)
_SKETCH = """\
groups = {{}}
{header}:
    settings = ...  # the learning rate and the like, as a tuple
    groups.setdefault(settings, []).append({parameter})
# one dict for each entry of `groups`
"""


@each_loop
def check_loop(loop: Loop) -> Iterator[Finding]:
    if loop.kind is not LoopKind.PARAMETER:
        return
    for made in loop.values(Kind.DICT, Kind.CALL):
        if made.call is not None and not made.call.runs:
            continue
        parameters = made.grouped_parameters
        if parameters and all(map(_is_one, parameters)) and _varies(made, loop):
            if _may_be_merged(made):
                return
            estimate = share(Cost.LAUNCH, _PARAMETERS * _OPERATIONS, Iteration.STEP)
            if level_of(estimate) is not None:
                yield rule.finding(
                    made,
                    f"each iteration of `{loop.header}` makes a group of one parameter, and the"
                    " optimizer updates group by group",
                    "put all parameters with the same settings into one group: the optimizer"
                    " updates each group in few launches",
                    sketch=_SKETCH.format(header=loop.header, parameter=parameters[0].text),
                    framework="torch",
                    estimate=estimate,
                )
            return


def _is_one(value: Value) -> bool:
    """Whether it is a single parameter, alone or in a list."""
    if value.kind is Kind.LIST and len(value.operands) == 1:
        value = value.operands[0]
    return value.may_be_array


def _varies(made: Value, loop: Loop) -> bool:
    return made.dependence(loop) is Dependence.VARYING


def _may_be_merged(made: Value) -> bool:
    """Whether something may make other groups of these before an optimizer gets them."""
    pending, seen = [made], {made}
    while pending:
        for user in pending.pop().readers:
            if user.call is not None and _may_merge(user.call):
                return True
            new = [one for one in _holders(user) if one not in seen]
            seen.update(new)
            pending += new
    return False


def _may_merge(call: Call) -> bool:
    """Whether a call, which is passed groups, may give others, and makes no optimizer of them."""
    names = call.callee.names
    if call.has(Trait.KEEPS_ARGUMENT) or not call.result.users:
        return False
    if names and all(name.startswith("builtins.") for name in names):
        return False
    return Trait.STEPS_OPTIMIZER not in call.result.method_traits("step")


def _holders(user: Value) -> list[Value]:
    """What holds the groups behind an operation that takes them."""
    if user.kind is Kind.RETURN:
        return [one.result for one in Function(user.program, user.place[:2]).callers()]
    if user.call is not None and user.call.has(Trait.KEEPS_ARGUMENT):
        return [user.call.receiver] if user.call.receiver is not None else []
    return [user] if user.kind in _HOLDING else []
