"""What a call may run, and which of its operands meets which parameter."""

from __future__ import annotations

import enum
from collections.abc import Iterator
from typing import NamedTuple

from deepperf.knowledge.schema import Trait
from deepperf.semantics.ir.table import UNBOUND, Kind, Unit
from deepperf.semantics.objects.classes import class_attribute, library_bases
from deepperf.semantics.objects.contents import elements
from deepperf.semantics.objects.holds import holds, returned
from deepperf.semantics.objects.origin import Held, Origin, Place, UnitKey, What, in_order
from deepperf.semantics.program.program import Program


class EdgeKind(enum.IntEnum):
    """How a call leads to a function."""

    DIRECT = 1
    METHOD = 2
    CONSTRUCTOR = 3
    CALLBACK = 4  # handed to a function that runs it
    WORKER = 5  # run by a thread, a process or a pool
    PARTIAL = 6  # of what `partial` made: which argument is which cannot be told


class Edge(NamedTuple):
    """A call that may run a function.

    The operand at `start` of the call meets the function's parameter `skip`, the next one the
    next. `is_known` is False where only the method's name tells.
    """

    call: Place
    kind: EdgeKind
    start: int = 1
    skip: int = 0
    is_known: bool = True


class Callee(NamedTuple):
    """A function of the project that a call may run, and how its arguments are passed."""

    unit: UnitKey
    start: int = 1
    skip: int = 0


def callees(program: Program, place: Place) -> tuple[Callee, ...]:
    """The functions of the project that a call may run."""
    return program.answers.ask(_callees, place, bottom=())


def _callees(program: Program, path: str, number: int, index: int) -> tuple[Callee, ...]:
    unit = program.unit((path, number))
    found: list[Callee] = []
    for origin in in_order(holds(program, (path, number, unit.ops[index].args[0]))):
        found += run_by(program, origin)
    return tuple(dict.fromkeys(found))


def functions_at(program: Program, place: Place) -> tuple[UnitKey, ...]:
    """The functions of the project that a value may be, or that calling it runs."""
    held = in_order(holds(program, place))
    return tuple(
        dict.fromkeys(callee.unit for origin in held for callee in run_by(program, origin))
    )


def run_by(program: Program, origin: Origin) -> Iterator[Callee]:
    """The functions of the project that calling a value runs."""
    if origin.what is What.FUNCTION:
        yield Callee(origin.place[:2])
        yield from _given_in_place(program, origin, 0)
    elif origin.what is What.BOUND:
        skip = skipped(program, origin)
        yield Callee(origin.place[:2], 1, skip)
        yield from _given_in_place(program, origin, skip)
    elif origin.what is What.CLASS:
        for method in class_attribute(program, Origin(What.INSTANCE, "", origin.place), "__init__"):
            if method.what is What.BOUND:
                yield Callee(method.place[:2], 1, 1)
    elif origin.what is What.INSTANCE:
        for name in ("__call__", "forward", "call"):
            methods = class_attribute(program, origin, name)
            bound = [method for method in methods if method.what is What.BOUND]
            if bound:
                yield from (Callee(method.place[:2], 1, 1) for method in bound)
                return
    elif _runs_parts(program, origin):
        for part in _parts(program, origin):
            yield from run_by(program, part)


def _given_in_place(program: Program, function: Origin, skip: int) -> Iterator[Callee]:
    """What decorators of the project give in the place of a function, and run it from."""
    unit = program.unit(function.place[:2])
    if unit.kind != "function":
        return
    parent = program.unit((unit.path, unit.parent))
    for index in parent.ops[unit.definition].args:
        for decorator in in_order(holds(program, (*parent.key, index))):
            given: Held = frozenset()
            if decorator.what is What.FUNCTION:
                given = returned(program, decorator.place[:2])
            elif decorator.what is What.CLASS:
                given = frozenset((Origin(What.INSTANCE, "", decorator.place[:2]),))
            for origin in in_order(given):
                is_wrapper = origin.what is What.FUNCTION and origin.place[:2] != unit.key
                if is_wrapper and not program.unit(origin.place[:2]).is_generator:
                    yield Callee(origin.place[:2], 1, skip)
                elif origin.what is What.INSTANCE:
                    methods = class_attribute(program, origin, "__call__")
                    keys = [one.place[:2] for one in methods if one.what is What.BOUND]
                    yield from (Callee(key, 1, skip + 1) for key in keys)


def _runs_parts(program: Program, origin: Origin) -> bool:
    """Whether it is a model that is made of others, each given what the one before it gave."""
    if origin.what is not What.OBJECT or not origin.place:
        return False
    known = program.knowledge.type(origin.name)
    return known is not None and Trait.RUNS_PARTS in known.call_traits


def _parts(program: Program, whole: Origin) -> Iterator[Origin]:
    """What such a model is made of in the end; one that comes to hold itself is looked at once."""
    pending, seen = [whole], {whole}
    while pending:
        made = pending.pop(0)
        unit = program.unit(made.place[:2])
        for index in unit.ops[made.place[2]].args[1:]:
            op = unit.ops[index]
            held = holds(program, (*unit.key, op.args[0] if op.kind is Kind.STAR else index))
            if op.kind is Kind.STAR:
                held = frozenset().union(*[elements(program, one) for one in held])
            for part in in_order(held - seen):
                seen.add(part)
                if _runs_parts(program, part):
                    pending.append(part)
                else:
                    yield part


def skipped(program: Program, origin: Origin) -> int:
    """How many parameters a method has before the first argument of a call."""
    unit = program.unit(origin.place[:2])
    parent = program.unit((unit.path, unit.parent))
    names = {parent.ops[number].data for number in parent.ops[unit.definition].args}
    if "staticmethod" in names:
        return 0
    receiver = origin.place[2]
    return 1 if receiver.what is What.INSTANCE or "classmethod" in names else 0


def argument(program: Program, call: Place, callee: Callee | Edge, parameter: int) -> int | None:
    """The operand of a call that is passed for a parameter.

    None where none is, UNBOUND where it cannot be told.
    """
    op = program.op(call)
    unit = program.unit(call[:2])
    positional = len(op.args) - 1 - len(op.data)
    position = callee.start + parameter - callee.skip
    if parameter < callee.skip:
        return None
    starred = any(unit.ops[operand].kind is Kind.STAR for operand in op.args[1:])
    if position <= positional:
        first = op.args[callee.start : position + 1]
        if any(unit.ops[operand].kind is Kind.STAR for operand in first):
            return UNBOUND
        return op.args[position]
    return UNBOUND if starred else None


def argument_for(
    program: Program, call: Place, callee: Callee | Edge, target: Unit, parameter: int
) -> int | None:
    """As `argument`, keywords included."""
    op = program.op(call)
    name = target.parameters[parameter].name
    if name in op.data:
        positional = len(op.args) - 1 - len(op.data)
        index: int = op.data.index(name)
        return op.args[1 + positional + index]
    return argument(program, call, callee, parameter)


def instance_bases(program: Program, place: Place) -> frozenset[str]:
    """The names of the library types that the result of an operation may be an instance of."""
    return bases_of(program, holds(program, place))


def bases_of(program: Program, held: Held) -> frozenset[str]:
    """The same for abstract values."""
    found: set[str] = set()
    for origin in held:
        if origin.what is What.OBJECT:
            found.update(program.knowledge.ancestry(origin.name))
        elif origin.what is What.INSTANCE:
            found.update(library_bases(program, origin.place[:2]))
    return frozenset(found)
