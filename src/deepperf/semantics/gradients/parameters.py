"""Whether a model is seen to have parameters for which gradients are recorded."""

from __future__ import annotations

from collections.abc import Iterator

from deepperf.knowledge.schema import Trait
from deepperf.knowledge.words import FREEZING_ATTRIBUTES, FREEZING_METHODS
from deepperf.semantics.ir.table import Kind, Op, Unit
from deepperf.semantics.objects.classes import is_own, library_bases, line
from deepperf.semantics.objects.holds import holds
from deepperf.semantics.objects.origin import Origin, Place, UnitKey, What
from deepperf.semantics.program.program import Program
from deepperf.semantics.summaries.traits import traits_of

_LEARNT = frozenset(("torch.nn.Module", "torch.nn.Parameter"))
_WITH = frozenset((Trait.READS_STATE, Trait.RUNS_PARTS, Trait.RUNS_MODULE))
"""What a call does of something that may have parameters."""
_EMPTY = frozenset(("torch.nn.Module", "lightning.LightningModule"))
"""Bases that have no parameters before a subclass makes some."""
_MAKES = frozenset((Trait.CREATES_LAYER, Trait.GIVES_MODEL, Trait.LOADS_MODEL))


def is_seen_to_learn(program: Program, call: Place) -> bool:
    """Whether a call runs a model in which something is seen that training may change.

    A model of a library has parameters; a class of the project has them where its methods keep
    layers. Where they keep what is not known, or are seen to freeze it, that is not known.
    """
    callee = (*call[:2], program.op(call).args[0])
    return any(_learns(program, origin) for origin in holds(program, callee))


def _learns(program: Program, origin: Origin) -> bool:
    if origin.what is What.OBJECT:
        known = program.knowledge.type(origin.name)
        if known is not None and known.call_traits and _WITH.isdisjoint(known.call_traits):
            return False  # a loss, an activation
        return not _LEARNT.isdisjoint(program.knowledge.ancestry(origin.name))
    if origin.what is What.BOUND and isinstance(origin.place[-1], Origin):
        return _learns(program, origin.place[-1])
    if origin.what is What.METHOD and origin.place:
        return _learns(program, origin.place[0])
    if origin.what is not What.INSTANCE:
        return False
    return bool(program.answers.ask(_class_learns, origin.place[:2], bottom=False))


def _class_learns(program: Program, path: str, number: int) -> bool:
    key = (path, number)
    units = [unit for owner in line(program, key) for unit in _methods(program, owner)]
    if any(_freezes(unit) for unit in units):
        return False
    names = (name for name in library_bases(program, key) if name not in _EMPTY)
    facts = (program.fact(name) for name in names)
    if any(fact is not None and not _MAKES.isdisjoint(fact.traits) for fact in facts):
        return True
    return any(_is_learnt(program, place) for unit in units for place in _kept(unit))


def _methods(program: Program, owner: UnitKey) -> list[Unit]:
    return [unit for unit in program.units(owner[0]) if unit.parent == owner[1]]


def _kept(unit: Unit) -> Iterator[Place]:
    """What a method keeps in its object."""
    for op in unit.ops:
        if op.kind is Kind.SET_ATTRIBUTE and is_own(unit, op.args[0]):
            yield (*unit.key, op.args[1])


def _is_learnt(program: Program, place: Place) -> bool:
    if not _MAKES.isdisjoint(traits_of(program, place)):
        return True
    return any(_learns(program, origin) for origin in holds(program, place))


def _freezes(unit: Unit) -> bool:
    """Whether a method switches off, or lets others switch, that gradients are recorded."""
    for op in unit.ops:
        if op.kind is Kind.SET_ATTRIBUTE and op.data in FREEZING_ATTRIBUTES:
            if not _is_true(unit.ops[op.args[1]]):
                return True
        elif op.kind is Kind.CALL and unit.ops[op.args[0]].data in FREEZING_METHODS:
            off = [one for one in op.args[1:] if not _is_true(unit.ops[one])]
            if off:
                return True
    return False


def _is_true(op: Op) -> bool:
    return op.kind is Kind.CONSTANT and op.data is True
