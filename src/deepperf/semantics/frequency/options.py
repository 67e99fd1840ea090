"""What options are set to: parameters, attributes and globals, by all that the text tells."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from deepperf.semantics.callgraph.callees import argument_for
from deepperf.semantics.ir.table import UNBOUND, Kind, Op, Unit
from deepperf.semantics.objects.classes import stores
from deepperf.semantics.objects.everywhere import calls_of
from deepperf.semantics.objects.holds import holds
from deepperf.semantics.objects.literals import Literal, all_sources
from deepperf.semantics.objects.origin import What
from deepperf.semantics.program.program import Program

Constants = tuple[Any, ...] | None
_NO_DEFAULTS: Mapping[str, Literal] = {}


def values_of(program: Program, unit: Unit, index: int) -> Constants:
    """The constants that an option is ever set to; None where it may be anything else."""
    made = [program.op(place) for place in all_sources(program, (*unit.key, index)) or ()]
    is_told = bool(made) and all(op.kind is Kind.CONSTANT for op in made)
    return tuple(op.data for op in made) if is_told else None


def defaults(program: Program, unit: Unit, op: Op) -> Iterator[tuple[Unit, int]]:
    """The values that an option has: its default, and all that the project sets it to."""
    from deepperf.semantics.callgraph.calls import arguments_for, callers, has_unseen_callers

    if op.kind is Kind.PARAMETER:
        edges = callers(program, unit.key)
        passed = [argument_for(program, edge.call, edge, unit, op.data) for edge in edges]
        is_default = None in passed or not passed or has_unseen_callers(program, unit.key)
        if op.args[1] != UNBOUND and is_default:
            yield unit, op.args[1]
        for path, number, value in arguments_for(program, unit.key, op.data):
            yield program.unit((path, number)), value
    elif op.kind is Kind.NAME:
        module = program.units(unit.path)[0]
        for value in module.bindings.get(op.data, ()):
            yield module, value
    elif op.kind is Kind.ATTRIBUTE:
        yield from _attribute_values(program, unit, op)


def _attribute_values(program: Program, unit: Unit, op: Op) -> Iterator[tuple[Unit, int]]:
    for origin in holds(program, (*unit.key, op.args[0])):
        if origin.what is What.MODULE:
            body = program.units(origin.place[0])[0]
        elif origin.what is What.INSTANCE:
            body = program.unit(origin.place[:2])
            for place in stores(program, body.key, op.data):
                owner = program.unit(place[:2])
                yield owner, owner.ops[place[2]].args[1]
        else:
            continue
        for value in body.bindings.get(op.data, ()):
            yield body, value


def default_of(program: Program, name: str) -> Literal:
    """What the project's command lines set an attribute to where nobody says otherwise."""
    return program.answers.ask(_defaults, (), bottom=_NO_DEFAULTS).get(name)


def _defaults(program: Program) -> Mapping[str, Literal]:
    """The defaults, by the attributes that they set; None where two differ."""
    found: dict[str, Literal] = {}
    for call in calls_of(program, "add_argument"):
        for name, default in _default(program.unit(call[:2]), program.op(call)):
            found[name] = default if found.get(name, default) == default else None
    for call in calls_of(program, "set_defaults"):
        names = program.op(call).data
        if "**" in names:
            return _NO_DEFAULTS
        found.update(dict.fromkeys(names))
    return found


def _default(unit: Unit, op: Op) -> Iterator[tuple[str, Literal]]:
    first = len(op.args) - len(op.data)
    said = {
        keyword: unit.ops[operand].data
        for keyword, operand in zip(op.data, op.args[first:], strict=True)
        if unit.ops[operand].kind is Kind.CONSTANT
    }
    if said.get("action") == "store_true":
        said.setdefault("default", False)
    for operand in op.args[1:first] if "default" in said else ():
        text = unit.ops[operand].data
        if isinstance(text, str):
            yield text.lstrip("-").replace("-", "_"), (said["default"],)
