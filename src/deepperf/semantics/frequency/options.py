"""What options are set to: parameters, attributes and globals, by all that the text tells."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from deepperf.semantics.callgraph.callees import EdgeKind, argument_for
from deepperf.semantics.ir.table import UNBOUND, Block, Kind, Op, Unit
from deepperf.semantics.objects.classes import stores
from deepperf.semantics.objects.everywhere import calls_of
from deepperf.semantics.objects.holds import holds
from deepperf.semantics.objects.origin import UnitKey, What
from deepperf.semantics.program.program import Program

Constants = tuple[Any, ...] | None
_NO_SWITCHES: Mapping[str, UnitKey] = {}
_NOTHING: Constants = ()


def values_of(program: Program, unit: Unit, index: int) -> Constants:
    """The constants that an option is ever set to; None where it may be anything else."""
    if index == UNBOUND:
        return None
    return program.answers.ask(_values_of, (*unit.key, index), bottom=_NOTHING)


def _values_of(program: Program, path: str, number: int, index: int) -> Constants:
    unit = program.unit((path, number))
    op = unit.ops[index]
    if op.kind is Kind.CONSTANT:
        return (op.data,)
    if op.kind is Kind.PARAMETER:
        settings = _passed(program, unit, op)
    elif op.kind in (Kind.ATTRIBUTE, Kind.NAME):
        settings = list(defaults(program, unit, op))
    elif op.kind is Kind.PHI and UNBOUND not in op.args:
        settings = [(unit, arm) for arm in op.args if not _is_never(program, unit, arm)]
    else:
        return None
    # Each once, by type as well, since `True == 1`: functions that call each other in a circle
    # would double a list in each round.
    found: dict[tuple[type, Any], Any] = {}
    for owner, value in settings:
        given = values_of(program, owner, value)
        if given is None:
            return None
        found.update(((type(one), one), one) for one in given)
    return tuple(found.values()) or None


def _is_never(program: Program, unit: Unit, index: int) -> bool:
    """Whether something stands in a branch that what its option is ever set to rules out."""
    for number in unit.around(unit.ops[index].region):
        block = unit.regions[number]
        if block.block not in (Block.THEN, Block.ELSE):
            continue
        test = unit.ops[unit.ops[block.op].args[0]]
        if test.kind is Kind.COMPARE and test.data in (("Is",), ("IsNot",)):
            other = unit.ops[test.args[1]]
            given = values_of(program, unit, test.args[0])
            if given and other.kind is Kind.CONSTANT and other.data is None:
                found = {(value is None) is (test.data == ("Is",)) for value in given}
                if found == {block.block is Block.ELSE}:
                    return True
    return False


def _passed(program: Program, unit: Unit, op: Op) -> list[tuple[Unit, int]]:
    """What all calls pass for a parameter; nothing where one cannot be seen, or none is."""
    from deepperf.semantics.callgraph.calls import callers, has_unseen_callers

    found = []
    if has_unseen_callers(program, unit.key):
        return []
    for edge in callers(program, unit.key):
        given = argument_for(program, edge.call, edge, unit, op.data)
        owner, value = (unit, op.args[1]) if given is None else (program.unit(edge.call[:2]), given)
        is_seen = value != UNBOUND and (given is not None or "**" not in program.op(edge.call).data)
        if edge.kind is EdgeKind.CALLBACK or not is_seen:
            return []
        found.append((owner, value))
    return found


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
    known = False
    for origin in holds(program, (*unit.key, op.args[0])):
        if origin.what is What.MODULE:
            known = True
            module = program.units(origin.place[0])[0]
            for value in module.bindings.get(op.data, ()):
                yield module, value
        if origin.what is not What.INSTANCE:
            continue
        known = True
        for place in stores(program, origin.place[:2], op.data):
            owner = program.unit(place[:2])
            yield owner, owner.ops[place[2]].args[1]
        body = program.unit(origin.place[:2])
        for value in body.bindings.get(op.data, ()):
            yield body, value
    if not known:
        yield from _command_line(program, op.data)


def _command_line(program: Program, name: str) -> Iterator[tuple[Unit, int]]:
    """The default of a command line's switch: that of `action="store_true"`, or `default=0`."""
    owner = program.answers.ask(_switches, (), bottom=_NO_SWITCHES).get(name)
    if owner is not None:
        yield program.unit(owner), UNBOUND


def _switches(program: Program) -> Mapping[str, UnitKey]:
    """The switches of the project's command lines, by the attributes that they set."""
    found: dict[str, UnitKey] = {}
    for call in calls_of(program, "add_argument"):
        owner = program.unit(call[:2])
        found.update(dict.fromkeys(_switched_by(owner, program.op(call)), owner.key))
    return found


def _switched_by(unit: Unit, op: Op) -> Iterator[str]:
    positional = op.args[1 : len(op.args) - len(op.data)]
    operands = op.args[len(op.args) - len(op.data) :]
    said = {
        keyword: unit.ops[operand].data
        for keyword, operand in zip(op.data, operands, strict=True)
        if unit.ops[operand].kind is Kind.CONSTANT
    }
    # A text or number that is left out may be one that people have to give.
    default = said.get("default")
    if said.get("action") == "store_true" or (type(default) in (int, bool) and not default):
        for operand in positional:
            text = unit.ops[operand].data
            if isinstance(text, str):
                yield text.lstrip("-").replace("-", "_")
