"""Who gets the answers of a model that is asked one by one, and how it is asked directly."""

from __future__ import annotations

from deepperf.knowledge.schema import ParameterRole, Trait
from deepperf.semantics.query import Call, Kind, Loop, Value
from deepperf.semantics.view import Asks, LoopPath, Prediction
from deepperf.semantics.view import Call as ViewCall

_FOR_PEOPLE = frozenset((Trait.PLOTS,))
"""Nobody looks at the pictures of thousands of answers."""
_PARTS = frozenset((Kind.ITEM, Kind.PART, Kind.ELEMENT, Kind.PHI, Kind.CYCLE))
_GIVEN_BACK = frozenset((Kind.RETURN, Kind.YIELD))
_OF_BOTH = frozenset(("shape", "dtype", "ndim"))
"""What arrays and tensors have alike."""


def queried(asked: Prediction | ViewCall) -> Call | None:
    """The call, as the second engine sees it."""
    return asked.file.queried.call_at(asked.span)


def takes_tensor(answer: Value) -> bool:
    """Whether a tensor would do for an answer: neither it nor a part of it is written into, asked
    for what arrays alone have, or given back to those who may.
    """
    pending, seen = [answer], {answer}
    while pending:
        value = pending.pop()
        for user in value.users:
            is_written = user.kind is Kind.SET_ITEM and user.operands[0] == value
            is_asked = user.kind is Kind.ATTRIBUTE and user.data not in _OF_BOTH
            if is_written or is_asked or user.kind in _GIVEN_BACK:
                return False
            if user.kind in _PARTS and user not in seen:
                seen.add(user)
                pending.append(user)
    return True


def is_listened_to(asked: Prediction) -> bool:
    """Whether somebody reads each token as it is made, which is one text at a time."""
    call = queried(asked) if asked.asks is Asks.TOKENS else None
    return call is not None and call.in_role(ParameterRole.LISTENER) is not None


def is_for_few(asked: Prediction, path: LoopPath) -> bool:
    """Whether Keras is asked for pictures, or another branch asks for all that can go together."""
    if asked.asks is Asks.LOOP and path.loop.reached_calls(_FOR_PEOPLE):
        return True
    first = queried(path.calls[0]) if path.calls else None
    return first is not None and bool(first.loops) and is_batched_beside(first, first.loops[0])


def is_batched_beside(call: Call, loop: Loop) -> bool:
    """Whether another branch gives the model, in one call, all that can go together."""
    tests = set(loop.conditions)
    return any(
        other.runs == call.runs and not other.loops and not tests.isdisjoint(other.conditions)
        for other in (call.function.calls() if call.runs and tests else ())
    )


def is_light(asked: Prediction) -> bool:
    """Whether the version is one whose `predict` costs little more than running the model."""
    return asked.file.precedes("tensorflow", "2.0") or asked.file.precedes("keras", "2.4")


def directly(asked: Prediction) -> str:
    """How to run the model itself."""
    if is_light(asked):
        why = asked.file.why_older("tensorflow", "2.0") or asked.file.why_older("keras", "2.4")
        call = f"call `{asked.model}.predict_on_batch(x)`"
        return f"{call}, which skips the set-up of `predict`{why}"
    return f"call the model itself: `{asked.model}(x, training=False)`"
