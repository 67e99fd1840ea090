"""What a name means: variables of enclosing functions and modules, imports, builtins."""

from __future__ import annotations

import builtins
from collections.abc import Iterator

from deepperf.semantics import bridge
from deepperf.semantics.ir.table import UNBOUND, Unit
from deepperf.semantics.objects.origin import (
    ANYTHING,
    NOTHING,
    Held,
    Place,
    What,
    bounded,
    one,
)
from deepperf.semantics.program.program import Program


def looked_up(program: Program, unit: Unit, name: str) -> Held:
    """What a name that a function does not bind may hold: all that is ever assigned to it."""
    number = unit.number if unit.kind == "module" or name in unit.outer_names else unit.parent
    units = program.units(unit.path)
    while number >= 0:
        scope = units[number]
        if scope.kind != "class" and name in scope.bindings and name not in scope.outer_names:
            return _bound(program, scope, name)
        number = scope.parent
    module = units[0]
    written = [other for other in units if name in other.outer_names and name in other.bindings]
    if written:
        return NOTHING.union(*[_bound(program, other, name) for other in written])
    for star in module.stars:
        found = _starred(program, star, name, unit.path)
        if found:
            return found
    return one(What.LIBRARY, f"builtins.{name}") if hasattr(builtins, name) else ANYTHING


def places_bound(program: Program, unit: Unit, name: str) -> Iterator[Place]:
    """What is assigned to a name of an enclosing function, or of the module."""
    units = program.units(unit.path)
    number = unit.number if unit.kind == "module" or name in unit.outer_names else unit.parent
    while number >= 0:
        scope = units[number]
        if scope.kind != "class" and name in scope.bindings:
            yield from ((*scope.key, index) for index in scope.bindings[name] if index != UNBOUND)
            return
        number = scope.parent


def places_rebound(program: Program, unit: Unit, name: str) -> Iterator[Place]:
    """As `places_bound`, with what functions assign that declare the name to be of that scope."""
    yield from places_bound(program, unit, name)
    units = program.units(unit.path)
    scope = _scope_of(units, unit, name)
    for other in units:
        if name in other.outer_names and _scope_of(units, other, name) == scope:
            yield from ((*other.key, index) for index in other.bindings.get(name, ()))


def _scope_of(units: list[Unit], unit: Unit, name: str) -> int:
    """The number of the unit around another that a name of it belongs to."""
    number = unit.parent
    while number > 0:
        scope = units[number]
        is_own = name in scope.bindings and name not in scope.outer_names
        if is_own and scope.kind != "class":
            break
        number = scope.parent
    return number


def _bound(program: Program, unit: Unit, name: str) -> Held:
    from deepperf.semantics.objects.holds import holds

    found = [holds(program, (*unit.key, op)) for op in unit.bindings[name] if op != UNBOUND]
    return bounded(NOTHING.union(*found))


def _starred(program: Program, module: str, name: str, path: str) -> Held:
    target = bridge.find(program.project, module, path)
    if target is not None:
        return exported(program, target, name)
    dotted = program.knowledge.imported(module, name)
    return one(What.LIBRARY, dotted) if program.fact(dotted) else NOTHING


def exported(program: Program, path: str, name: str) -> Held:
    """What a module of the project gives by a name; nothing where it has no such name."""
    return program.answers.ask(_exported, (path, name), bottom=NOTHING)


def _exported(program: Program, path: str, name: str) -> Held:
    module = program.units(path)[0]
    if name in module.bindings:
        return _bound(program, module, name)
    for star in module.stars:
        found = _starred(program, star, name, path)
        if found:
            return found
    return NOTHING


def imported(program: Program, dotted: str, path: str, of: str | None = None) -> Held:
    """What an import gives: a module or what it holds; `of` is a module whose part is meant."""
    if of is not None:
        return exported(program, of, dotted[1:]) or _submodule(program, of, dotted[1:])
    target = bridge.find(program.project, dotted, path)
    if target is not None:
        return one(What.MODULE, "", (target,))
    head, dot, name = dotted.rpartition(".")
    if head.strip(".") == "" and dot:
        head += "."
    if head:
        owner = bridge.find(program.project, head, path)
        if owner is not None:
            return exported(program, owner, name) or ANYTHING
    if dotted.startswith("."):
        return ANYTHING
    knowledge = program.knowledge
    whole = knowledge.imported(head, name) if head else knowledge.canonical(dotted)
    return one(What.LIBRARY, whole)


def places_imported(program: Program, dotted: str, path: str) -> Iterator[Place]:
    """What a file of the project assigns to the name that an import in another names."""
    head, dot, name = dotted.rpartition(".")
    if head.strip(".") == "" and dot:
        head += "."
    owner = bridge.find(program.project, head, path) if head else None
    if owner is not None:
        yield from places_exported(program, owner, name)


def places_exported(program: Program, path: str, name: str) -> Iterator[Place]:
    """What a file of the project assigns to a name at its top."""
    module = program.units(path)[0]
    yield from ((*module.key, index) for index in module.bindings.get(name, ()) if index != UNBOUND)


def _submodule(program: Program, path: str, name: str) -> Held:
    found = bridge.find(program.project, f".{name}", path) if path.endswith("__init__.py") else None
    return one(What.MODULE, "", (found,)) if found is not None else ANYTHING
