"""Whether anything in a project runs a function."""

from __future__ import annotations

from deepperf.semantics.callgraph.calls import callers
from deepperf.semantics.ir.table import Kind, Unit
from deepperf.semantics.objects.classes import bases
from deepperf.semantics.objects.origin import UnitKey, What
from deepperf.semantics.program.program import Program

_STARTS = "__main__"
_EXPORTS = "__init__.py"


def is_unused(program: Program, key: UnitKey) -> bool | None:
    """Whether nobody runs a function of a program that somebody starts.

    None where that is not known: it overrides a library's method, a decorator or a package takes
    it, or its name stands where it may be meant. Functions that only unused ones call are unused.
    """
    return program.answers.ask(_is_unused, *key, bottom=None)


def _is_unused(program: Program, path: str, number: int) -> bool | None:
    unit = program.unit((path, number))
    if unit.kind == "module":
        return False
    parent = program.unit((path, unit.parent))
    if parent.kind in ("function", "lambda") and is_unused(program, parent.key):
        return True
    if unit.kind != "function" or not program.naming(_STARTS):
        return None
    found = {edge.call[:2] for edge in callers(program, unit.key)}
    if found:
        answers = {is_unused(program, caller) for caller in found}
        return True if answers == {True} else False if False in answers else None
    return None if _may_be_taken(program, unit, parent) else True


def _may_be_taken(program: Program, unit: Unit, parent: Unit) -> bool:
    """Whether something that is not seen to call a function may have it all the same."""
    if unit.name.startswith("__") or parent.ops[unit.definition].args:
        return True
    owner = program.enclosing_class(unit)
    if owner is not None and _has_bases_elsewhere(program, owner):
        return True
    if owner is None and parent.uses(unit.definition):
        return True
    return any(_names(program, path, unit.name) for path in program.naming(unit.name))


def _has_bases_elsewhere(program: Program, owner: UnitKey) -> bool:
    unit = program.unit(owner)
    parent = program.unit((unit.path, unit.parent))
    listed = parent.ops[unit.definition].data[1]
    found = bases(program, owner)
    if len(found) < listed or any(base.what is What.LIBRARY for base in found):
        return True
    return any(_has_bases_elsewhere(program, base.place[:2]) for base in found)


def _names(program: Program, path: str, name: str) -> bool:
    """Whether a file reads something by a name, exports it or has it as a text."""
    for place in program.uses_of(name, path):
        is_import = program.op(place).kind is Kind.IMPORT
        if not is_import or path.endswith(_EXPORTS):
            return True
    return any(
        op.kind is Kind.CONSTANT and op.data == name
        for unit in program.units(path)
        for op in unit.ops
    )
