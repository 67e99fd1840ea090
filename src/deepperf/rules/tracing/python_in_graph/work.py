"""What a Python function that compiled code calls does: whether the framework could do it."""

from __future__ import annotations

import enum

from deepperf.knowledge.schema import Fact, Trait
from deepperf.semantics.query import Call, Function, Value

_EFFECTS = frozenset(
    (
        Trait.ASKS_NETWORK,
        Trait.ASKS_PERSON,
        Trait.KEEPS_ARGUMENT,
        Trait.LOGS_METRICS,
        Trait.PLOTS,
        Trait.PRINTS,
        Trait.RANDOM,
        Trait.READS_FILE,
        Trait.READS_PICTURE,
        Trait.READS_SAMPLE,
        Trait.SAVES,
        Trait.SUMMARIZES,
        Trait.TELLS_TIME,
        Trait.WAITS,
        Trait.WRITES_STATE,
    )
)
_DEEPEST = 4


class Work(enum.IntEnum):
    """What a function does; of several the greatest tells of all."""

    NONE = 0
    FRAMEWORK = 1  # operations of the framework itself, eagerly
    NUMPY = 2  # functions of NumPy, which both frameworks have as well
    UNKNOWN = 3  # something that perhaps nobody but Python can do
    EFFECT = 4  # what is done for its effect: a line of a log, a file, a number drawn


def work_of(given: Value) -> Work:
    """What the function does that a value may be."""
    functions = given.functions
    if functions:
        return max(_of_function(function, 0) for function in functions)
    facts = [fact for name in given.names if (fact := given.program.fact(name)) is not None]
    return max(map(_of_fact, facts), default=Work.UNKNOWN)


def _of_function(function: Function, depth: int) -> Work:
    if depth > _DEEPEST or function.is_generator or function.rebound:
        return Work.UNKNOWN
    work = max((_of_call(call, depth) for call in function.calls()), default=Work.NONE)
    is_plain = work is Work.NONE and not any(loop.is_while for loop in function.loops())
    # Operators alone, and what is indexed.
    return Work.NUMPY if is_plain else work


def _of_call(call: Call, depth: int) -> Work:
    if call.runs:
        return max(_of_function(one, depth + 1) for one in call.runs)
    if call.facts:
        return max(map(_of_fact, call.facts))
    receiver = call.receiver
    # What TensorFlow passes is read by `.numpy()`; sums and the like are methods of arrays.
    is_array = receiver is not None and receiver.is_array_by_method is not False
    is_read = call.callee.data == "numpy"
    if is_array and (is_read or call.result.is_array_by_method):
        return Work.NONE if is_read else Work.NUMPY
    return Work.UNKNOWN


def _of_fact(fact: Fact) -> Work:
    if fact.traits & _EFFECTS:
        return Work.EFFECT
    if fact.name.startswith("numpy."):
        return Work.UNKNOWN if Trait.CALLS_PYTHON in fact.traits else Work.NUMPY
    if fact.framework == "python":
        return Work.NONE if Trait.PURE in fact.traits else Work.UNKNOWN
    return Work.FRAMEWORK if fact.framework in ("tensorflow", "keras", "jax") else Work.UNKNOWN
