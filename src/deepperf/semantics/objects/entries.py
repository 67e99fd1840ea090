"""What lies under which key of a dict that the project writes out, and what `**` of it passes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from deepperf.semantics.ir.table import UNBOUND, Kind, Op, Unit
from deepperf.semantics.objects.classes import is_own, line
from deepperf.semantics.objects.everywhere import attributes_read
from deepperf.semantics.objects.fields import settings
from deepperf.semantics.objects.filling import GROWING, handles, read_elsewhere
from deepperf.semantics.objects.holds import holds
from deepperf.semantics.objects.origin import Place, What
from deepperf.semantics.program.program import Program


class Entries(NamedTuple):
    """The places of what lies under names; whether nothing else may lie in the dict."""

    under: tuple[tuple[str, Place], ...]
    is_all: bool


_Found = Entries | None
_Keys = frozenset[str] | None
_NO_KEYS: _Keys = frozenset()
_LOOKING = frozenset(("get", "items", "keys", "values", "copy"))
"""Methods of a dict that leave it as it is."""
_THROUGH = frozenset((Kind.PHI, Kind.CYCLE, Kind.CHOICE, Kind.LOGIC))
_GIVING = _LOOKING - {"keys"}
"""Methods of a container that give what lies in it."""
_HOLDING = frozenset((Kind.DICT, Kind.LIST, Kind.TUPLE, Kind.SET, Kind.COLLECT))
_TAKING = frozenset((Kind.ITEM, Kind.ELEMENT, Kind.PART))
_SHARED = frozenset((Kind.NAME, Kind.ATTRIBUTE, Kind.PARAMETER))
"""What names a dict that others hold as well."""
_OF_LIBRARIES = frozenset((What.LIBRARY, What.METHOD, What.OBJECT))
_MAKERS = frozenset(("builtins.dict", "collections.OrderedDict"))
_COPIERS = frozenset(("builtins.dict.copy", "copy.copy", "copy.deepcopy"))
_OF_RECORDS = frozenset(("dataclasses.asdict", "attr.asdict", "attrs.asdict"))
"""What gives the fields of an object as a dict."""
_NO_FIELDS = frozenset((Kind.FUNCTION, Kind.CLASS, Kind.IMPORT))
_UNPACKED = -1
_TWO_STARS = 2


def entries(program: Program, place: Place) -> _Found:
    """What lies in a dict; None where something unseen may change any of it."""
    return None if place[2] == UNBOUND else program.answers.ask(_entries, place, bottom=None)


def unpacked(program: Program, call: Place) -> _Found:
    """What the `**` arguments of a call pass; None where that can't be told."""
    unit = program.unit(call[:2])
    stars = [unit.ops[operand] for operand in program.op(call).args[1:]]
    stars = [star for star in stars if star.kind is Kind.STAR]
    if any(star.data != _TWO_STARS for star in stars):
        return None
    return _merged([entries(program, (*unit.key, star.args[0])) for star in stars])


def _merged(found: list[_Found]) -> _Found:
    """What several dicts have together, each before those that it is updated with."""
    under: dict[str, Place] = {}
    is_all = True
    for one in found:
        if one is None:
            return None
        under = {**under, **dict(one.under)} if one.is_all else dict(one.under)
        is_all &= one.is_all
    return Entries(tuple(under.items()), is_all)


def _entries(program: Program, path: str, number: int, index: int) -> _Found:
    from deepperf.semantics.objects.literals import sources

    unit = program.unit((path, number))
    op = unit.ops[index]
    is_rest = op.kind is Kind.PARAMETER and unit.parameters[op.data].passing == "**"
    found = None if is_rest else sources(program, (path, number, index))
    if is_rest:
        made = _rest(program, unit)
    elif found is None or len(found) != 1:
        return None
    else:
        (origin,) = found
        made = _made(program, origin)
    at_hand = [(unit, index)]
    if op.kind is Kind.ATTRIBUTE:
        at_hand += _read(program, op.data)
    return _unchanged(program, made, at_hand)


def _read(program: Program, name: str) -> Iterator[tuple[Unit, int]]:
    for place in attributes_read(program, name):
        yield program.unit(place[:2]), place[2]


def _unchanged(program: Program, made: _Found, at_hand: Iterable[tuple[Unit, int]]) -> _Found:
    """What stays in a dict, wherever it is at hand."""
    changed: frozenset[str] = frozenset()
    for unit, index in at_hand if made is not None else ():
        found = _changed(program, unit, index)
        if found is None:
            return None
        changed |= found
    if made is None or not changed:
        return made
    kept = tuple([(name, place) for name, place in made.under if name not in changed])
    return Entries(kept, is_all=False)


def _made(program: Program, place: Place) -> _Found:
    """What an operation puts into the dict that it makes, and nobody takes out."""
    unit = program.unit(place[:2])
    op = unit.ops[place[2]]
    if op.kind is Kind.DICT:
        made = _displayed(program, unit, op)
    elif op.kind is Kind.BINARY and op.data == "BitOr":
        made = _merged([entries(program, (*unit.key, operand)) for operand in op.args])
    elif op.kind is Kind.CALL:
        made = _called(program, unit, op)
    else:
        return None
    at_hand = [*handles(program, unit, place[2]), *_in_other_files(program, unit, place[2])]
    return _unchanged(program, made, at_hand)


def _in_other_files(program: Program, unit: Unit, index: int) -> Iterator[tuple[Unit, int]]:
    """Where other files than its own have a dict that a module keeps under a name."""
    if unit.kind != "module":
        return
    for name in [name for name, bound in unit.bindings.items() if index in bound]:
        for reader, one in _read(program, name):
            held = holds(program, (*reader.key, reader.ops[one].args[0]))
            if any(origin.what is What.MODULE for origin in held):
                yield reader, one
        for path in program.naming(name):
            module = program.units(path)[0]
            for one in module.bindings.get(name, ()) if path != unit.path else ():
                if one != UNBOUND and module.ops[one].kind is Kind.IMPORT:
                    yield module, one
                    yield from read_elsewhere(program, module, name)


def _displayed(program: Program, unit: Unit, op: Op) -> _Found:
    parts: list[_Found] = []
    for key, operand in zip(op.data, op.args, strict=True):
        if key == _UNPACKED:
            parts.append(entries(program, (*unit.key, operand)))
            continue
        name = unit.ops[key]
        is_name = name.kind is Kind.CONSTANT and isinstance(name.data, str)
        parts.append(_one(name.data, (*unit.key, operand)) if is_name else None)
    return _merged(parts)


def _called(program: Program, unit: Unit, op: Op) -> _Found:
    names = {origin.name for origin in holds(program, (*unit.key, op.args[0]))}
    if len(names) != 1:
        return None
    (name,) = names
    positional = op.args[1 : len(op.args) - len(op.data)]
    if name in _COPIERS:
        callee = unit.ops[op.args[0]]
        copied = positional[0] if positional else callee.args[0]
        return entries(program, (*unit.key, copied))
    if name in _OF_RECORDS and positional:
        return _of_record(program, (*unit.key, positional[0]))
    if name not in _MAKERS or len(positional) > 1:
        return None
    parts = [entries(program, (*unit.key, operand)) for operand in positional]
    for keyword, operand in zip(op.data, op.args[1 + len(positional) :], strict=True):
        star = unit.ops[operand]
        is_star = star.kind is Kind.STAR
        place = (*unit.key, star.args[0] if is_star else operand)
        parts.append(entries(program, place) if is_star else _one(keyword, place))
    return _merged(parts)


def _one(name: str, place: Place) -> Entries:
    return Entries(((name, place),), is_all=True)


def _of_record(program: Program, place: Place) -> _Found:
    """The fields of an object whose class lists them, as far as each is always the same."""
    from deepperf.semantics.objects.literals import made

    held = made(program, place)
    if len(held) != 1 or any(origin.what is not What.INSTANCE for origin in held):
        return None
    (owner,) = [origin.place[:2] for origin in held]
    bodies = [program.unit(key) for key in line(program, owner)]
    names = {
        name
        for body in bodies
        for name, bound in body.bindings.items()
        if not any(body.ops[index].kind in _NO_FIELDS for index in bound)
    }
    found = {name: settings(program, owner, name) for name in sorted(names)}
    under = [(name, next(iter(one))) for name, one in found.items() if one and len(one) == 1]
    return Entries(tuple(under), is_all=len(under) == len(found))


def _rest(program: Program, unit: Unit) -> _Found:
    """What the only caller of a function passes for its `**` parameter."""
    from deepperf.semantics.callgraph.calls import callers

    edges = callers(program, unit.key)
    if len(edges) != 1 or not edges[0].is_known:
        return None
    call = edges[0].call
    own = {one.name for one in unit.parameters if one.passing not in ("*", "**")}
    caller = program.unit(call[:2])
    made = program.op(call)
    named = made.args[len(made.args) - len(made.data) :]
    parts: list[_Found] = []
    for keyword, operand in zip(made.data, named, strict=True):
        star = caller.ops[operand]
        if star.kind is Kind.STAR:
            parts.append(entries(program, (*caller.key, star.args[0])))
        elif keyword not in own:
            parts.append(_one(keyword, (*caller.key, operand)))
    return _merged(parts)


def _changed(program: Program, unit: Unit, index: int) -> _Keys:
    """The keys that are set after a dict was made; None where any may be."""
    found: frozenset[str] = frozenset()
    pending, seen = [index], {index}
    while pending:
        one = pending.pop()
        for user in unit.uses(one):
            op = unit.ops[user]
            if op.kind in _THROUGH and user not in seen:
                seen.add(user)
                pending.append(user)
            elif op.kind is Kind.SET_ITEM and op.args[0] == one:
                key = unit.ops[op.args[1]]
                if key.kind is not Kind.CONSTANT or not isinstance(key.data, str):
                    return None
                found |= {key.data}
            elif (inside := _in_callees(program, unit, user, one)) is not None:
                found |= inside
            elif _may_change(program, unit, user, one):
                return None
    return found


def _in_callees(program: Program, unit: Unit, user: int, index: int) -> _Keys:
    """The keys that the functions of the project set in a dict that a call passes them; None where
    it is passed to anything else, or they may do more.
    """
    from deepperf.semantics.callgraph.callees import argument_for, callees

    op = unit.ops[user]
    if op.kind is not Kind.CALL or index not in op.args[1:]:
        return None
    place = (*unit.key, user)
    held = holds(program, (*unit.key, op.args[0]))
    if not held or any(one.what is not What.FUNCTION for one in held):
        return None  # a method may be overridden
    found: frozenset[str] = frozenset()
    for callee in callees(program, place):
        target = program.unit(callee.unit)
        numbers = range(len(target.parameters))
        met = [argument_for(program, place, callee, target, number) for number in numbers]
        if met.count(index) != 1 or target.parameters[met.index(index)].passing in ("*", "**"):
            return None
        asked = (*callee.unit, met.index(index))
        inside: _Keys = program.answers.ask(_set_by, asked, bottom=_NO_KEYS)
        if inside is None:
            return None
        found |= inside
    return found


def _set_by(program: Program, path: str, number: int, parameter: int) -> _Keys:
    """The keys that a function sets in the dict that it is passed for a parameter."""
    unit = program.unit((path, number))
    found: frozenset[str] = frozenset()
    for index, op in enumerate(unit.ops):
        if op.kind is not Kind.PARAMETER or op.data != parameter:
            continue
        for owner, handle in handles(program, unit, index):
            is_kept = any(owner.ops[one].kind is Kind.SET_ATTRIBUTE for one in owner.uses(handle))
            changed = None if is_kept else _changed(program, owner, handle)
            if changed is None:
                return None
            found |= changed
    return found


def _may_change(program: Program, unit: Unit, user: int, index: int) -> bool:
    """Whether an operation that takes a dict may change what lies in it, or lets others do so."""
    op = unit.ops[user]
    if op.kind is Kind.ATTRIBUTE:
        return op.data not in _LOOKING
    if op.kind is Kind.ITEM and op.args[0] == index:
        return any(unit.ops[one].kind is Kind.DELETE for one in unit.uses(user))
    if op.kind in _HOLDING:
        return index in op.args and _is_changed_within(program, unit, user, index)
    if op.kind is Kind.SET_ATTRIBUTE:
        return not is_own(unit, op.args[0])
    if op.kind is Kind.RETURN:
        return unit.ops[index].kind in _SHARED
    if op.kind in (Kind.SET_ITEM, Kind.YIELD):
        return True
    if op.kind is not Kind.CALL or index not in op.args[1:]:
        return False
    callee = unit.ops[op.args[0]]
    held = holds(program, (*unit.key, op.args[0]))
    is_kept = callee.kind is Kind.ATTRIBUTE and callee.data in GROWING
    return is_kept or not held or any(origin.what not in _OF_LIBRARIES for origin in held)


def _is_changed_within(program: Program, unit: Unit, holder: int, index: int) -> bool:
    """Whether code takes a dict out of the container that holds it, and may change it there."""
    under = _keys(unit, holder, index)
    pending = list(handles(program, unit, holder)) if under != () else []
    holders = {(*owner.key, handle) for owner, handle in pending}
    seen = set[Place]()
    while pending:
        owner, handle = pending.pop()
        place = (*owner.key, handle)
        if place in seen:
            continue
        seen.add(place)
        is_holder = place in holders
        for user in owner.uses(handle):
            op = owner.ops[user]
            if op.kind in _THROUGH:
                pending.append((owner, user))
                holders |= {(*owner.key, user)} if is_holder else set()
            elif op.kind in _TAKING and op.args[0] == handle:
                if not (is_holder and under and _is_other(owner, op, under)):
                    pending.append((owner, user))
            elif op.kind is Kind.ATTRIBUTE and op.data in _GIVING:
                pending += [(owner, call) for call in owner.uses(user)]
            elif op.kind in _HOLDING:
                pending += handles(program, owner, user)
            elif op.kind is Kind.SET_ITEM and op.args[0] == handle and is_holder:
                continue  # another thing lies there then
            elif op.kind is Kind.DELETE or _may_change(program, owner, user, handle):
                return True
    return False


def _keys(unit: Unit, holder: int, index: int) -> tuple[str, ...] | None:
    """The keys under which a dict lies in another, none where `**` copies it; None if unknown."""
    op = unit.ops[holder]
    if op.kind is not Kind.DICT:
        return None
    keys = [key for key, operand in zip(op.data, op.args, strict=True) if operand == index]
    named = [unit.ops[key].data for key in keys if key != _UNPACKED]
    return tuple(named) if all(isinstance(one, str) for one in named) else None


def _is_other(unit: Unit, op: Op, under: tuple[str, ...]) -> bool:
    """Whether an operation takes something else out of a dict than what lies under some keys."""
    key = unit.ops[op.args[1]] if op.kind is Kind.ITEM else op
    return key.kind is Kind.CONSTANT and key.data not in under
