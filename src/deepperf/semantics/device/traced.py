"""Functions that JAX or TensorFlow compile: their lines run to be traced, and wait for nothing."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from deepperf.knowledge.schema import Trait
from deepperf.semantics.callgraph.callees import callees
from deepperf.semantics.callgraph.calls import arguments_for, callers
from deepperf.semantics.compiled.reach import compilers, decorators
from deepperf.semantics.ir.table import UNBOUND, Kind, Unit
from deepperf.semantics.objects.classes import stores
from deepperf.semantics.objects.holds import holds
from deepperf.semantics.objects.names import places_bound
from deepperf.semantics.objects.origin import Place, UnitKey, What
from deepperf.semantics.program.program import Program
from deepperf.semantics.summaries.traits import facts_of

TRACING = frozenset(("jax", "tensorflow"))
"""Of PyTorch's compiler a line that needs a value breaks the graph, and waits as ever."""
_THROUGH = frozenset((Kind.PHI, Kind.CYCLE, Kind.CHOICE, Kind.LOGIC))


def compiler_of(program: Program, call: Place) -> str:
    """The framework that compiled what a call runs, so that it only queues work; "" for none."""
    if program.knowledge.frameworks.isdisjoint(TRACING):
        return ""
    op = program.op(call)
    return program.answers.ask(_compiler_of, (call[0], call[1], op.args[0]), bottom="")


def is_traced(program: Program, key: UnitKey) -> bool:
    """Whether a function runs as a part of one that is being traced."""
    return program.answers.ask(_is_traced, key, bottom=False)


def output_of(program: Program, place: Place) -> str:
    """The framework whose compiled function something is an output of, or part of one.

    Whatever such a function gives is an array, or a structure of them.
    """
    if program.knowledge.frameworks.isdisjoint(TRACING):
        return ""
    return program.answers.ask(_output_of, place, bottom="")


def _is_traced(program: Program, path: str, number: int) -> bool:
    unit = program.unit((path, number))
    if unit.kind in ("module", "class"):
        return False
    if _decorated_by(program, unit) or is_traced(program, (path, unit.parent)):
        return True
    for edge in callers(program, unit.key):
        facts = facts_of(program, edge.call)
        if _first(fact.framework for fact in facts if Trait.TRACES_ARGUMENT in fact.traits):
            return True
        if compiler_of(program, edge.call) or is_traced(program, edge.call[:2]):
            return True
    return False


def _first(frameworks: Iterable[str]) -> str:
    return next((name for name in frameworks if name in TRACING), "")


def _decorated_by(program: Program, unit: Unit) -> str:
    return _first(_compiler(program, at) for at in decorators(program, unit))


def _compiler(program: Program, place: Place) -> str:
    """The framework of a compiler, perhaps with some of its arguments; "" for anything else."""
    return _first(fact.framework for fact in compilers(program, place))


def _compiler_of(program: Program, path: str, number: int, index: int) -> str:
    place = (path, number, index)
    held = holds(program, place)
    functions = [o.place[:2] for o in held if o.what in (What.FUNCTION, What.BOUND)]
    found = [_decorated_by(program, program.unit(key)) for key in functions]
    if found and all(found):
        return found[0]
    return _first(_made_by(program, source) for source in _sources(program, place))


def _made_by(program: Program, place: Place) -> str:
    op = program.op(place)
    if op.kind is not Kind.CALL:
        return program.answers.ask(_compiler_of, place, bottom="")
    by = _compiler(program, (place[0], place[1], op.args[0])) or _compiler(program, place)
    if by:
        return by
    facts = facts_of(program, place)
    if any(Trait.WRAPS_FUNCTION in fact.traits for fact in facts):
        # `partial` and the like run what they are given, compiled as it is.
        given = [(place[0], place[1], operand) for operand in op.args[1:2]]
        return _first(program.answers.ask(_compiler_of, one, bottom="") for one in given)
    inner = [(*target.key, target.ops[r].args[0]) for target, r in _results(program, place)]
    return _first(program.answers.ask(_compiler_of, result, bottom="") for result in inner)


def _results(program: Program, call: Place) -> Iterator[tuple[Unit, int]]:
    for callee in callees(program, call):
        target = program.unit(callee.unit)
        yield from ((target, result) for result in target.returns)


def _sources(program: Program, place: Place) -> Iterator[Place]:
    """Where a value comes from: over variables, parameters and attributes."""
    unit, op = program.unit(place[:2]), program.op(place)
    if op.kind is Kind.CALL:
        yield place
    elif op.kind in _THROUGH:
        yield from ((*unit.key, part) for part in op.args if part not in (place[2], UNBOUND))
    elif op.kind is Kind.NAME:
        yield from places_bound(program, unit, op.data)
    elif op.kind is Kind.PARAMETER:
        found = arguments_for(program, unit.key, op.data)
        yield from (argument for argument in found if argument[2] != UNBOUND)
    elif op.kind is Kind.ATTRIBUTE:
        for origin in holds(program, (*unit.key, op.args[0])):
            if origin.what is What.INSTANCE:
                for kept in stores(program, origin.place[:2], op.data):
                    yield (kept[0], kept[1], program.op(kept).args[1])


def _output_of(program: Program, path: str, number: int, index: int) -> str:
    op = program.op((path, number, index))
    if op.kind is Kind.CALL:
        place = (path, number, index)
        applied = any(Trait.APPLIES in fact.traits for fact in facts_of(program, place))
        given = op.args[2:] if applied else ()
        parts = (output_of(program, (path, number, part)) for part in given)
        own = [(*target.key, target.ops[r].args[0]) for target, r in _results(program, place)]
        return _first(parts) or compiler_of(program, place) or _of_all(program, own)
    if op.kind is Kind.PART and program.op((path, number, op.args[0])).kind is Kind.CALL:
        own = list(_parts_given(program, (path, number, op.args[0]), op.data))
        return output_of(program, (path, number, op.args[0])) or _of_all(program, own)
    if op.kind in (Kind.PART, Kind.ITEM, Kind.ATTRIBUTE):
        return output_of(program, (path, number, op.args[0]))
    if op.kind is Kind.PARAMETER:
        return _of_all(program, list(arguments_for(program, (path, number), op.data)))
    return ""


def _of_all(program: Program, places: list[Place]) -> str:
    """The framework where all of some things are outputs of compiled functions."""
    found = {"" if place[2] == UNBOUND else output_of(program, place) for place in places}
    return found.pop() if len(found) == 1 else ""


def _parts_given(program: Program, call: Place, index: int) -> Iterator[Place]:
    """What functions of the project give as a part of a tuple that they return."""
    for target, result in _results(program, call):
        value = target.ops[result].args[0]
        op = target.ops[value]
        is_whole = op.kind is Kind.TUPLE and 0 <= index < len(op.args)
        yield (*target.key, op.args[index] if is_whole else UNBOUND)
