"""Classes of the project: their bases, and what their attributes hold."""

from __future__ import annotations

from collections.abc import Iterator

from deepperf.knowledge.schema import Trait
from deepperf.semantics.ir.table import UNBOUND, Kind, Unit
from deepperf.semantics.objects.origin import (
    ANYTHING,
    NOTHING,
    Held,
    Origin,
    UnitKey,
    What,
    bounded,
    one,
)
from deepperf.semantics.objects.records import functions_in
from deepperf.semantics.objects.telling import corrected, told_of
from deepperf.semantics.program.program import Program

_DEEPEST = 12
_MODULE = "torch.nn.Module"
_OTHERS = ("builtins.", "typing.", "abc.", "enum.", "collections.", "torch.", "numpy.")
"""Where no class comes from that makes a module of PyTorch of the classes that inherit it."""
_VALUE = 2
"""The operand of a call that registers something which is what is registered."""


def bases(program: Program, key: UnitKey) -> tuple[Origin, ...]:
    """The classes that a class names as its bases."""
    return program.answers.ask(_bases, key, bottom=())


def _bases(program: Program, path: str, number: int) -> tuple[Origin, ...]:
    from deepperf.semantics.objects.holds import holds

    unit = program.unit((path, number))
    parent = program.unit((path, unit.parent))
    op = parent.ops[unit.definition]
    found: list[Origin] = []
    for base in op.args[: op.data[1]]:
        found += sorted(
            origin
            for origin in holds(program, (*parent.key, base))
            if origin.what in (What.CLASS, What.LIBRARY)
        )
    return tuple(dict.fromkeys(found))


def line(program: Program, key: UnitKey) -> tuple[UnitKey, ...]:
    """A class and its bases in the project, nearest first."""
    return program.answers.ask(_line, key, bottom=(key,))


def _line(program: Program, path: str, number: int) -> tuple[UnitKey, ...]:
    found = [(path, number)]
    for one_ in found:
        if len(found) > _DEEPEST:
            break
        for base in bases(program, one_):
            if base.what is What.CLASS and base.place[:2] not in found:
                found.append(base.place[:2])
    return tuple(found)


def library_bases(program: Program, key: UnitKey) -> tuple[str, ...]:
    """The names of the library classes that a class inherits from, theirs included."""
    return program.answers.ask(_library_bases, key, bottom=())


def _library_bases(program: Program, path: str, number: int) -> tuple[str, ...]:
    found: list[str] = []
    for one_ in line(program, (path, number)):
        for base in bases(program, one_):
            if base.what is What.LIBRARY:
                found += [n for n in program.knowledge.ancestry(base.name) if n not in found]
    if _MODULE not in found and _seems_module(program, (path, number)):
        found += [n for n in program.knowledge.ancestry(_MODULE) if n not in found]
    return tuple(found)


def _seems_module(program: Program, key: UnitKey) -> bool:
    """Whether a class of which some base is unknown is a module of PyTorch by its `forward`."""
    classes = line(program, key)
    inherited = [base.name for owner in classes for base in bases(program, owner)]
    unknown = [name for name in inherited if name and program.knowledge.type(name) is None]
    if not any("." in name and not name.startswith(_OTHERS) for name in unknown):
        return False
    for owner in classes:
        unit = program.unit(owner)
        for index in unit.bindings.get("forward", ()):
            op = unit.ops[index] if index != UNBOUND else None
            if op is not None and op.kind is Kind.FUNCTION and not op.args:
                return owner[0] in program.naming("torch")
    return False


def class_attribute(program: Program, origin: Origin, name: str) -> Held:
    """What an attribute of a class, or of an instance of it, may hold."""
    return program.answers.ask(
        _class_attribute, (*origin.place[:2], origin.what, name), bottom=NOTHING
    )


def _class_attribute(program: Program, path: str, number: int, what: What, name: str) -> Held:
    key = (path, number)
    origin = Origin(what, "", key)
    for owner in line(program, key):
        found = _own_attribute(program, owner, origin, name)
        if found:
            return found
    for base in library_bases(program, key):
        method = program.knowledge.method(base, name)
        if method is not None:
            return one(What.METHOD, method, (origin,))
    return ANYTHING if what is What.CLASS else functions_in(program, key, name) | ANYTHING


def _own_attribute(program: Program, owner: UnitKey, origin: Origin, name: str) -> Held:
    from deepperf.semantics.objects.holds import holds, returned

    unit = program.unit(owner)
    found: set[Origin] = set()
    for index in unit.bindings.get(name, ()):
        if index == UNBOUND:
            continue
        op = unit.ops[index]
        if op.kind is not Kind.FUNCTION:
            found |= holds(program, (*owner, index))
        elif origin.what is What.INSTANCE and _is_property(unit, index):
            found |= returned(program, (unit.path, op.data))
        else:
            found.add(Origin(What.BOUND, name, (unit.path, op.data, origin)))
    return bounded(frozenset(found) | stored(program, owner, name))


def _is_property(unit: Unit, index: int) -> bool:
    return any(
        unit.ops[decorator].data in ("property", "cached_property")
        for decorator in unit.ops[index].args
    )


def stored(program: Program, owner: UnitKey, name: str) -> Held:
    """What the methods of a class store under an attribute of their object."""
    return program.answers.ask(_stored, (*owner, name), bottom=NOTHING)


def _stored(program: Program, path: str, number: int, name: str) -> Held:
    from deepperf.semantics.objects.holds import holds

    found: set[Origin] = set()
    for place in stores(program, (path, number), name):
        value = program.op(place).args[1]
        found |= holds(program, (place[0], place[1], value))
    found |= _registered(program, path, number, name)
    # An attribute that is first None and later something is that something.
    rest = found - {Origin(What.CONSTANT, "NoneType")}
    told = _told(program, (path, number), name)
    return bounded(corrected(program, frozenset(rest or found), told))


def _told(program: Program, owner: UnitKey, name: str) -> Iterator[str]:
    """The methods of an attribute that are called anywhere in the class, and tell its type."""
    for place in program.uses_of(name, owner[0]):
        unit = program.unit(place[:2])
        op = unit.ops[place[2]]
        if unit.parent == owner[1] and op.kind is Kind.ATTRIBUTE and is_own(unit, op.args[0]):
            yield from told_of(program, unit, place[2])


def is_own(unit: Unit, index: int) -> bool:
    """Whether an operand is the object of the method that it stands in."""
    op = unit.ops[index]
    return op.kind is Kind.PARAMETER and op.data == 0


def _registered(program: Program, path: str, number: int, name: str) -> Held:
    """What methods keep under a name by a call: `self.register_buffer("name", value)`."""
    from deepperf.semantics.objects.holds import holds

    found = NOTHING
    for word in sorted(program.knowledge.trigger_names((Trait.REGISTERS,))):
        for place in program.uses_of(word, path):
            unit = program.unit(place[:2])
            if unit.parent != number:
                continue
            for call in unit.uses(place[2]):
                args = unit.ops[call].args
                is_named = len(args) > _VALUE and unit.ops[args[1]].data == name
                if is_named and unit.ops[args[1]].kind is Kind.CONSTANT and args[0] == place[2]:
                    found |= holds(program, (*unit.key, args[_VALUE]))
    return found


def stores(program: Program, owner: UnitKey, name: str) -> tuple[tuple[str, int, int], ...]:
    """The operations by which the methods of a class set an attribute of their object."""
    path, number = owner
    found = []
    for place in program.stores_of(name, path):
        unit = program.unit(place[:2])
        if unit.parent == number and is_own(unit, unit.ops[place[2]].args[0]):
            found.append(place)
    return tuple(found)
