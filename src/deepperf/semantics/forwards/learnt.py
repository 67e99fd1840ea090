"""Whether a training changes what a model is given: a picture that is painted, an embedding."""

from __future__ import annotations

from collections.abc import Iterator

from deepperf.knowledge.schema import Trait
from deepperf.knowledge.words import FREEZING_ATTRIBUTES, FREEZING_METHODS
from deepperf.semantics.callgraph.callees import instance_bases
from deepperf.semantics.forwards.made_of import MODELS
from deepperf.semantics.forwards.terms import Term, is_of_object
from deepperf.semantics.ir.table import Kind, Unit
from deepperf.semantics.objects.everywhere import attributes_set
from deepperf.semantics.objects.holds import holds
from deepperf.semantics.objects.origin import Place, What
from deepperf.semantics.program.program import Program
from deepperf.semantics.summaries.makers import sources
from deepperf.semantics.summaries.memory import Root, contained
from deepperf.semantics.summaries.traits import facts_of, traits_of

_OPTIMIZER = "torch.optim.Optimizer"
_HOLDING = frozenset((Kind.LIST, Kind.TUPLE, Kind.DICT))
_SWITCH = "requires_grad"
_NO_DATA = frozenset((What.CONSTANT, What.LIBRARY, What.FUNCTION, What.CLASS, What.MODULE))
_MAKING = frozenset(
    (Trait.COMPUTES, Trait.CREATES_ARRAY, Trait.CONVERTS, Trait.DRAWS, Trait.READS_FILE)
)


def is_learnt(program: Program, unit: Unit, given: Term) -> bool:
    """Whether a term, in the words of a function, is made of what is told to need gradients."""
    return any(
        _is_variable(program, source)
        for place in _read(program, unit, given)
        for source in (place, *sources(program, place))
    )


def is_left_alone(program: Program, unit: Unit, given: Term) -> bool:
    """Whether all that a term is made of is seen to be made where no training changes it."""
    read = list(_read(program, unit, given))
    if any(is_of_object(part) and not any(_kept(program, part[2])) for part in _leaves(given)):
        return False
    return not is_learnt(program, unit, given) and all(_is_data(program, one) for one in read)


def _is_data(program: Program, place: Place) -> bool:
    held = holds(program, place)
    if held and all(origin.what in _NO_DATA for origin in held):
        return True
    found = sources(program, place)
    return bool(found) and all(
        _is_root_of_data(program, source, root)
        for source in found
        for root in contained(program, source)
    )


def _is_root_of_data(program: Program, source: Place, root: Root) -> bool:
    """Whether it is an array that a library makes, or what only code that is not seen passes."""
    if root.base[0] != "made":
        return root.base[0] == "parameter" and not root.path
    place = (*source[:2], root.base[1])
    facts = facts_of(program, place) if program.op(place).kind is Kind.CALL else ()
    return bool(facts) and all(not fact.traits.isdisjoint(_MAKING) for fact in facts)


def _read(program: Program, unit: Unit, given: Term) -> Iterator[Place]:
    """The operations that read what a term is made of."""
    whole = list(_leaves(given))
    names = {part[3] for part in whole if part[:1] == ("variable",)}
    numbers = {part[3] for part in whole if part[:1] == ("parameter",) and part[1:3] == unit.key}
    for index, op in enumerate(unit.ops):
        is_named = op.kind is Kind.NAME and op.data in names
        if is_named or (op.kind is Kind.PARAMETER and op.data in numbers):
            yield (*unit.key, index)
    for part in whole:
        if part[:1] == ("made",):
            yield (part[1], part[2], part[3])
        elif part[:2] == ("of", Kind.ATTRIBUTE):
            yield from _kept(program, part[2])


def _leaves(given: Term) -> Iterator[Term]:
    """The parts of a term, but for the objects whose attributes it reads."""
    yield given
    for part in given[1:] if given[:2] != ("of", Kind.ATTRIBUTE) else ():
        if isinstance(part, tuple):
            yield from _leaves(part)


def _kept(program: Program, name: str) -> Iterator[Place]:
    """What is kept under a name of an attribute, whatever the object is."""
    for place in attributes_set(program, name):
        yield (*place[:2], program.op(place).args[1])


def _is_variable(program: Program, place: Place) -> bool:
    """Whether it is made as a variable, is told to need gradients, or handed to an optimizer."""
    unit = program.unit(place[:2])
    op = unit.ops[place[2]]
    if not MODELS.isdisjoint(instance_bases(program, place)):
        return True
    if op.kind is Kind.CALL:
        callee = unit.ops[op.args[0]]
        if Trait.CREATES_VARIABLE in traits_of(program, place) or _SWITCH in op.data:
            return True
        if callee.kind is Kind.ATTRIBUTE and callee.data in FREEZING_METHODS:
            return True
    return any(_makes_variable(program, unit, place[2], user) for user in unit.uses(place[2]))


def _makes_variable(program: Program, unit: Unit, value: int, user: int) -> bool:
    op = unit.ops[user]
    if op.kind is Kind.SET_ATTRIBUTE:
        return op.args[0] == value and op.data in FREEZING_ATTRIBUTES
    if op.kind is Kind.ATTRIBUTE:
        return op.data in FREEZING_METHODS
    if op.kind in _HOLDING:
        return any(_is_optimizer(program, (*unit.key, outer)) for outer in unit.uses(user))
    return _is_optimizer(program, (*unit.key, user))


def _is_optimizer(program: Program, place: Place) -> bool:
    return _OPTIMIZER in instance_bases(program, place)
