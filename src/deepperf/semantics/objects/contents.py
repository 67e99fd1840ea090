"""What containers hold: elements, parts, and what Python's own functions make of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from deepperf.semantics.ir.table import UNBOUND, Kind, Op, Unit
from deepperf.semantics.objects.filling import puts
from deepperf.semantics.objects.origin import (
    ANYTHING,
    NOTHING,
    Held,
    Origin,
    What,
    one,
)
from deepperf.semantics.objects.rests import rest
from deepperf.semantics.program.program import Program

PYTHON_TYPES = {
    "list": "list",
    "tuple": "tuple",
    "set": "set",
    "dict": "dict",
    "collect": "list",
    "same": "list",
    "split": "list",
    "arguments": "tuple",
    "pair": "tuple",
    "entry": "tuple",
    "pairs": "dict",
    "entries": "dict",
    "named": "dict",
    "further": "tuple",
    "options": "dict",
}
"""The Python type of each kind of container."""
GIVEN = "$0"
"""What a type yields whose objects hold what their first argument does."""
KEYED = "$0[]"
"""The same where its objects hold it under keys, and as attributes with these names."""
_SAME = frozenset(("sorted", "list", "tuple", "reversed", "iter", "set", "filter"))


def made_by(program: Program, name: str, unit: Unit, index: int, op: Op) -> Held | None:
    """What a call of Python's own functions, or of one that gives what it is given, makes; None for
    all others.
    """
    place = (*unit.key, index)
    fact = program.fact(name)
    if fact is not None and fact.returns == GIVEN:
        return _itself(program, unit, op)
    if fact is not None and fact.returns == "builtins.str":
        return one(What.CONSTANT, "str")
    if name == "builtins.super":
        return _super(program, unit)
    if name in ("builtins.enumerate", "builtins.zip"):
        return one(What.CONTAINER, name.rpartition(".")[2], place)
    if name.startswith("builtins.") and name[9:] in _SAME and len(op.args) > 1:
        return one(What.CONTAINER, "same", place)
    if name == "builtins.next" and len(op.args) > 1:
        return _elements_at(program, unit, op.args[1])
    if name in ("builtins.dict", "collections.OrderedDict") and len(op.args) > 1 and not op.data:
        return one(What.CONTAINER, "pairs", place)
    if name in ("builtins.dict", "collections.OrderedDict") and len(op.args) == 1 + len(op.data):
        return one(What.CONTAINER, "named", place)
    if name in ("builtins.dict.items", "builtins.dict.values"):
        return one(What.CONTAINER, name.rpartition(".")[2], place)
    if name in ("builtins.len", "builtins.int", "builtins.float", "builtins.round", "builtins.abs"):
        return one(What.CONSTANT, "int") if name != "builtins.abs" else _at(program, unit, op, 1)
    if name in ("builtins.str", "builtins.bool", "builtins.range"):
        return one(What.CONSTANT, name.rpartition(".")[2])
    if name in ("builtins.max", "builtins.min", "builtins.sum") and len(op.args) > 1:
        return _elements_at(program, unit, op.args[1]) | _at(program, unit, op, 2)
    if name == "torch.utils.data.random_split":
        return one(What.CONTAINER, "split", place)
    if name in ("functools.partial", "copy.deepcopy", "copy.copy", "torch.utils.data.Subset"):
        return _at(program, unit, op, 1)
    return None


def _itself(program: Program, unit: Unit, op: Op) -> Held:
    """What a progress bar goes over. A function that is wrapped, others run."""
    is_given = len(op.args) - len(op.data) > 1
    held = _at(program, unit, op, 1) if is_given else ANYTHING
    return frozenset(one_ for one_ in held if one_.what is not What.FUNCTION) or ANYTHING


def of_its_class(program: Program, unit: Unit, op: Op) -> Held:
    """An object of the class whose method is called: the library's, or one that inherits it."""
    callee = unit.ops[op.args[0]]
    owners = _at(program, unit, callee, 0) if callee.kind is Kind.ATTRIBUTE else NOTHING
    known = (owner.name for owner in owners if program.knowledge.type(owner.name))
    own = [Origin(What.INSTANCE, "", one.place) for one in owners if one.what is What.CLASS]
    return frozenset([*(Origin(What.OBJECT, name) for name in known), *own])


def _super(program: Program, unit: Unit) -> Held:
    from deepperf.semantics.objects.classes import bases

    owner = program.enclosing_class(unit)
    if owner is None:
        return ANYTHING
    found = [
        Origin(What.INSTANCE, "", base.place[:2])
        if base.what is What.CLASS
        else Origin(What.OBJECT, base.name)
        for base in bases(program, owner)
    ]
    return frozenset(found) or ANYTHING


def _at(program: Program, unit: Unit, op: Op, position: int) -> Held:
    from deepperf.semantics.objects.holds import holds

    if position >= len(op.args) or op.args[position] == UNBOUND:
        return NOTHING
    return holds(program, (*unit.key, op.args[position]))


def _elements_at(program: Program, unit: Unit, index: int) -> Held:
    from deepperf.semantics.objects.holds import holds

    found = [elements(program, origin) for origin in holds(program, (*unit.key, index))]
    return NOTHING.union(*found)


def elements(program: Program, origin: Origin) -> Held:
    """What iterating over one abstract value gives."""
    if origin.what is What.OBJECT:
        known = program.knowledge.type(origin.name)
        if known is not None and known.yields == GIVEN:
            if not origin.place:
                return ANYTHING
            return program.answers.ask(_of_list, origin.place, bottom=NOTHING)
        if known is not None and known.yields == KEYED:
            return one(What.CONSTANT, "key")
        if known is not None and " " in known.yields:
            return one(What.CONTAINER, known.yields)
        if known is not None and known.yields:
            return one(What.OBJECT, known.yields)
        from deepperf.semantics.objects.holds import ARRAYS

        line = program.knowledge.ancestry(origin.name)
        return frozenset((origin,)) if any(array in line for array in ARRAYS) else ANYTHING
    if origin.what is What.INSTANCE:
        return _of_instance(program, origin)
    if origin.what is What.CONSTANT:
        return one(What.CONSTANT, "int" if origin.name == "range" else origin.name)
    if origin.what is not What.CONTAINER or not origin.place:
        return ANYTHING
    return program.answers.ask(_of_container, (*origin.place, origin.name), bottom=NOTHING)


def keyed(program: Program, origin: Origin) -> Held:
    """The dict that an object was given, and holds as its own; nothing for all others."""
    known = program.knowledge.type(origin.name) if origin.what is What.OBJECT else None
    if known is None or known.yields != KEYED or not origin.place:
        return NOTHING
    unit = program.unit(origin.place[:2])
    return _at(program, unit, unit.ops[origin.place[2]], 1)


def kept_under(program: Program, origin: Origin, name: str) -> Held:
    """What such an object has as an attribute: what it keeps under a key, or a dict's method."""
    from deepperf.semantics.objects.holds import attribute_of

    given = keyed(program, origin)
    if program.fact(f"builtins.dict.{name}") is not None:
        return NOTHING.union(*[attribute_of(program, one_, name) for one_ in given])
    return NOTHING.union(*[part(program, one_, name) for one_ in given])


def _of_container(program: Program, path: str, number: int, *made: Any) -> Held:
    """What lies in a container: `made` are its operation, none for a generator, and its name."""
    unit, name = program.unit((path, number)), made[-1]
    if name == "generator":
        found = [_at(program, unit, unit.ops[index], 0) for index in unit.yields]
        return NOTHING.union(*found)
    find = _ELEMENTS.get(name)
    return ANYTHING if find is None else find(program, unit, made[0])


def _of_list(program: Program, path: str, number: int, index: int) -> Held:
    """What lies in a library's list: what it is made of, and what is put into it later."""
    unit = program.unit((path, number))
    op = unit.ops[index]
    found = _elements_at(program, unit, op.args[1]) if len(op.args) > 1 else NOTHING
    return found | _added(program, unit, index) or ANYTHING


def _of_instance(program: Program, origin: Origin) -> Held:
    from deepperf.semantics.objects.classes import class_attribute, library_bases
    from deepperf.semantics.objects.holds import called

    for name in ("__iter__", "__getitem__"):
        for method in class_attribute(program, origin, name):
            if method.what is What.BOUND:
                unit = program.unit(method.place[:2])
                found = called(program, method, unit, UNBOUND, unit.ops[UNBOUND])
                if name == "__getitem__":
                    return found
                return NOTHING.union(*[_iterated(program, one_) for one_ in found])
    for base in library_bases(program, origin.place[:2]):
        known = program.knowledge.type(base)
        if known is not None and known.yields:
            return one(What.OBJECT, known.yields)
    return ANYTHING


def _iterated(program: Program, origin: Origin) -> Held:
    """What an iterator gives: an object of the project, by its `__next__`."""
    from deepperf.semantics.objects.classes import class_attribute
    from deepperf.semantics.objects.holds import called

    if origin.what is not What.INSTANCE:
        return elements(program, origin)
    found = NOTHING
    for method in class_attribute(program, origin, "__next__"):
        if method.what is not What.BOUND:
            return ANYTHING
        unit = program.unit(method.place[:2])
        found |= called(program, method, unit, UNBOUND, unit.ops[UNBOUND])
    return found


def _of_display(program: Program, unit: Unit, index: int) -> Held:
    op = unit.ops[index]
    found = [_at(program, unit, op, position) for position in range(len(op.args))]
    return NOTHING.union(*found, _added(program, unit, index))


def _added(program: Program, unit: Unit, index: int) -> Held:
    """What is put into a list after it is made."""
    from deepperf.semantics.objects.holds import holds

    found = [holds(program, (*put.unit.key, put.value)) for put in puts(program, unit, index)]
    return NOTHING.union(*found)


def _of_same(program: Program, unit: Unit, index: int) -> Held:
    op = unit.ops[index]
    position = 2 if unit.ops[op.args[0]].data == "filter" else 1
    if position >= len(op.args):
        return ANYTHING
    return _elements_at(program, unit, op.args[position])


def _of_values(program: Program, unit: Unit, index: int) -> Held:
    """The values of the dict whose method a call is."""
    callee = unit.ops[unit.ops[index].args[0]]
    return _dict_values(program, unit, callee.args[0]) if callee.args else ANYTHING


def _dict_values(program: Program, unit: Unit, index: int) -> Held:
    from deepperf.semantics.objects.holds import holds

    held = holds(program, (*unit.key, index))
    return NOTHING.union(*[values(program, origin) for origin in held])


def values(program: Program, origin: Origin) -> Held:
    """What lies in a dict, under whatever key."""
    if origin.what is What.OBJECT:
        given = keyed(program, origin)
        inside = [values(program, one_) for one_ in given]
        return NOTHING.union(*inside) if given else elements(program, origin)
    if origin.what is not What.CONTAINER or not origin.place:
        return ANYTHING
    if origin.name not in ("dict", "collect", "pairs", "entries", "named", "options"):
        return ANYTHING
    owner, index = program.unit(origin.place[:2]), origin.place[2]
    made = owner.ops[index]
    if origin.name == "pairs":  # a dict may be made of itself
        found = program.answers.ask(_of_pairs, origin.place, bottom=NOTHING)
    elif origin.name == "options":
        found = rest(program, origin.place)
    elif origin.name == "entries":
        found = _at(program, owner, made, 1)  # the first operand is the key
    elif origin.name == "named":
        found = NOTHING.union(*[_at(program, owner, made, at) for at in range(1, len(made.args))])
    else:
        found = NOTHING.union(*[_at(program, owner, made, at) for at in range(len(made.args))])
    return found | _added(program, owner, index)


def _of_pairs(program: Program, path: str, number: int, index: int) -> Held:
    """The values of what a call of `dict` makes, but for those that are put into it later."""
    unit = program.unit((path, number))
    return _of_entries(program, unit, unit.ops[index].args[1])


def _of_entries(program: Program, unit: Unit, index: int) -> Held:
    """The second parts of the pairs that a dict is made of, or the values of another dict."""
    from deepperf.semantics.objects.holds import holds

    found = NOTHING
    for origin in holds(program, (*unit.key, index)):
        if PYTHON_TYPES.get(origin.name) == "dict":
            found |= values(program, origin)
        else:
            pairs = elements(program, origin)
            found |= NOTHING.union(*[part(program, pair, 1) for pair in pairs])
    return found


_ELEMENTS: dict[str, Callable[[Program, Unit, int], Held]] = {
    "list": _of_display,
    "tuple": _of_display,
    "set": _of_display,
    "arguments": _of_display,
    "collect": lambda program, unit, index: _at(program, unit, unit.ops[index], 0),
    "split": lambda program, unit, index: _at(program, unit, unit.ops[index], 1),
    "same": _of_same,
    "enumerate": lambda _, unit, index: one(What.CONTAINER, "pair", (*unit.key, index)),
    "zip": lambda _, unit, index: one(What.CONTAINER, "pair", (*unit.key, index)),
    "pairs": lambda _, __, ___: one(What.CONSTANT, "key"),
    "named": lambda _, __, ___: one(What.CONSTANT, "key"),
    "entries": lambda program, unit, index: _at(program, unit, unit.ops[index], 0),
    "items": lambda _, unit, index: one(What.CONTAINER, "entry", (*unit.key, index)),
    "values": _of_values,
    "further": lambda program, unit, index: rest(program, (*unit.key, index)),
    "options": lambda _, __, ___: one(What.CONSTANT, "key"),
}


def part(program: Program, origin: Origin, index: Any) -> Held:
    """What lies at a constant index of one abstract value."""
    if origin.what is not What.CONTAINER:
        given = [part(program, one_, index) for one_ in keyed(program, origin)]
        return NOTHING.union(*given) if given else elements(program, origin)
    if isinstance(index, tuple):
        return one(What.CONTAINER, "unknown")
    if origin.name == "generator":
        return elements(program, origin)
    if not origin.place:
        return _of_words(origin.name.split(), index)
    unit, number = program.unit(origin.place[:2]), origin.place[2]
    op = unit.ops[number]
    if origin.name in ("list", "tuple") and _is_whole(unit, op, index):
        return _at(program, unit, op, index)
    if origin.name == "arguments" and isinstance(index, int):
        return _at(program, unit, op, index + 1)
    if origin.name == "pair" and isinstance(index, int):
        return _of_pair(program, unit, op, index)
    if origin.name == "entry":
        return _of_values(program, unit, number) if index == 1 else one(What.CONSTANT, "key")
    if origin.name == "named" and index in op.data:
        return _at(program, unit, op, 1 + op.data.index(index))
    if origin.name in ("pairs", "entries", "named", "options"):
        return values(program, origin)
    if origin.name == "dict":
        return _under_key(program, unit, number, index)
    return elements(program, origin)


def _of_words(types: list[str], index: Any) -> Held:
    """What lies at a place of a tuple of which only the types are known."""
    if not isinstance(index, int) or not -len(types) <= index < len(types) or len(types) == 1:
        return ANYTHING
    name = types[index]
    return one(What.OBJECT, name) if "." in name else one(What.CONSTANT, name)


def _is_whole(unit: Unit, op: Op, index: Any) -> bool:
    return (
        isinstance(index, int)
        and -len(op.args) <= index < len(op.args)
        and not any(unit.ops[argument].kind is Kind.STAR for argument in op.args)
    )


def _of_pair(program: Program, unit: Unit, op: Op, index: int) -> Held:
    is_numbered = unit.ops[op.args[0]].data == "enumerate"
    if is_numbered and index == 0:
        return one(What.CONSTANT, "int")
    position = 1 if is_numbered else index + 1
    if not 0 < position < len(op.args):
        return ANYTHING
    return _elements_at(program, unit, op.args[position])


def _under_key(program: Program, unit: Unit, index: int, key: Any) -> Held:
    from deepperf.semantics.objects.holds import holds

    op = unit.ops[index]
    found: list[Held] = []
    for position, number in enumerate(op.data or ()):
        if number >= 0 and unit.ops[number].kind is Kind.CONSTANT and unit.ops[number].data == key:
            found.append(_at(program, unit, op, position))
    for put in puts(program, unit, index):
        under = put.unit.ops[put.key]
        if under.kind is Kind.CONSTANT and under.data == key:
            found.append(holds(program, (*put.unit.key, put.value)))
    if not found:
        found = [_at(program, unit, op, position) for position in range(len(op.args))]
        found.append(_added(program, unit, index))
    return NOTHING.union(*found) or ANYTHING
