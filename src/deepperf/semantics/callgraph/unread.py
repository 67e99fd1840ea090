"""Whether anything reads what a variable is assigned, or what a function returns."""

from __future__ import annotations

from deepperf.semantics.callgraph.callees import EdgeKind
from deepperf.semantics.callgraph.calls import callers, has_unseen_callers
from deepperf.semantics.callgraph.uses import uses
from deepperf.semantics.ir.table import UNBOUND_METHODS, Block, Kind, Op, Unit
from deepperf.semantics.objects.classes import library_bases
from deepperf.semantics.objects.filling import read_elsewhere
from deepperf.semantics.objects.origin import Place
from deepperf.semantics.program.program import Program

_THROUGH = frozenset((Kind.PHI, Kind.CYCLE))
_CALLS = frozenset((EdgeKind.DIRECT, EdgeKind.METHOD))
_BY_NAME = frozenset(("locals", "vars", "eval", "exec", "globals", "breakpoint"))
"""Builtins that read variables which nobody names."""


def is_unread(program: Program, place: Place) -> bool:
    """Whether a local variable is assigned it, and nothing reads the variable before its end.

    False where it may be read unseen, by a function inside, or by its name in a text.
    """
    unit, index = program.unit(place[:2]), place[2]
    names = _names(unit, index)
    if unit.kind != "function" or not names or not unit.outer_names.isdisjoint(names):
        return False
    if _is_taken(unit, index) or not _named(unit).isdisjoint(_BY_NAME):
        return False
    return not any(_named(inner) & set(names) for inner in _inside(program, unit))


def is_returned_unread(program: Program, place: Place) -> bool:
    """Whether its function only returns it, beside others, and no caller reads it.

    False where not all callers are seen: where the function is passed on, is decorated, may be
    another one's by its name, or is a method that a library may call.
    """
    unit = program.unit(place[:2])
    if unit.kind != "function" or unit.is_generator or unit.is_async:
        return False
    takers = unit.uses(place[2])
    tuples = [taker for taker in takers if unit.ops[taker].kind is Kind.TUPLE]
    if len(takers) != 1 or len(tuples) != 1 or not _is_only_returned(unit, tuples[0]):
        return False
    if not _all_called(program, unit) or has_unseen_callers(program, unit.key):
        return False
    position = unit.ops[tuples[0]].args.index(place[2])
    edges = callers(program, unit.key)
    return bool(edges) and all(
        edge.kind in _CALLS and _leaves_out(program, edge.call, position) for edge in edges
    )


def _is_only_returned(unit: Unit, index: int) -> bool:
    """Whether a tuple is returned and nothing else, and so is each other result."""
    results = [unit.ops[index].args[0] for index in unit.returns]
    size = len(unit.ops[index].args)
    alike = (
        unit.ops[one].kind is Kind.TUPLE and len(unit.ops[one].args) == size for one in results
    )
    returned = [unit.ops[user].kind is Kind.RETURN for user in unit.uses(index)]
    return all(returned) and all(alike)


def _all_called(program: Program, unit: Unit) -> bool:
    """Whether each use of a function's name calls it, as far as names tell."""
    parent = program.unit((unit.path, unit.parent))
    definition = parent.ops[unit.definition]
    others = len(definition.args) - len(parent.plain_decorators(definition) & UNBOUND_METHODS)
    if others or parent.kind not in ("module", "class"):
        return False
    found = uses(program, unit.name)
    unknown: tuple[Place, ...] = ()
    owner = program.enclosing_class(unit)
    if owner is not None:
        is_special = unit.name.startswith("__") or unit.name in program.library_method_names
        if is_special or library_bases(program, owner) or program.definitions_of(unit.name) != 1:
            return False
        unknown = found.unknown
    places = [place for place, _ in found.functions.get(unit.key, ())]
    return all(_is_callee(program, place) for place in (*places, *unknown))


def _is_callee(program: Program, place: Place) -> bool:
    unit = program.unit(place[:2])
    takers = [unit.ops[user] for user in unit.uses(place[2])]
    return all(op.kind is Kind.CALL and op.args[0] == place[2] for op in takers)


def _leaves_out(program: Program, call: Place, position: int) -> bool:
    """Whether a caller takes the parts of a result, and not the one at a position."""
    unit = program.unit(call[:2])
    for taker in unit.uses(call[2]):
        op = unit.ops[taker]
        if op.kind is Kind.PART and counts_from_left(op):
            if op.data == position and not _is_dropped(program, unit, taker):
                return False
        elif op.kind is Kind.ITEM:
            index = unit.ops[op.args[1]]
            if index.kind is not Kind.CONSTANT or index.data in (position, None):
                return False
        else:
            return False
    return True


def _is_dropped(program: Program, unit: Unit, index: int) -> bool:
    """Whether nothing takes a part, nor, in a function, reads the variable that it is given."""
    if unit.kind == "function":
        return is_unread(program, (*unit.key, index))
    if _is_taken(unit, index) or is_read_elsewhere(program, unit, index):
        return False
    return all(name.startswith("_") for name in _names(unit, index))  # no other file imports it


def counts_from_left(part: Op) -> bool:
    """Whether its place among all that is unpacked is known, whatever is behind it."""
    return isinstance(part.data, int) and part.data >= 0


def is_read_elsewhere(program: Program, unit: Unit, index: int) -> bool:
    """Whether another function of the file reads a variable that is assigned it."""
    readers = (one for name in _names(unit, index) for one in read_elsewhere(program, unit, name))
    return next(readers, None) is not None


def _names(unit: Unit, index: int) -> list[str]:
    """The variables that are assigned it."""
    return [name for name, bound in unit.bindings.items() if index in bound]


def is_tried(program: Program, place: Place) -> bool:
    """Whether a `try` stands around it, which may ask whether it can be computed at all."""
    unit = program.unit(place[:2])
    regions = unit.around(unit.ops[place[2]].region)
    return any(unit.regions[region].block is Block.TRY for region in regions)


def _is_taken(unit: Unit, index: int) -> bool:
    """Whether an operation takes it, also by variables in which several values meet."""
    pending, seen = [index], {index}
    while pending:
        for user in unit.uses(pending.pop()):
            if unit.ops[user].kind not in _THROUGH:
                return True
            if user not in seen:
                seen.add(user)
                pending.append(user)
    return False


def _named(unit: Unit) -> set[str]:
    """The names that it reads of those around it."""
    return {op.data for op in unit.ops if op.kind is Kind.NAME}


def _inside(program: Program, unit: Unit) -> list[Unit]:
    """The functions, lambdas and classes in a function, at any depth."""
    found, numbers = list[Unit](), {unit.number}
    for other in program.units(unit.path):  # a unit comes after the one that it stands in
        if other.parent in numbers:
            numbers.add(other.number)
            found.append(other)
    return found
