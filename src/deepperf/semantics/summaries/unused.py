"""Whether anything in a project runs a function."""

from __future__ import annotations

from collections.abc import Iterator

from deepperf.knowledge.schema import Trait
from deepperf.knowledge.words import IMPORTS_BY_NAME
from deepperf.records import Role
from deepperf.semantics import bridge
from deepperf.semantics.callgraph.calls import callers, has_unseen_callers
from deepperf.semantics.ir.table import Kind, Unit
from deepperf.semantics.objects.origin import UnitKey
from deepperf.semantics.program.program import Program
from deepperf.semantics.summaries.imported import is_imported
from deepperf.semantics.summaries.traits import calls_in_file

_STARTS = "__main__"
_EXPORTS = "__init__.py"


def is_unused(program: Program, key: UnitKey) -> bool | None:
    """Whether nobody runs a function of a program that somebody starts.

    None where that is not known: a decorator, a package or what runs files takes it, its object
    may be anywhere, or its name stands where it may be meant. What only unused functions call is
    unused.
    """
    return program.answers.ask(_is_unused, key, bottom=None)


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
        if answers == {True} and has_unseen_callers(program, unit.key):
            return None
        return True if answers == {True} else False if False in answers else None
    return None if _may_be_taken(program, unit, parent) else True


def _may_be_taken(program: Program, unit: Unit, parent: Unit) -> bool:
    """Whether something that is not seen to call a function may have it all the same.

    A method may be called by whatever is given its object, a test by what runs tests.
    """
    if bridge.role(program.project, unit.path) is Role.TEST:
        return True
    if parent.kind == "class":
        return not program.answers.ask(_is_out_of_reach, parent.key, bottom=False)
    if parent.ops[unit.definition].args or parent.uses(unit.definition):
        return True
    if any(calls_in_file(program, unit.path, (Trait.RUNS_FILE,))):
        return True
    return any(_names(program, path, unit.name) for path in program.naming(unit.name))


def _is_out_of_reach(program: Program, path: str, number: int) -> bool:
    """Whether no object of a class is made: nothing imports its file, which makes none either.

    That is not known where files are imported by names that programs make up.
    """
    owner, module = program.unit((path, number)), program.units(path)[0]
    if owner.parent != 0 or is_imported(program, owner.path):
        return False
    if any(program.naming(word) for word in IMPORTS_BY_NAME):
        return False
    if module.ops[owner.definition].args or owner.path.endswith(_EXPORTS):
        return False  # a base class, a metaclass or a decorator may know of it
    if module.uses(owner.definition):
        return False
    return not any(
        unit.number != owner.number and owner.name in _read(unit)
        for unit in program.table(owner.path).units
    )


def _read(unit: Unit) -> Iterator[str]:
    """The names that a function, class body or module reads."""
    return (op.data for op in unit.ops if op.kind is Kind.NAME)


def _names(program: Program, path: str, name: str) -> bool:
    """Whether a file reads something by a name, exports it or has it as a text."""
    for place in program.uses_of(name, path):
        is_import = program.op(place).kind is Kind.IMPORT
        if not is_import or path.endswith(_EXPORTS):
            return True
    return any(
        op.kind is Kind.CONSTANT and isinstance(op.data, str) and name in op.data
        for unit in program.units(path)
        for op in unit.ops
    )
