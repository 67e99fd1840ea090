"""A pipeline calls Python for each element, though it could do the work by itself."""

from __future__ import annotations

from collections.abc import Iterator

from deepperf.knowledge.schema import ParameterRole, Trait
from deepperf.records import Finding, Level
from deepperf.rules.rule import Rule, each_call
from deepperf.semantics.query import Call, Cost, Function, Iteration, Kind, Loop, share

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
    return _goes_over_array(loops[0]) and not any(
        not call.has(Trait.PURE) for call in loops[0].calls()
    )


def _goes_over_array(loop: Loop) -> bool:
    types = loop.iterable.types
    return any(name.endswith(".ndarray") for name in types) and not loop.iterable.is_unknown


def _finding(call: Call, what: str, remedy: str, cost: Cost, function: Function) -> Finding:
    return rule.finding(
        call,
        f"`{call.name}` {what}",
        remedy,
        path=(function.step(f"`{function.name}` runs in Python, under its global lock"),),
        framework="tensorflow",
        estimate=max(0.05, share(cost, 1, Iteration.ITEM)),
    )
