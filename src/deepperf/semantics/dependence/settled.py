"""Whether a value is the same whenever its function runs."""

from __future__ import annotations

from deepperf.semantics.ir.table import UNBOUND, Kind, Unit
from deepperf.semantics.objects.classes import stores
from deepperf.semantics.objects.everywhere import attributes_set, calls_of
from deepperf.semantics.objects.fields import is_listed_only
from deepperf.semantics.objects.holds import holds
from deepperf.semantics.objects.origin import ANYTHING, Place, What, one
from deepperf.semantics.program.program import Program

_MADE_OF = frozenset(
    (Kind.LIST, Kind.TUPLE, Kind.SET, Kind.DICT, Kind.UNARY, Kind.BINARY, Kind.CONSTANT)
)

_KEPT = frozenset((Kind.PARAMETER, Kind.NAME, Kind.ATTRIBUTE))
"""What names an object that was made elsewhere."""
_NUMBERS = frozenset(
    ("builtins.range", "builtins.list", "builtins.tuple", "builtins.float", "builtins.int")
)
"""Python's functions that make numbers, or lists of them, of their arguments."""

_OPTIONS = one(What.OBJECT, "argparse.Namespace")
"""What a command line's arguments are read into."""
_MAYBE = _OPTIONS | ANYTHING


def is_settled(program: Program, place: Place) -> bool:
    """Whether it is made of literals, module constants, options of a command line, and what
    constructors alone set.
    """
    return place[2] != UNBOUND and program.answers.ask(_is_settled, place, bottom=False)


def _is_settled(program: Program, path: str, number: int, index: int) -> bool:
    unit = program.unit((path, number))
    op = unit.ops[index]
    if op.kind is Kind.NAME:
        return _is_module_constant(program, unit, op.data)
    if op.kind is Kind.ATTRIBUTE:
        return _is_set_by_constructors(program, unit, op.args[0], op.data)
    if op.kind is Kind.CALL:
        is_known = _gives_numbers(program, (path, number, op.args[0]))
        return is_known and all(is_settled(program, (path, number, a)) for a in op.args[1:])
    return op.kind in _MADE_OF and all(is_settled(program, (path, number, a)) for a in op.args)


def _is_option_set(program: Program, name: str) -> bool:
    """Whether code may set an option of a command line once its arguments are read."""
    targets = [(*place[:2], program.op(place).args[0]) for place in attributes_set(program, name)]
    for call in calls_of(program, "setattr"):
        unit, op = program.unit(call[:2]), program.op(call)
        said = unit.ops[op.args[2]] if len(op.args) > 2 else op
        if said.kind is not Kind.CONSTANT or said.data == name:
            targets += [(*call[:2], operand) for operand in op.args[1:2]]
    return any(not _MAYBE.isdisjoint(holds(program, target)) for target in targets)


def _gives_numbers(program: Program, callee: Place) -> bool:
    """Whether calling it gives the same numbers for the same arguments, and does nothing else."""
    held = holds(program, callee)
    return bool(held) and all(
        origin.what is What.LIBRARY and origin.name in _NUMBERS for origin in held
    )


def _is_module_constant(program: Program, unit: Unit, name: str) -> bool:
    """Whether a name is bound once, in the module, to literals."""
    module = program.units(unit.path)[0]
    bound = module.bindings.get(name, [])
    return len(bound) == 1 and is_settled(program, (*module.key, bound[0]))


def _is_set_by_constructors(program: Program, unit: Unit, owner: int, name: str) -> bool:
    kind = unit.ops[owner].kind
    if kind not in _KEPT or (
        kind is Kind.ATTRIBUTE and not is_settled(program, (*unit.key, owner))
    ):
        return False  # another object each time, perhaps
    held = holds(program, (*unit.key, owner))
    if held == _OPTIONS:
        return not _is_option_set(program, name)
    if not held or any(origin.what is not What.INSTANCE for origin in held):
        return False
    places = [place for origin in held for place in stores(program, origin.place[:2], name)]
    if not places:
        return all(is_listed_only(program, origin.place[:2], name) for origin in held)
    return all(program.unit(place[:2]).name == "__init__" for place in places)
