"""Whether anybody can tell that a value has a graph of operations that gradients flow through."""

from __future__ import annotations

import re
from collections.abc import Iterator
from string import Formatter

from deepperf.knowledge.schema import Trait
from deepperf.semantics.callgraph.callees import Callee, argument_for, callees
from deepperf.semantics.gradients.carrying import (
    CUT_ATTRIBUTES,
    CUTTING,
    HANDED_ON,
    is_backpropagated,
)
from deepperf.semantics.ir.table import Kind, Op, Unit
from deepperf.semantics.objects.filling import puts, read_elsewhere
from deepperf.semantics.objects.holds import holds
from deepperf.semantics.objects.origin import Place, What
from deepperf.semantics.program.program import Program
from deepperf.semantics.summaries.traits import traits_of

_MADE_OF = HANDED_ON | {Kind.ITEM, Kind.CHOICE, Kind.COLLECT, Kind.AWAIT}
_IDENTITY = frozenset(("Is", "IsNot"))
_OF_GRAPH = frozenset(("requires_grad", "grad"))
"""What tells of an object's own place in a graph."""
_NUMBERS = frozenset((Kind.COMPARE, Kind.TEST))
_SAME = frozenset((Kind.PHI, Kind.CYCLE))
_OF_NUMBERS = _SAME | {Kind.BINARY, Kind.UNARY, Kind.LOGIC}
_TAKEN = frozenset((Kind.ITEM, Kind.ELEMENT, Kind.PART))
_FOREIGN = frozenset((Kind.PARAMETER, Kind.NAME, Kind.ATTRIBUTE))
_SHARED = _FOREIGN | {Kind.ITEM, Kind.ELEMENT}
"""What others hold as well."""
_COMPUTING = frozenset(
    (
        *(Trait.COMPUTES, Trait.PURE, Trait.REDUCES, Trait.JOINS, Trait.MOVES, Trait.VIEWS),
        *(Trait.ARRANGES, Trait.CASTS, Trait.RUNS_MODULE),
    )
)
"""What nobody but the caller gets the result of."""
_KEEPING = frozenset((Trait.KEEPS_ARGUMENT, Trait.CLEARS))
_TO_NUMBERS = frozenset(f"builtins.{name}" for name in ("float", "int", "bool", "len", "round"))
_ARITHMETIC = frozenset(f"builtins.{name}" for name in ("sum", "max", "min", "abs", "list"))
_ADDING_UP = frozenset(f"builtins.{name}" for name in ("sum", "max", "min"))
_NOWHERE: frozenset[Kind] = frozenset()
_RETURNS = frozenset((Kind.RETURN,))
_MOST = 64
"""Operations of which a number is computed; one of more may be anything."""
_PLACE = re.compile(r"%(?:\(.*?\))?[-#0 +\d.*]*(\w)")
"""A place of a template that `%` fills; a letter says how."""


def may_show_graph(program: Program, place: Place) -> bool:
    """Whether a tensor, or a list of some, may get to where a graph can be told: it is returned,
    printed, stored or passed on, as far as known. Reading its numbers tells nothing.
    """
    return _shows(program, place, _NOWHERE)


def may_store_graph(program: Program, place: Place) -> bool:
    """The same, where being returned does not count: the caller has it then."""
    return _shows(program, place, _RETURNS)


def _shows(program: Program, place: Place, ends: frozenset[Kind]) -> bool:
    """Whether it may get to where a graph can be told, but for uses of some kinds."""
    unit = program.unit(place[:2])
    made = [*_made_here(unit, place[2])]
    if any(unit.ops[one].kind in _SHARED for one in made):
        return True
    return _spreads(program, unit, made, ends)


def _spreads(program: Program, unit: Unit, made: list[int], ends: frozenset[Kind]) -> bool:
    """Whether it may from some operations of a function, which are it."""
    seen, pending = {*made}, made
    while pending:
        value = pending.pop()
        if _is_read_elsewhere(program, unit, value):
            return True
        for user in unit.uses(value):
            if unit.ops[user].kind in ends:
                continue
            new = _made(program, unit, value, user)
            if new is None:
                return True
            pending += [one for one in new if one not in seen]
            seen.update(new)
    return False


def _made_here(unit: Unit, value: int) -> Iterator[int]:
    """A value, and those of which it is one: a list is the same object by each of its names."""
    seen, pending = {value}, [value]
    while pending:
        one = pending.pop()
        yield one
        if unit.ops[one].kind in _SAME:
            new = {operand for operand in unit.ops[one].args if operand >= 0} - seen
            seen |= new
            pending += new


def _holders(program: Program, unit: Unit, holder: int) -> tuple[int, ...] | None:
    """What holds a thing that is put into a list, from the inside out; None if others hold it."""
    found, pending = list[int](), [holder]
    while pending:
        for one in _made_here(unit, pending.pop()):
            op = unit.ops[one]
            if op.kind in _FOREIGN:
                return None
            if one in found:
                continue
            found.append(one)
            callee = op.args[0] if op.kind is Kind.CALL else one
            if op.kind in _TAKEN:
                pending.append(op.args[0])
            elif unit.ops[callee].kind is Kind.ATTRIBUTE and not _is_of_module(
                program, unit, callee
            ):
                pending.append(unit.ops[callee].args[0])  # what a method gives may be of its object
    return tuple(found)


def _is_read_elsewhere(program: Program, unit: Unit, value: int) -> bool:
    """Whether other functions may read a variable that it is assigned to."""
    names = [name for name, bound in unit.bindings.items() if value in bound]
    if unit.kind == "module" or not unit.outer_names.isdisjoint(names):
        return bool(names)
    return any(True for name in names for _ in read_elsewhere(program, unit, name))


def _made(program: Program, unit: Unit, value: int, user: int) -> tuple[int, ...] | None:
    """What an operation makes of a value, nothing if that has no graph; None if it may show it."""
    op = unit.ops[user]
    if op.kind in _NUMBERS:
        return None if _asks_identity(unit, op) else ()
    if op.kind is Kind.FORMAT:
        return None if _is_written_whole(program, unit, value, op) else ()
    template = _template(unit, user)
    if template is not None:
        return None if {"s", "r", "a"} & {*_PLACE.findall(template)} else ()
    if op.kind in _MADE_OF:
        return (user,)
    if op.kind is Kind.ATTRIBUTE:
        if op.data in CUT_ATTRIBUTES:
            return None if op.data in _OF_GRAPH else ()
        called = unit.uses(user)
        is_method = all(_is_called(unit, user, one) for one in called)
        return (user,) if is_method else None
    if op.kind is Kind.CALL:
        return _made_by_call(program, unit, value, user)
    return None


def _asks_identity(unit: Unit, compared: Op) -> bool:
    """Whether it is asked which tensor it is: one without its graph is another object."""
    is_none = any(
        unit.ops[one].kind is Kind.CONSTANT and unit.ops[one].data is None for one in compared.args
    )
    return bool(compared.data) and not _IDENTITY.isdisjoint(compared.data) and not is_none


def _is_written_whole(program: Program, unit: Unit, value: int, text: Op) -> bool:
    """Whether a text shows a value as `str` does: `{}` shows of a tensor with one number that."""
    parts = [part for part in Formatter().parse(text.data) if part[1] is not None]
    for operand, (_, _, spec, conversion) in zip(text.args, parts, strict=False):
        if operand == value and (conversion or not spec):
            return bool(conversion) or not _is_number(program, unit, value, set())
    return False


def _is_number(program: Program, unit: Unit, value: int, seen: set[int]) -> bool:
    """Whether a value is known to be a single number, or a tensor with one."""
    if value in seen:
        return True
    if len(seen) >= _MOST:
        return False
    seen.add(value)
    op = unit.ops[value]
    if op.kind is Kind.CONSTANT or is_backpropagated(program, (*unit.key, value)):
        return True
    if op.kind in _OF_NUMBERS:
        return all(_is_number(program, unit, one, seen) for one in op.args if one >= 0)
    if op.kind in _TAKEN:
        return _lists_numbers(program, unit, op.args[0], seen)
    return op.kind is Kind.CALL and not op.data and _gives_number(program, unit, value, seen)


def _gives_number(program: Program, unit: Unit, call: int, seen: set[int]) -> bool:
    callee, *given = unit.ops[call].args
    names = {origin.name for origin in holds(program, (*unit.key, callee))}
    if names and names <= _TO_NUMBERS:
        return True
    if names and names <= _ADDING_UP:
        return len(given) == 1 and _lists_numbers(program, unit, given[0], seen)
    is_whole = not given or (len(given) == 1 and _is_of_module(program, unit, callee))
    return is_whole and Trait.REDUCES in traits_of(program, (*unit.key, call))


def _is_of_module(program: Program, unit: Unit, callee: int) -> bool:
    """Whether a function of a module is called, which has what it works on as an argument."""
    owner = unit.ops[callee].args[:1] if unit.ops[callee].kind is Kind.ATTRIBUTE else ()
    held = [origin for one in owner for origin in holds(program, (*unit.key, one))]
    return bool(held) and all(origin.what in (What.MODULE, What.LIBRARY) for origin in held)


def _lists_numbers(program: Program, unit: Unit, value: int, seen: set[int]) -> bool:
    """Whether a value is known to be a list of such numbers."""
    for one in _made_here(unit, value):
        op = unit.ops[one]
        added = [put.value for put in puts(program, unit, one) if put.unit is unit]
        if op.kind is not Kind.LIST and op.kind not in _SAME:
            return False
        parts = (*op.args, *added) if op.kind is Kind.LIST else ()
        if not all(_is_number(program, unit, part, seen) for part in parts):
            return False
    return True


def _template(unit: Unit, user: int) -> str | None:
    """The text whose places an operation fills by `%`."""
    op = unit.ops[user]
    left = unit.ops[op.args[0]].data if op.kind is Kind.BINARY and op.data == "Mod" else None
    return left if isinstance(left, str) else None


def _is_called(unit: Unit, callee: int, user: int) -> bool:
    op = unit.ops[user]
    return op.kind is Kind.CALL and op.args[0] == callee


def _made_by_call(program: Program, unit: Unit, value: int, user: int) -> tuple[int, ...] | None:
    place, op = (*unit.key, user), unit.ops[user]
    traits = traits_of(program, place)
    if traits & CUTTING:
        return ()
    if traits & _KEEPING:
        callee = unit.ops[op.args[0]]
        is_holder = op.args[0] == value
        if is_holder or callee.kind is not Kind.ATTRIBUTE:
            return ()
        return _holders(program, unit, callee.args[0])
    names = {origin.name for origin in holds(program, (*unit.key, op.args[0]))}
    if names and names <= _TO_NUMBERS:
        return ()
    own = callees(program, place)
    if own:
        return None if any(_is_kept_by(program, place, one, value) for one in own) else (user,)
    is_arithmetic = bool(names) and names <= _ARITHMETIC
    return (user,) if is_arithmetic or traits & _COMPUTING else None


def _is_kept_by(program: Program, call: Place, callee: Callee, value: int) -> bool:
    """Whether a function may show what it is passed, other than by what it gives back."""
    target = program.unit(callee.unit)
    passed = [
        op.data
        for op in target.ops
        if op.kind is Kind.PARAMETER
        and argument_for(program, call, callee, target, op.data) == value
    ]
    return not passed or any(
        program.answers.ask(_keeps_parameter, (*callee.unit, one), bottom=False) for one in passed
    )


def _keeps_parameter(program: Program, path: str, number: int, parameter: int) -> bool:
    unit = program.unit((path, number))
    own = [
        at for at, op in enumerate(unit.ops) if op.kind is Kind.PARAMETER and op.data == parameter
    ]
    return _spreads(program, unit, own, _RETURNS)
