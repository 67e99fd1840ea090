"""What Python does in a step that no symbol of a graph can stand in for."""

from __future__ import annotations

import re

from deepperf.knowledge.schema import Trait
from deepperf.semantics.query import MISSING, Call, Function, Kind, Value

_NUMBERS = ("builtins.bool", "builtins.float", "builtins.int")
_THROUGH = frozenset(
    (
        Kind.BINARY,
        Kind.CALL,
        Kind.COMPARE,
        Kind.CYCLE,
        Kind.ELEMENT,
        Kind.ITEM,
        Kind.PART,
        Kind.PHI,
        Kind.UNARY,
    )
)
_OPERATION = re.compile(r"[A-Za-z0-9.][A-Za-z0-9_.\\/>-]*")
"""The names that TensorFlow takes for what stands in a graph."""


def misused(function: Function) -> str:
    """What it does with tensors that a graph has no numbers for; "" for nothing."""
    tensors = _tensors(function)
    for call in function.calls():
        is_tensor = any(one in tensors or one.is_array is True for one in call.arguments)
        if is_tensor and call.is_of(*_NUMBERS):
            return "it asks a tensor for its number"
        if is_tensor and call.facts and all(fact.framework == "numpy" for fact in call.facts):
            return "NumPy computes with its tensors"
        is_loss = Trait.STATELESS in call.result.class_traits
        if call.has(Trait.CREATES_VARIABLE, Trait.CREATES_LAYER) and not is_loss:
            return "it makes variables or layers"
        if not _is_named_well(call):
            return "it gives an operation a name that no graph takes"
        if any(_is_read_before(read, call) for read in function.values(Kind.ATTRIBUTE)):
            return "it reads what a model has before its first call"
    walked = [one for one in function.loops() if one.is_comprehension and one.iterable in tensors]
    return "it goes over the elements of a tensor" if walked else ""


def is_symbol(value: Value) -> bool:
    """Whether it stands for data that a model or graph is only given when it runs."""
    return any(made.has(Trait.GIVES_SYMBOL, Trait.FED) for made in value.makers)


def walks_tensor(step: Function) -> bool:
    """Whether a loop of it goes over the elements of an argument."""
    tensors = _tensors(step)
    return any(one.iterable in tensors for one in step.loops())


def _tensors(function: Function) -> set[Value]:
    """The parameters, and what is computed from them; a shape is known to Python."""
    found = {*function.parameters[1 if function.takes_object else 0 :]}
    pending = [*found]
    while pending:
        for user in pending.pop().users:
            is_method = user.kind is Kind.ATTRIBUTE and any(u.kind is Kind.CALL for u in user.users)
            if user not in found and (user.kind in _THROUGH or is_method):
                found.add(user)
                pending.append(user)
    return found


def _is_named_well(call: Call) -> bool:
    if call.framework != "tensorflow" or not call.facts:
        return True
    name = call.argument("name")
    if name is None or name.constant is None:
        return True
    is_text = name.constant is not MISSING and isinstance(name.constant, str)
    return is_text and _OPERATION.fullmatch(name.constant) is not None


def _is_read_before(read: Value, call: Call) -> bool:
    """Whether it is something of what a call runs that is read, and not called, before it."""
    if read.operands[0].text != call.callee.text:
        return False
    is_method = any(user.kind is Kind.CALL and user.operands[0] == read for user in read.users)
    return read.place[2] < call.place[2] and not is_method
