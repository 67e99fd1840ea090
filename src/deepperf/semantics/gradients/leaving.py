"""Whether a run of a function leaves something of which a graph of operations can be told."""

from __future__ import annotations

from collections.abc import Iterator

from deepperf.knowledge.members import VIEW_ATTRIBUTES
from deepperf.knowledge.schema import Trait
from deepperf.semantics.callgraph.callees import callees
from deepperf.semantics.device.residence import is_array
from deepperf.semantics.gradients.carrying import CUT_ATTRIBUTES, CUTTING
from deepperf.semantics.gradients.recording import is_gradient_free
from deepperf.semantics.gradients.showing import may_show_graph, may_store_graph
from deepperf.semantics.ir.table import UNBOUND, Kind, Op, Unit
from deepperf.semantics.objects.filling import puts
from deepperf.semantics.objects.holds import holds
from deepperf.semantics.objects.origin import Origin, Place, UnitKey, What
from deepperf.semantics.program.program import Program
from deepperf.semantics.summaries.harmless import writes_receiver
from deepperf.semantics.summaries.traits import facts_of, traits_of

_COMPUTES = frozenset((Trait.COMPUTES, Trait.REDUCES, Trait.JOINS))
_OF_OPERANDS = frozenset(
    (
        *(Kind.BINARY, Kind.UNARY, Kind.PHI, Kind.CYCLE, Kind.LOGIC, Kind.TUPLE, Kind.LIST),
        *(Kind.DICT, Kind.STAR, Kind.PART, Kind.AWAIT, Kind.COLLECT),
    )
)
_NEVER = frozenset((Kind.CONSTANT, Kind.COMPARE, Kind.TEST, Kind.FORMAT, Kind.FUNCTION))
_OPERATORS = frozenset((Kind.BINARY, Kind.UNARY))
_ARITHMETIC = frozenset(f"builtins.{name}" for name in ("sum", "max", "min", "abs", "pow"))
_TAKING = frozenset((Kind.ITEM, Kind.PART, Kind.ELEMENT))


def may_leave_graph(program: Program, key: UnitKey) -> bool:
    """Whether anybody may tell, after a run of a function, that operations were recorded in it:
    by what it gives, by what it keeps or prints, or by what functions that it calls do.
    """
    return program.answers.ask(_leaves, key, bottom=False)


def may_ask_for_gradients(program: Program) -> bool:
    """Whether some code of the project may compute otherwise where no gradients are recorded: it
    names what does.
    """
    known = program.knowledge
    types = (name for name, one in known.types.items() if Trait.ASKS_GRADIENT in one.call_traits)
    words = {*(name.rpartition(".")[2] for name in types)}
    words |= known.trigger_names((Trait.ASKS_GRADIENT,))
    return any(program.naming(word) for word in sorted(words))


def _leaves(program: Program, path: str, number: int) -> bool:
    unit = program.unit((path, number))
    recorded = _recorded(program, unit)
    return any(may_show_graph(program, place) for place in recorded) or _calls_keep(program, unit)


def _keeps(program: Program, path: str, number: int) -> bool:
    """The same without what it returns."""
    unit = program.unit((path, number))
    recorded = _recorded(program, unit)
    return any(may_store_graph(program, place) for place in recorded) or _calls_keep(program, unit)


def _calls_keep(program: Program, unit: Unit) -> bool:
    return any(
        program.answers.ask(_keeps, callee.unit, bottom=False)
        for call in unit.calls
        if not is_gradient_free(program, (*unit.key, call))
        for callee in callees(program, (*unit.key, call))
    )


def _recorded(program: Program, unit: Unit) -> Iterator[Place]:
    """What may have a graph by an operation of a function: its result, or what it writes to."""
    for index, op in enumerate(unit.ops):
        written = _written(program, unit, op)
        is_one = written is not None or op.kind in (Kind.CALL, Kind.ATTRIBUTE)
        if not is_one and op.kind not in _OPERATORS and op.kind not in _TAKING:
            continue
        if not _records(program, unit, index, op) or is_gradient_free(program, (*unit.key, index)):
            continue
        if op.kind is not Kind.SET_ITEM:
            yield (*unit.key, index)
        if written is not None:
            yield (*unit.key, written)


def _written(program: Program, unit: Unit, op: Op) -> int | None:
    """What an operation changes where it is: the tensor that it sets parts of, or adds to."""
    if op.kind is Kind.SET_ITEM:
        return op.args[0]
    if op.kind is Kind.BINARY and op.data.endswith("="):
        return op.args[0]
    if op.kind is Kind.CALL:
        callee = unit.ops[op.args[0]]
        if callee.kind is Kind.ATTRIBUTE and _is_in_place(program, unit, op, callee):
            return callee.args[0]
    return None


def _is_in_place(program: Program, unit: Unit, call: Op, callee: Op) -> bool:
    """Whether a tensor's method changes it: of one that is not known, the name tells."""
    known = holds(program, (*unit.key, call.args[0]))
    is_open = any(origin.what in (What.UNKNOWN, What.METHOD) for origin in known)
    return is_open and callee.data.endswith("_") and writes_receiver(callee.data)


def _records(program: Program, unit: Unit, index: int, op: Op) -> bool:
    """Whether gradients may flow through an operation, by what it works on."""
    if op.kind is Kind.CALL:
        return _call_records(program, unit, index, op)
    if op.kind is Kind.SET_ITEM:
        into = is_array(program, (*unit.key, op.args[0]))
        return into is not False and may_have_graph(program, (*unit.key, op.args[2]))
    if op.kind is Kind.ATTRIBUTE:
        if op.data not in VIEW_ATTRIBUTES:
            return False
    elif op.kind is Kind.ITEM:
        # What a loop goes over is data, as far as nothing else is known.
        known = is_array(program, (*unit.key, op.args[0]))
        if _is_key(unit, op.args[1]) or (known is None and _is_data(unit, op.args[0])):
            return False
    elif op.kind in _TAKING and not is_array(program, (*unit.key, op.args[0])):
        return False
    return may_have_graph(program, (*unit.key, index))


def _is_key(unit: Unit, index: int) -> bool:
    return isinstance(unit.ops[index].data, str) and unit.ops[index].kind is Kind.CONSTANT


def _is_data(unit: Unit, index: int) -> bool:
    """Whether something is, or is a part of, what a loop goes over."""
    while unit.ops[index].kind in (Kind.ITEM, Kind.PART):
        index = unit.ops[index].args[0]
    return unit.ops[index].kind is Kind.ELEMENT


def may_have_graph(program: Program, place: Place) -> bool:
    """Whether a value may be a tensor that gradients flow to; what is not known may."""
    if place[2] == UNBOUND:
        return False
    return program.answers.ask(_may_have, place, bottom=False)


def _may_have(program: Program, path: str, number: int, index: int) -> bool:
    unit = program.unit((path, number))
    op = unit.ops[index]
    if op.kind in _NEVER or is_gradient_free(program, (path, number, index)):
        return False
    if op.kind is Kind.CALL:
        return _call_records(program, unit, index, op)
    if op.kind is Kind.LIST and any(
        may_have_graph(program, (*put.unit.key, put.value)) for put in puts(program, unit, index)
    ):
        return True
    if op.kind in _OF_OPERANDS:
        return any(may_have_graph(program, (*unit.key, one)) for one in op.args if one >= 0)
    if op.kind is Kind.ATTRIBUTE and op.data in CUT_ATTRIBUTES:
        return False
    if op.kind in (Kind.ITEM, Kind.ELEMENT):
        return may_have_graph(program, (*unit.key, op.args[0]))
    if op.kind is Kind.CHOICE:
        return any(may_have_graph(program, (*unit.key, one)) for one in op.args[1:])
    return is_array(program, (path, number, index)) is not False


def _call_records(program: Program, unit: Unit, index: int, op: Op) -> bool:
    """Whether operations may be recorded in a call for what it gives: it is not known, runs a
    model, or computes. Parameters have a graph without a model that is run.
    """
    place = (*unit.key, index)
    traits = traits_of(program, place)
    callee = unit.ops[op.args[0]]
    if traits & CUTTING or is_gradient_free(program, place):
        return False
    if callee.kind is Kind.ATTRIBUTE and unit.ops[callee.args[0]].kind is Kind.COMPARE:
        return False
    own = callees(program, place)
    if own:
        return any(program.answers.ask(_leaves, one.unit, bottom=False) for one in own)
    if Trait.RUNS_MODULE in traits:
        return True
    facts = facts_of(program, place)
    held = holds(program, (*unit.key, op.args[0]))
    if not facts and any(origin.what is What.UNKNOWN for origin in held):
        return True
    computes = traits & _COMPUTES and any(fact.framework == "torch" for fact in facts)
    if not computes and not (
        is_array(program, place) is not False and any(map(_is_of_tensors, held))
    ):
        return False
    receiver = callee.args[:1] if callee.kind is Kind.ATTRIBUTE else ()
    return any(may_have_graph(program, (*unit.key, one)) for one in (*receiver, *op.args[1:]))


def _is_of_tensors(callable_: Origin) -> bool:
    """Whether a callable of a library gives tensors that are made of those that it is passed."""
    return callable_.name.startswith("torch") or callable_.name in _ARITHMETIC
