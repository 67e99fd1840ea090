"""Whether code that computes with a number computes the same with an array in its place."""

from __future__ import annotations

from collections.abc import Iterator

from deepperf.knowledge.schema import ParameterRole, Trait
from deepperf.semantics.query import Call, Kind, Value

_DEEPEST = 3
_SEQUENCES = (Kind.TUPLE, Kind.LIST)
_COUNTED = ("str", "list", "tuple")
_ORDERS = frozenset(("Eq", "NotEq", "Lt", "LtE", "Gt", "GtE"))


def takes_array(number: Value) -> bool:
    """Whether Python itself needs it nowhere: no `if`, no `range`, no shape, no index of a list.

    What functions inside do with it counts, too.
    """
    return _takes_array(number, 0)


def _takes_array(number: Value, depth: int) -> bool:
    pending, seen = [number], set[Value]()
    while pending and depth <= _DEEPEST:
        value = pending.pop()
        inside = [one for one in _read_inside(value) if one not in seen]
        seen.update(inside)
        pending += inside
        for user in value.users:
            if user in seen:
                continue
            seen.add(user)
            if _is_result(user, value):
                # An array times a number is an array either way.
                pending += [user] if user.is_array is not True else []
            elif user.kind is Kind.ITEM:
                if user.operands[1] != value or user.operands[0].is_array is not True:
                    return False
            elif user.kind is Kind.TUPLE and all(one.kind is Kind.RETURN for one in user.users):
                continue
            elif user.kind is not Kind.RETURN and (
                user.call is None or not _passes(user.call, value, depth)
            ):
                return False
    return depth <= _DEEPEST


def _read_inside(value: Value) -> Iterator[Value]:
    """Where functions inside read the variable that it is."""
    pending = [value.function]
    while pending:
        for made in pending.pop().values(Kind.FUNCTION):
            for inner in made.functions:
                pending.append(inner)
                yield from (one for one in inner.values(Kind.NAME) if value in one.bound)


def _is_result(user: Value, value: Value) -> bool:
    """Whether an operation gives an array for an array."""
    if user.kind is Kind.UNARY:
        return bool(user.data != "Not")
    if user.kind is Kind.COMPARE:  # several in a row, and `in`, ask for a truth
        return len(user.data) == 1 and user.data[0] in _ORDERS
    is_chosen = user.kind is Kind.CHOICE and user.operands[0] != value
    is_met = user.kind is Kind.PHI or is_chosen
    return is_met or (user.kind is Kind.BINARY and not _is_of_shapes(user))


def _is_of_shapes(made: Value) -> bool:
    """Whether a sum or a repeated list is what a number is a part of, and no arithmetic."""
    return any(one.kind in _SEQUENCES or one.python_type in _COUNTED for one in made.operands)


def _passes(call: Call, value: Value, depth: int) -> bool:
    """Whether what is called takes an array where it takes a number."""
    if call.runs and not call.facts:
        taking = [
            parameter
            for run in call.runs
            for at, parameter in enumerate(run.parameters)
            if call.passed_for(run, at) == value
        ]
        return bool(taking) and all(_takes_array(one, depth + 1) for one in taking)
    if not call.facts or any(fact.framework != "jax" for fact in call.facts):
        return False
    if any(given == value for _, given in call.all_in_role(ParameterRole.TRACED)):
        return True
    if call.has(Trait.CASTS, Trait.CONVERTS):
        return call.arguments[:1] == (value,)
    is_index = call.has(Trait.GATHERS) and call.arguments[1:2] == (value,)
    return is_index or call.has(Trait.ELEMENTWISE, Trait.SELECTS)
