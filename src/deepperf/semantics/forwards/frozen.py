"""Whether nothing changes the weights of a model: all that is done with it is followed."""

from __future__ import annotations

import enum
from collections.abc import Iterator

from deepperf.knowledge import members
from deepperf.knowledge.schema import Trait
from deepperf.knowledge.words import FREEZING_ATTRIBUTES, FREEZING_METHODS
from deepperf.semantics.callgraph.callees import argument_for, callees, instance_bases
from deepperf.semantics.callgraph.calls import callers, has_unseen_callers
from deepperf.semantics.frequency.runs import around
from deepperf.semantics.gradients.recording import is_gradient_free
from deepperf.semantics.ir.table import Kind, Unit
from deepperf.semantics.objects.classes import line
from deepperf.semantics.objects.holds import holds
from deepperf.semantics.objects.origin import Place, UnitKey, What
from deepperf.semantics.program.program import Program
from deepperf.semantics.summaries.makers import makers
from deepperf.semantics.summaries.traits import traits_of

MOST = 200
"""Uses of a model, beyond which nothing is said of it."""
_MODEL = "torch.nn.Module"
_SAME = frozenset((Kind.PHI, Kind.CYCLE, Kind.CHOICE, Kind.LOGIC, Kind.AWAIT))
_LOOKED_AT = frozenset(
    (Kind.COMPARE, Kind.TEST, Kind.FORMAT, Kind.UNARY, Kind.DELETE, Kind.ITEM, Kind.RAISE)
)
_TELLS = members.SHAPE_ATTRIBUTES | members.SHAPE_METHODS | members.TENSOR_FLAGS
_TRAINING = frozenset((Trait.BUILDS_TRAINER, Trait.TRAINS, Trait.FITS, Trait.STEPS_TRAINING))
_WRAPPING = frozenset((Trait.GIVES_BACK, Trait.COMPILES))
_ONCE = frozenset(("run",))


class Of(enum.Enum):
    """What something that is followed is of the model that is asked about."""

    WHOLE = "whole"
    PART = "part"


class Uses:
    """What is done with one model, as far as it was followed."""

    __slots__ = ("is_changed", "is_frozen", "is_lost", "is_part", "parts", "ran")

    def __init__(self) -> None:
        self.is_changed = False  # its weights are handed to an optimizer, or written to
        self.is_frozen = False  # all of it is told to need no gradients
        self.is_lost = False  # something unknown has it
        self.is_part = False  # a model has it, with whose weights its own may be trained
        self.parts: set[Place] = set()  # where it is not the whole model that was followed
        self.ran: set[Place] = set()

    def freeze(self, place: Place) -> None:
        """Where a part is told to need no gradients, the rest may learn all the same."""
        self.is_frozen |= place not in self.parts


def is_frozen(program: Program, call: Place) -> bool | None:
    """Whether a model that a call runs has the same weights for a whole training.

    None where something unknown may change them.
    """
    return program.answers.ask(_is_frozen, *call, bottom=_UNKNOWN)


_UNKNOWN: bool | None = None


def _is_frozen(program: Program, path: str, number: int, index: int) -> bool | None:
    found = Uses()
    made = list(_makers(program, (path, number, index), found))
    if not made:
        return None
    _follow(program, made, found)
    if found.is_changed:
        return False
    if found.is_frozen:
        return True
    # What learns by its gradients may be a part of it that is handed over by another name.
    runs = found.ran if found.is_part else ((path, number, index),)
    is_free = all(is_gradient_free(program, place) for place in runs)
    return None if found.is_lost or not is_free else True


def _makers(program: Program, call: Place, found: Uses) -> Iterator[Place]:
    """The calls that made the model which a call runs, or a method of which it calls."""
    unit = program.unit(call[:2])
    callee = unit.ops[call[2]].args[0]
    is_attribute = unit.ops[callee].kind is Kind.ATTRIBUTE
    is_method = is_attribute and not _is_part(program, (*unit.key, callee))
    model: Place = (*unit.key, unit.ops[callee].args[0] if is_method else callee)
    pending = [(model, Of.WHOLE)]
    seen: set[Place] = set()
    while pending:
        source, of = pending.pop()
        for place in makers(program, source):
            if place in seen:
                continue
            seen.add(place)
            whole = _receiver_given_back(program, place)
            if whole is not None:
                pending.append((whole, of))
                continue
            if of is Of.PART:
                found.parts.add(place)
            yield place
            if _copies(program, place):
                # Weights of its own, unless it is made anew of a model that learns meanwhile.
                found.is_changed |= not around(program, place) <= _ONCE
                continue
            is_wrapping = not _WRAPPING.isdisjoint(traits_of(program, place))
            for one in _models_passed(program, place):
                is_whole = is_wrapping or _is_given_back(program, place, one[2])
                pending.append((one, of if is_whole else Of.PART))


def _is_given_back(program: Program, call: Place, operand: int) -> bool:
    """Whether the function that a call runs returns what it is passed there."""
    run = callees(program, call)
    for callee in run:
        target = program.unit(callee.unit)
        for index in target.returns:
            for given in target.ops[index].args:
                op = target.ops[given]
                if op.kind is not Kind.PARAMETER:
                    return False
                if argument_for(program, call, callee, target, op.data) != operand:
                    return False
    return bool(run)


def _copies(program: Program, call: Place) -> bool:
    """Whether a call gives another object like the one that it is passed."""
    return Trait.COPIES_ALL in traits_of(program, call)


def _models_passed(program: Program, call: Place) -> Iterator[Place]:
    """The models that another is made of, or that a call wraps."""
    for operand in program.op(call).args[1:]:
        place = (*call[:2], operand)
        if _MODEL in instance_bases(program, place):
            yield place


def _is_part(program: Program, place: Place) -> bool:
    """Whether an attribute is a model, and no method of one."""
    held = holds(program, place)
    return any(origin.what in (What.INSTANCE, What.OBJECT) for origin in held)


def _receiver_given_back(program: Program, call: Place) -> Place | None:
    """The object that a method such as `.to(device)` gives back; None for other calls."""
    unit = program.unit(call[:2])
    callee = unit.ops[unit.ops[call[2]].args[0]]
    if callee.kind is Kind.ATTRIBUTE and _gives_itself(program, callee.data):
        return (*unit.key, callee.args[0])
    return None


def _gives_itself(program: Program, name: str) -> bool:
    method = program.knowledge.method(_MODEL, name)
    fact = program.fact(method) if method else None
    return fact is not None and fact.returns in ("$self", _MODEL)


def _follow(program: Program, made: list[Place], found: Uses) -> None:
    pending, seen = list(made), set[Place]()
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
            found.parts.update(one for one in new if one not in seen)
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
    if op.kind in _SAME:
        yield here
    elif op.kind is Kind.ATTRIBUTE:
        yield from _asked(program, unit, model, user, found)
    elif op.kind is Kind.CALL:
        if op.args[0] == model:
            found.ran.add(here)
        else:
            yield from _passed(program, unit, model, user, found)
    elif op.kind is Kind.SET_ATTRIBUTE:
        if op.args[1] == model:
            found.is_part |= _MODEL in instance_bases(program, (*unit.key, op.args[0]))
            kept_in = _classes(program, (*unit.key, op.args[0]))
            for read in _read_as(program, op.data):
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
    elif op.kind not in _LOOKED_AT:
        found.is_lost = True


def _read_as(program: Program, name: str) -> Iterator[Place]:
    """Where an attribute of a name is read, whatever the object is."""
    for path in program.naming(name):
        for place in program.uses_of(name, path):
            if program.op(place).kind is Kind.ATTRIBUTE:
                yield place


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


def _told(unit: Unit, call: int) -> object:
    """What a method that switches gradients is told: to record them, if nothing."""
    given = [unit.ops[operand].data for operand in unit.ops[call].args[1:]]
    return given[0] if given else True


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
            _weights(unit, model, call, found)
    elif name in members.MODEL_PARTS:
        found.is_changed = True
    elif not calls:
        found.parts.add((*unit.key, user))
        yield (*unit.key, user)
    elif _gives_itself(program, name):
        for call in calls:
            if name in FREEZING_METHODS:
                _switched(unit, model, _told(unit, call), found)
            yield (*unit.key, call)
    else:
        for call in calls:
            place = (*unit.key, call)
            fact = program.knowledge.method(_MODEL, name)
            traits = traits_of(program, place)
            if not traits.isdisjoint(_TRAINING):
                found.is_changed = True
            elif fact is None:
                found.ran.add(place)
            elif Trait.WRITES_STATE in traits and around(program, place) != _ONCE:
                found.is_changed = True  # by those of another model, now and then


def _weights(unit: Unit, model: int, listing: int, found: Uses) -> None:
    """Weights that are gone over one by one: to freeze them, to count them, or to change them."""
    for user in unit.uses(listing):
        op = unit.ops[user]
        if op.kind is Kind.ELEMENT:
            _weight(unit, model, user, found)
        elif not (op.kind is Kind.CALL and unit.ops[op.args[0]].data == "next"):
            found.is_changed = True


def _weight(unit: Unit, model: int, element: int, found: Uses) -> None:
    loop, pending, seen = unit.ops[element].data, [element], {element}
    while pending:
        weight = pending.pop()
        for user in unit.uses(weight):
            op = unit.ops[user]
            if op.kind is Kind.PART or op.kind in _SAME:
                pending += {user} - seen
                seen.add(user)
            elif op.kind is Kind.SET_ATTRIBUTE and op.data in FREEZING_ATTRIBUTES:
                # Behind a condition, on its name say, it is one of some.
                is_each = op.region == loop
                if unit.ops[op.args[1]].data is not False:
                    found.is_changed = True
                elif is_each:
                    found.freeze((*unit.key, model))
            elif op.kind is Kind.ATTRIBUTE and op.data in FREEZING_METHODS:
                for call in unit.uses(user):
                    switch = _told(unit, call)
                    if switch is not False:
                        found.is_changed = True
                    elif unit.ops[call].region == loop:
                        found.freeze((*unit.key, model))
            elif op.kind not in (Kind.COMPARE, Kind.FORMAT) and not (
                op.kind is Kind.ATTRIBUTE and op.data in _TELLS
            ):
                found.is_changed |= op.kind is not Kind.CALL or op.args[0] == weight


def _passed(program: Program, unit: Unit, model: int, user: int, found: Uses) -> Iterator[Place]:
    """What a call does with a model that it is passed."""
    call = (*unit.key, user)
    traits = traits_of(program, call)
    op = unit.ops[user]
    if _copies(program, call):
        return
    if not traits.isdisjoint(_TRAINING):
        found.is_changed = True
        return
    if not traits.isdisjoint(_WRAPPING):
        yield call
        yield from _parts(program, call, op.args.index(model) - 1)
        return
    run = callees(program, call)
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
