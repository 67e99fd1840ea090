"""Whether a model gives something else each time that it is run on the same, as dropout does."""

from __future__ import annotations

from deepperf.knowledge.schema import Trait
from deepperf.knowledge.words import TRAINING_SWITCH
from deepperf.semantics.callgraph.callees import callees
from deepperf.semantics.forwards.made_of import model_of
from deepperf.semantics.ir.table import Kind
from deepperf.semantics.objects.classes import line
from deepperf.semantics.objects.holds import holds
from deepperf.semantics.objects.origin import Origin, Place, UnitKey, What
from deepperf.semantics.program.program import Program
from deepperf.semantics.program.three_valued import any_true
from deepperf.semantics.summaries.reach import reached_by, summary
from deepperf.semantics.summaries.traits import facts_of, traits_of

DRAWING = (Trait.RANDOM, Trait.DRAWS, Trait.DRAWS_ELEMENT)
_DRAWING = frozenset(DRAWING)
_RUN = frozenset(("call", "forward"))
_OTHER_RESULT = frozenset((Trait.RANDOM, Trait.WRITES_STATE))
_NEVER: bool | None = False


def draws_in_code(program: Program, call: Place) -> bool:
    """Whether a run of a model reaches a draw that no switch to evaluation turns off."""
    reached = reached_by(program, call)
    ways = [reached[trait].chain[-1] for trait in DRAWING if trait in reached]
    return any(facts_of(program, way) for way in ways)


def may_draw(program: Program, call: Place) -> bool | None:
    """Whether a model, run while it is trained, draws anything: a layer of it, or its code.

    None where a part of it is not known.
    """
    if _is_switched_off(program, call):
        return False
    reached = reached_by(program, call)
    if any(trait in reached for trait in DRAWING):
        return True
    run = callees(program, call)
    if not run and (asked := _owners(program, call)):
        return any_true([_class_draws(program, one) for one in asked])
    if not run:
        held = holds(program, (*call[:2], program.op(call).args[0]))
        known = [_origin_draws(program, origin) for origin in held]
        return any_true(known) if known else None
    owners = (program.enclosing_class(program.unit(one.unit)) for one in run)
    return any_true([None if one is None else _class_draws(program, one) for one in owners])


def asks_class(program: Program, call: Place) -> bool:
    """Whether it asks a model of a class of the project by a method of its framework."""
    return not callees(program, call) and bool(_owners(program, call))


def _owners(program: Program, call: Place) -> list[UnitKey]:
    """The classes of the project of whose models a call may run a method."""
    model = model_of(program, call)
    held = holds(program, model) if model[2] != program.op(call).args[0] else ()
    return [one.place[:2] for one in held if one.what is What.INSTANCE]


def _is_switched_off(program: Program, call: Place) -> bool:
    """Whether it runs a model that draws only where a keyword says so, and none does."""
    if Trait.RUNS_MODEL not in traits_of(program, call):
        return False
    op, unit = program.op(call), program.unit(call[:2])
    if TRAINING_SWITCH not in op.data:
        return "**" not in op.data
    switch = unit.ops[op.args[len(op.args) - len(op.data) + op.data.index(TRAINING_SWITCH)]]
    return switch.kind is Kind.CONSTANT and switch.data is False


def _class_draws(program: Program, key: UnitKey) -> bool | None:
    return program.answers.ask(_draws, key, bottom=_NEVER)


def _draws(program: Program, path: str, number: int) -> bool | None:
    """Whether a layer of a class, or of a model that it makes, draws."""
    found: list[bool | None] = []
    for owner in line(program, (path, number)):
        units = program.units(owner[0])
        for unit in units:
            if unit.parent != owner[1] or unit.kind != "function":
                continue
            if unit.name in _RUN and not _DRAWING.isdisjoint(summary(program, unit.key)):
                return True
            if unit.name == "__init__":
                found += [
                    _made(program, (*unit.key, index))
                    for index in unit.calls
                    if unit.uses(index)
                    and unit.ops[unit.ops[index].args[0]].data not in ("__init__", "super")
                ]
    return any_true(found)


def _made(program: Program, call: Place) -> bool | None:
    """Whether what a call in a constructor makes draws when it is run."""
    held = holds(program, call)
    return any_true([_origin_draws(program, origin) for origin in held])


def _parts_draw(program: Program, path: str, number: int, index: int) -> bool | None:
    parts = program.op((path, number, index)).args[1:]
    return any_true([_made(program, (path, number, one)) for one in parts])


def _origin_draws(program: Program, origin: Origin) -> bool | None:
    if origin.what is What.INSTANCE:
        return _class_draws(program, origin.place[:2])
    if origin.what is not What.OBJECT:
        return None if origin.what is What.UNKNOWN else False
    names = program.knowledge.ancestry(origin.name)
    known = [one for name in names if (one := program.knowledge.type(name)) is not None]
    traits = frozenset[Trait]().union(*[one.call_traits for one in known])
    if not traits.isdisjoint(_OTHER_RESULT):
        return True
    if Trait.RUNS_PARTS in traits and origin.place:
        return program.answers.ask(_parts_draw, origin.place[:3], bottom=_NEVER)
    own = program.knowledge.type(origin.name)
    is_layer = own is not None and Trait.RUNS_MODULE not in own.call_traits
    return False if is_layer and Trait.RUNS_MODEL not in traits else None
