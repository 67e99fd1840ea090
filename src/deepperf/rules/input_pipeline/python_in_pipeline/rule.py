"""A pipeline calls Python for each element, though it could do the work by itself."""

from __future__ import annotations

from collections.abc import Iterator

from deepperf.knowledge.schema import ParameterRole, Trait
from deepperf.records import Finding, Level
from deepperf.rules.rule import Rule, each_call
from deepperf.semantics.query import Call, Cost, Function, Iteration, Kind, Loop, Value, share

rule = Rule(
    module=__name__,
    cause="inefficient-data-preprocessing",
    symptoms=("slow-execution", "abnormal-gpu-utilization"),
    stage="data-preparation",
    level=Level.WARNING,
    frameworks=("tensorflow",),
)

_SLICES = "use `Dataset.from_tensor_slices(...)`: the arrays are in memory already"
_DECODE = "read and decode with `tf.io.read_file` and `tf.io.decode_image`, which run in parallel"


@each_call(Trait.CALLS_PYTHON)
def check(call: Call) -> Iterator[Finding]:
    given = call.in_role(ParameterRole.FUNCTION)
    for function in given.functions if given is not None else ():
        if function.is_generator:
            if _only_takes_elements(function):
                what = "goes over an array in memory, one Python call for each element"
                yield _finding(call, what, _SLICES, Cost.LAUNCH, function)
                return
        elif reached := function.reaches(Trait.READS_PICTURE):
            at = Call(call.program, reached.chain[-1])
            what = f"decodes pictures with `{at.name}` in Python, one after the other"
            yield _finding(call, what, _DECODE, Cost.READ_FILE, function)
            return


def _only_takes_elements(function: Function) -> bool:
    """Whether it gives the elements of arrays, one after the other, and does nothing else."""
    loops = list(function.loops())
    if len(loops) != 1 or len(list(function.values(Kind.YIELD))) != 1:
        return False
    if any(not call.has(Trait.PURE) for call in loops[0].calls()):
        return False
    over = loops[0].iterable.call
    if over is not None and over.is_of("builtins.range"):
        return _picks_elements(loops[0])
    if over is not None and over.is_of("builtins.zip", "builtins.enumerate"):
        return bool(over.arguments) and all(_is_in_memory(one) for one in over.arguments)
    return _is_in_memory(loops[0].iterable)


def _picks_elements(loop: Loop) -> bool:
    """Whether its counter only picks elements of arrays: no windows of them, and no neighbours."""
    users = loop.element.readers if loop.element is not None else ()
    return bool(users) and all(
        user.kind is Kind.ITEM
        and user.operands[1] == loop.element
        and _is_in_memory(user.operands[0])
        for user in users
    )


def _is_in_memory(value: Value) -> bool:
    """Whether it is an array that is no window onto a file."""
    is_array = any(name.endswith(".ndarray") for name in value.types) and not value.is_unknown
    makers = value.makers
    if any(maker.argument("mmap_mode") is not None for maker in makers):
        return False
    return is_array or (bool(makers) and all(maker.result.is_numpy for maker in makers))


def _finding(call: Call, what: str, remedy: str, cost: Cost, function: Function) -> Finding:
    return rule.finding(
        call,
        f"`{call.name}` {what}",
        remedy,
        path=(function.step(f"`{function.name}` runs in Python, under its global lock"),),
        framework="tensorflow",
        estimate=max(0.05, share(cost, 1, Iteration.ITEM)),
    )
