"""Whether nothing changes the weights of a model: all that is done with it is followed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from deepperf.knowledge import members
from deepperf.knowledge.schema import Trait
from deepperf.knowledge.words import EVALUATING_METHODS, FREEZING_ATTRIBUTES, FREEZING_METHODS
from deepperf.semantics.callgraph.callees import argument_for, callees, instance_bases
from deepperf.semantics.callgraph.calls import callers, has_unseen_callers
from deepperf.semantics.forwards.made_of import (
    ABOUT,
    KERAS,
    MODELS,
    MODULE,
    WRAPPING,
    Made,
    copies,
    gives_itself,
    made_of,
    model_of,
)
from deepperf.semantics.forwards.model_uses import SAME, Uses, note_weights, told_by
from deepperf.semantics.frequency.runs import ONCE, around
from deepperf.semantics.gradients.recording import is_gradient_free
from deepperf.semantics.ir.table import Kind, Unit
from deepperf.semantics.objects.classes import line
from deepperf.semantics.objects.everywhere import attributes_read, attributes_set
from deepperf.semantics.objects.holds import holds
from deepperf.semantics.objects.origin import Place, UnitKey, What
from deepperf.semantics.program.program import Program
from deepperf.semantics.summaries.traits import ASKING, call_traits, traits_of

MOST = 200
"""Uses of a model, beyond which nothing is said of it."""
_LOOKED_AT = frozenset((Kind.COMPARE, Kind.TEST, Kind.FORMAT, Kind.UNARY, Kind.DELETE, Kind.RAISE))
_TRAINING = frozenset((Trait.BUILDS_TRAINER, Trait.TRAINS, Trait.FITS, Trait.STEPS_TRAINING))
_PARAMETER = "torch.nn.Parameter"


class Standing(NamedTuple):
    """What a program does with a model; None where something unknown may do otherwise."""

    is_frozen: bool | None
    """Whether it has the same weights for a whole training."""
    evaluates: bool | None
    """Whether it is told to evaluate, and never to train."""
    is_followed: bool
    """Whether nothing learns from it but by the gradients of its runs."""


def is_frozen(program: Program, call: Place) -> bool | None:
    """Whether a model that a call runs has the same weights for a whole training.

    None where something unknown may change them.
    """
    return standing(program, call).is_frozen


def standing(program: Program, call: Place) -> Standing:
    """What is done with the model that a call runs."""
    model = model_of(program, call)
    found = program.answers.ask(_standing, model, bottom=_UNKNOWN)
    if found.is_frozen is None and found.is_followed and is_gradient_free(program, call):
        return found._replace(is_frozen=True)
    return found


_UNKNOWN = Standing(None, None, is_followed=False)


def _standing(program: Program, path: str, number: int, index: int) -> Standing:
    made = made_of(program, (path, number, index))
    if made is None:
        return _UNKNOWN
    found = Uses(made)
    _follow(program, made, found)
    is_made_so = any(Trait.SETS_EVALUATION in traits_of(program, one) for one in made.same)
    evaluates = False not in found.told if found.told or is_made_so else None
    is_followed = not found.is_changed and not found.is_lost and not found.is_part
    return Standing(_weights_stay(program, made, found), evaluates, is_followed)


def _weights_stay(program: Program, made: Made, found: Uses) -> bool | None:
    if found.is_changed:
        return False
    if found.is_frozen:
        return True
    if found.is_lost:
        return None
    # Keras trains what it is told to fit, or whose variables are named, and nothing else.
    if all(KERAS in instance_bases(program, one) for one in made.same):
        is_part = found.is_part or any(_goes_into_model(program, one, found) for one in found.ran)
        return None if is_part else True
    own = [is_kept for one in made.same for is_kept in _parts_stay(program, one)]
    if own and not found.is_part and all(own):
        return True
    # What is told to evaluate alone is trained only where its parameters are handed over.
    if found.told == {True} and not found.is_part:
        return True
    # What learns by its gradients may be a part of it that is handed over by another name.
    is_free = found.is_part and all(is_gradient_free(program, place) for place in found.ran)
    return True if is_free else None


def _parts_stay(program: Program, made: Place) -> Iterator[bool]:
    """For the models, layers and parameters that a model is made of: whether each is frozen."""
    for owner in _classes(program, made):
        for part in _kept_by(program, owner):
            yield _stays(program, part)
    if any(Trait.RUNS_PARTS in call_traits(program, origin) for origin in holds(program, made)):
        for operand in program.op(made).args[1:]:
            part = (*made[:2], operand)
            owners = _classes(program, part)
            is_plain = bool(owners) and not any(any(_kept_by(program, one)) for one in owners)
            yield is_plain or _stays(program, part)


def _stays(program: Program, part: Place) -> bool:
    return program.answers.ask(_standing, part, bottom=_UNKNOWN).is_frozen is True


def _kept_by(program: Program, owner: UnitKey) -> Iterator[Place]:
    """What methods of a class keep that is a model, a layer or a parameter."""
    for unit in program.units(owner[0]):
        if unit.parent != owner[1] or unit.kind != "function":
            continue
        for op in unit.ops:
            if op.kind is Kind.SET_ATTRIBUTE and unit.ops[op.args[1]].kind is Kind.CALL:
                value = (*unit.key, op.args[1])
                bases = instance_bases(program, value)
                is_part = _PARAMETER in bases or not MODELS.isdisjoint(bases)
                if is_part or _stays(program, value):
                    yield value


def _goes_into_model(program: Program, run: Place, found: Uses) -> bool:
    """Whether another model is made of what a run of a model gives, and trained with it."""
    unit = program.unit(run[:2])
    pending, seen = [run[2]], {run[2]}
    while pending:
        for user in unit.uses(pending.pop()):
            here = (*unit.key, user)
            if here not in found.whole and Trait.GIVES_MODEL in traits_of(program, here):
                return True
            pending += {user} - seen
            seen.add(user)
    return False


def _follow(program: Program, made: Made, found: Uses) -> None:
    pending, seen = [*made.parts, *made.same], set[Place]()
    while pending and not found.is_changed:
        place = pending.pop()
        if place in seen:
            continue
        seen.add(place)
        if len(seen) > MOST:
            found.is_lost = True
            return
        unit = program.unit(place[:2])
        new = [*_named_inside(program, unit, place[2])]
        for user in unit.uses(place[2]):
            new += _used(program, unit, place[2], user, found)
        if place in found.parts:
            found.add_parts(new, seen)
        pending += new


def _named_inside(program: Program, unit: Unit, index: int) -> Iterator[Place]:
    """Where functions inside of one read a variable of it that holds something."""
    names = {name for name, bound in unit.bindings.items() if index in bound}
    inside = {unit.number}
    for inner in program.units(unit.path)[unit.number + 1 :] if names else ():
        if inner.parent in inside:
            inside.add(inner.number)
            for at, op in enumerate(inner.ops):
                if op.kind is Kind.NAME and op.data in names:
                    yield (*inner.key, at)


def _used(program: Program, unit: Unit, model: int, user: int, found: Uses) -> Iterator[Place]:
    """What else is the model, or a part of it, after one use of it."""
    op, here = unit.ops[user], (*unit.key, user)
    if op.kind in SAME:
        yield here
    elif op.kind is Kind.ATTRIBUTE:
        yield from _asked(program, unit, model, user, found)
    elif op.kind is Kind.ITEM:
        if op.args[0] == model:
            found.add_parts([here], set())
            yield here
    elif op.kind is Kind.CALL:
        if op.args[0] == model:
            found.ran.add(here)
        else:
            yield from _passed(program, unit, model, user, found)
    elif op.kind is Kind.SET_ATTRIBUTE:
        if op.args[1] == model:
            bases = instance_bases(program, (*unit.key, op.args[0]))
            found.is_part |= not MODELS.isdisjoint(bases)
            kept_in = _classes(program, (*unit.key, op.args[0]))
            for read in attributes_read(program, op.data):
                # What another object has under that name may be trained, and is not frozen with it.
                if kept_in.isdisjoint(_classes(program, (*read[:2], program.op(read).args[0]))):
                    found.parts.add(read)
                yield read
        elif op.data in FREEZING_ATTRIBUTES:
            _switched(unit, model, unit.ops[op.args[1]].data, found)
    elif op.kind is Kind.RETURN:
        found.is_lost |= has_unseen_callers(program, unit.key)
        yield from (edge.call for edge in callers(program, unit.key))
    elif op.kind is Kind.TUPLE:
        yield from _packed(program, unit, model, user, found)
    elif op.kind not in _LOOKED_AT and not (op.kind is Kind.BINARY and op.data[-1:] != "="):
        found.is_lost = True


def _is_own_name(program: Program, name: str) -> bool:
    """Whether a class of the project gives an attribute a name that models have for theirs."""
    return any(True for _ in attributes_set(program, name))


def _classes(program: Program, place: Place) -> frozenset[UnitKey]:
    """The classes of the project, with those above them, of which an object may be."""
    found = [
        line(program, one.place[:2]) for one in holds(program, place) if one.what is What.INSTANCE
    ]
    return frozenset[UnitKey]().union(*found)


def _packed(program: Program, unit: Unit, model: int, user: int, found: Uses) -> Iterator[Place]:
    """A model in a tuple that its function returns, taken apart by those who call it."""
    index = unit.ops[user].args.index(model)
    for outer in unit.uses(user):
        if unit.ops[outer].kind is not Kind.RETURN:
            found.is_lost = True
            return
    found.is_lost |= has_unseen_callers(program, unit.key)
    for edge in callers(program, unit.key):
        yield from _parts(program, edge.call, index)


def _parts(program: Program, place: Place, index: int) -> Iterator[Place]:
    unit = program.unit(place[:2])
    for user in unit.uses(place[2]):
        if unit.ops[user].kind is Kind.PART and unit.ops[user].data == index:
            yield (*unit.key, user)


def _switched(unit: Unit, model: int, switch: object, found: Uses) -> None:
    """A model, or a part of it, that is told whether it needs gradients."""
    if switch is False:
        found.freeze((*unit.key, model))
    else:
        found.is_changed = True


def _asked(program: Program, unit: Unit, model: int, user: int, found: Uses) -> Iterator[Place]:
    """What an attribute or a method of the model means for its weights."""
    name = unit.ops[user].data
    called = [u for u in unit.uses(user) if unit.ops[u].args[:1] == (user,)]
    calls = [u for u in called if unit.ops[u].kind is Kind.CALL]
    if name in members.MODEL_LISTINGS:
        for call in calls:
            note_weights(unit, model, call, found)
    elif name in members.MODEL_PARTS and not _is_own_name(program, name):
        note_weights(unit, model, user, found)
    elif name in ABOUT:
        return
    elif not calls:
        found.add_parts([(*unit.key, user)], set())
        yield (*unit.key, user)
    elif gives_itself(program, name):
        for call in calls:
            if name in EVALUATING_METHODS and (*unit.key, model) not in found.parts:
                found.told.add(told_by(unit, call) is EVALUATING_METHODS[name])
            if name == "apply":
                found.told.update((True, False))  # the function may tell parts either
            if name in FREEZING_METHODS:
                _switched(unit, model, told_by(unit, call), found)
            yield (*unit.key, call)
    else:
        for call in calls:
            place = (*unit.key, call)
            fact = program.knowledge.method(MODULE, name)
            traits = traits_of(program, place)
            if not traits.isdisjoint(_TRAINING) and traits.isdisjoint(ASKING):
                found.is_changed = True
            elif fact is None:
                found.ran.add(place)
            elif Trait.WRITES_STATE in traits and around(program, place) != ONCE:
                found.is_changed = True  # by those of another model, now and then


def _passed(program: Program, unit: Unit, model: int, user: int, found: Uses) -> Iterator[Place]:
    """What a call does with a model that it is passed."""
    call = (*unit.key, user)
    traits = traits_of(program, call)
    op = unit.ops[user]
    if copies(program, call):
        return
    run = callees(program, call)
    if not run and call in found.whole | found.parts:
        return
    if not traits.isdisjoint(_TRAINING):
        found.is_changed = True
        return
    if Trait.GIVES_MODEL in traits:
        found.is_part |= call not in found.whole
        found.add_parts([call], set())
        yield call
        return
    if not traits.isdisjoint(WRAPPING):
        yield call
        yield from _parts(program, call, op.args.index(model) - 1)
        return
    for callee in run:
        target = program.unit(callee.unit)
        for at, inner in enumerate(target.ops):
            if inner.kind is not Kind.PARAMETER:
                continue
            if argument_for(program, call, callee, target, inner.data) == model:
                yield (*target.key, at)
    held = holds(program, (*unit.key, op.args[0]))
    is_builtin = held and all(origin.name.startswith("builtins.") for origin in held)
    if not run and not is_builtin:
        found.is_lost = True
