"""What the guards of compiled code rest on, and a program changes again and again."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from deepperf.knowledge.schema import Trait
from deepperf.semantics.query import (
    Call,
    Compilation,
    Dependence,
    Function,
    Kind,
    Loop,
    Number,
    Value,
    number_of,
)

LIMIT = 8
"""Compilations of one function after which `torch.compile` runs it uncompiled."""
_CHANGING = frozenset(("Add", "Sub", "Mult", "FloorDiv"))
_CONSTANTS = ("int", "str")
"""What of a module is taken for a constant; its floats become inputs the second time."""


class Change(NamedTuple):
    """Where a value changes that is a constant for the compiled code, and what to do instead."""

    at: Value | Call
    name: str
    says: str
    remedy: str


def made_inside(function: Function) -> Iterator[Change]:
    """What a compiled function itself changes each time that it is called."""
    for stored in function.values(Kind.SET_ATTRIBUTE):
        owner, value = stored.operands
        if not _is_of_module(owner) or value.kind is not Kind.BINARY:
            continue
        if value.data.rstrip("=") not in _CHANGING:
            continue
        old = next((one for one in value.operands if _is_read_of(one, owner, stored.data)), None)
        added = [one for one in value.operands if one != old]
        if old is not None and (old.python_type == "int" or _is_counted(owner, stored, added)):
            name = f"{owner.text}.{stored.data}"
            yield Change(
                stored,
                name,
                f"`{name}` is a Python integer",
                f"keep the count in a buffer: `self.register_buffer({stored.data!r},"
                f" torch.zeros((), dtype=torch.long))`, `{name}.add_(1)`; or count outside of"
                " what is compiled",
            )
    for call in function.calls(Trait.KEEPS_ARGUMENT):
        grown = call.receiver
        if grown is not None and not call.conditions and _is_kept_list(grown, function):
            yield Change(
                call,
                grown.text,
                f"`{grown.text}` is a list that gets longer",
                "return what it should keep, and keep it where the compiled function is called;"
                " or write into a buffer of fixed size",
            )


def counted_for_all(function: Function) -> Iterator[tuple[Change, Compilation, Function]]:
    """What a function counts up in its file, and a compiled function there that reads it."""
    for name, value in function.rebound:
        if value.kind is not Kind.BINARY or value.python_type != "int" or value.runs_seldom:
            continue
        counts = value.data.rstrip("=") in _CHANGING and function.names_file_variable(name)
        if not counts or not (_loop_of(value) or function.runs_for):
            continue
        for reader in function.file.functions():
            compiled = [one for one in reader.compilations if one.has(Trait.BREAKS_GRAPH)]
            reads = compiled and any(one.data == name for one in reader.values(Kind.NAME))
            if reads and reader.names_file_variable(name):
                yield (
                    Change(
                        value,
                        name,
                        f"`{name}` is a Python integer",
                        "pass it as an argument, as a tensor",
                    ),
                    compiled[0],
                    reader,
                )
                break


def set_outside(function: Function) -> Iterator[tuple[Change, Compilation, Function]]:
    """What a loop sets before it calls a compiled module that reads it, and the reader."""
    for stored in function.values(Kind.SET_ATTRIBUTE):
        owner, value = stored.operands
        loop = _loop_of(stored)
        if loop is None or value.python_type not in _CONSTANTS or not _is_of_module(owner):
            continue
        if value.dependence(loop) is Dependence.INVARIANT or stored.runs_seldom:
            continue
        for reader in owner.methods("forward"):
            compiled = [one for one in reader.compilations if one.has(Trait.BREAKS_GRAPH)]
            reads = (one for one in reader.values(Kind.ATTRIBUTE) if one.data == stored.data)
            if compiled and any(_is_self(one.operands[0], reader) for one in reads):
                name = f"{owner.text}.{stored.data}"
                article = "an integer" if value.python_type == "int" else "a text"
                change = Change(
                    stored,
                    name,
                    f"`{name}`, {article} of Python, is another one in each iteration",
                    "pass it as a tensor, an argument of the module; or keep it in a buffer and"
                    f" change that: `{name}.fill_({value.text})`"
                    if value.python_type == "int"
                    else "choose by it outside of what is compiled",
                )
                yield change, compiled[0], reader


def _is_counted(owner: Value, stored: Value, added: list[Value]) -> bool:
    """Whether an integer of the constructor is counted up by what is no tensor, such as a size."""
    stores = [one for one in owner.stores(stored.data) if one != stored]
    begins = [one.operands[1] for one in stores if one.function.name == "__init__"]
    return bool(begins) and all(
        [
            *(type(one.constant) is int for one in begins),
            *(_is_size(one) or number_of(one) is Number.INTEGER for one in added),
        ]
    )


def _is_size(value: Value) -> bool:
    """Whether it is a length, or what all callers pass is one."""
    if value.kind is Kind.PARAMETER:
        calls = value.function.callers()
        given = [call.passed_for(value.function, value.data) for call in calls]
        return bool(given) and all(
            one is not None and one.kind is not Kind.PARAMETER and _is_size(one) for one in given
        )
    if value.kind is Kind.ITEM:
        return value.operands[0].kind is Kind.ATTRIBUTE and value.operands[0].data == "shape"
    call = value.call
    return call is not None and (call.is_of("builtins.len") or call.may_have(Trait.TELLS_SHAPE))


def _loop_of(stored: Value) -> Loop | None:
    """The innermost loop of its function that something stands in."""
    return next(
        (loop for loop in reversed([*stored.function.loops()]) if loop.contains(stored)), None
    )


def _is_of_module(value: Value) -> bool:
    return Trait.RUNS_MODULE in value.call_traits


def _is_read_of(value: Value, module: Value, name: str) -> bool:
    return value.kind is Kind.ATTRIBUTE and value.data == name and value.operands[0] == module


def _is_self(value: Value, function: Function) -> bool:
    return value.kind is Kind.PARAMETER and value == function.parameters[0]


def _is_kept_list(value: Value, function: Function) -> bool:
    """Whether it is a list that a module keeps from call to call."""
    if value.kind is not Kind.ATTRIBUTE or value.python_type != "list":
        return False
    anew = {(one.data, one.operands[0]) for one in function.values(Kind.SET_ATTRIBUTE)}
    is_new = (value.data, value.operands[0]) in anew
    return _is_of_module(value.operands[0]) and not is_new
