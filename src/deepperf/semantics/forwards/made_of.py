"""Which calls made a model, and which other models it is a part of, wraps, or is made of."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from deepperf.knowledge import members
from deepperf.knowledge.schema import Trait
from deepperf.semantics.callgraph.callees import argument_for, callees, instance_bases
from deepperf.semantics.frequency.runs import ONCE, around
from deepperf.semantics.ir.table import UNBOUND, Kind
from deepperf.semantics.objects.classes import line
from deepperf.semantics.objects.holds import holds
from deepperf.semantics.objects.origin import Place, What
from deepperf.semantics.program.program import Program
from deepperf.semantics.summaries.makers import sources
from deepperf.semantics.summaries.traits import traits_of

MODULE, KERAS = "torch.nn.Module", "keras.Model"
MODELS = frozenset((MODULE, KERAS))
WRAPPING = frozenset((Trait.GIVES_BACK, Trait.COMPILES))
ABOUT = members.SHAPE_ATTRIBUTES | members.SHAPE_METHODS | members.TENSOR_FLAGS
ABOUT |= {"config", "device", "dtype", "input_shape", "name", "output_shape", "training"}
"""What a model tells about itself."""
_GIVEN = frozenset((Kind.CALL, Kind.NAME, Kind.ATTRIBUTE, Kind.PARAMETER, Kind.PHI, Kind.ITEM))
_MOST = 200
"""Operations that go into a model, beyond which no more models are looked for among them."""


class Made(NamedTuple):
    """Where a model comes from: the same model, and such as it shares weights with."""

    same: tuple[Place, ...]
    parts: tuple[Place, ...]
    is_renewed: bool
    """Whether it is copied again and again from a model that may learn meanwhile."""


def model_of(program: Program, call: Place) -> Place:
    """The model that a call runs, or a method of which it calls."""
    unit = program.unit(call[:2])
    callee = unit.ops[call[2]].args[0]
    is_attribute = unit.ops[callee].kind is Kind.ATTRIBUTE
    is_method = is_attribute and not _is_model(program, (*unit.key, callee))
    return (*unit.key, unit.ops[callee].args[0] if is_method else callee)


def made_of(program: Program, model: Place) -> Made | None:
    """None where it is not seen where a model comes from."""
    same: dict[Place, None] = {}
    parts: dict[Place, None] = {}
    is_renewed = False
    pending = [(model, same)]
    seen: set[Place] = set()
    while pending:
        source, listed = pending.pop()
        found = sources(program, source)
        if not found:
            return None
        for place in found:
            if place in seen:
                continue
            seen.add(place)
            whole = receiver_given_back(program, place)
            if whole is not None:
                pending.append((whole, listed))
                continue
            listed[place] = None
            op = program.op(place)
            if op.kind in (Kind.PARAMETER, Kind.PART):
                continue
            if op.kind is not Kind.CALL:
                pending.append(((*place[:2], op.args[0]), parts))
            elif copies(program, place):
                is_renewed |= not around(program, place) <= ONCE
            else:
                pending += [(one, listed) for one in _returned(program, place)]
                pending += _passed(program, place, listed, parts)
    own = [one for place in same for one in _seen_by_methods(program, place)]
    return Made((*same, *own), tuple(parts), is_renewed)


def _returned(program: Program, call: Place) -> Iterator[Place]:
    """What functions of the project return that a call runs."""
    for callee in callees(program, call):
        unit = program.unit(callee.unit)
        for at in unit.returns:
            given = unit.ops[at].args[0]
            if given != UNBOUND and unit.ops[given].kind in _GIVEN:
                yield (*unit.key, given)


def _seen_by_methods(program: Program, made: Place) -> Iterator[Place]:
    """The first parameters of the methods of a model's class, if that is one of the project."""
    for origin in holds(program, made):
        if origin.what is What.INSTANCE:
            for owner in line(program, origin.place[:2]):
                for unit in program.units(owner[0]):
                    if unit.parent == owner[1] and unit.kind == "function":
                        first = (n for n, op in enumerate(unit.ops) if op.kind is Kind.PARAMETER)
                        yield from ((*unit.key, index) for index in list(first)[:1])


_Listed = dict[Place, None]


def _passed(
    program: Program, call: Place, listed: _Listed, parts: _Listed
) -> Iterator[tuple[Place, _Listed]]:
    """The models that another is made of, or that a call wraps or gives back."""
    is_wrapping = not WRAPPING.isdisjoint(traits_of(program, call))
    direct = set(program.op(call).args[1:])
    for operand in sorted(_models_in(program, call)):
        is_whole = operand in direct and (is_wrapping or _is_given_back(program, call, operand))
        yield (*call[:2], operand), listed if is_whole else parts


def _models_in(program: Program, call: Place) -> set[int]:
    """The models, in its function, of which what a call is passed is taken or made."""
    unit = program.unit(call[:2])
    pending, seen, found = list(unit.ops[call[2]].args[1:]), set[int](), set[int]()
    while pending and len(seen) < _MOST:
        index = pending.pop()
        if index == UNBOUND or index in seen:
            continue
        seen.add(index)
        op = unit.ops[index]
        if MODELS.isdisjoint(instance_bases(program, (*unit.key, index))):
            is_about = op.kind is Kind.ATTRIBUTE and op.data in ABOUT
            pending += () if is_about else op.args
        else:
            found.add(index)
    return found


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


def copies(program: Program, call: Place) -> bool:
    """Whether a call gives another object like the one that it is passed."""
    return Trait.COPIES_ALL in traits_of(program, call)


def _is_model(program: Program, place: Place) -> bool:
    """Whether an attribute is a model, and no method of one."""
    held = holds(program, place)
    return any(origin.what in (What.INSTANCE, What.OBJECT) for origin in held)


def receiver_given_back(program: Program, call: Place) -> Place | None:
    """The object that a method such as `.to(device)` gives back; None for other calls."""
    unit = program.unit(call[:2])
    callee = unit.ops[unit.ops[call[2]].args[0]]
    if callee.kind is Kind.ATTRIBUTE and gives_itself(program, callee.data):
        return (*unit.key, callee.args[0])
    return None


def gives_itself(program: Program, name: str) -> bool:
    method = program.knowledge.method(MODULE, name)
    fact = program.fact(method) if method else None
    return fact is not None and fact.returns in ("$self", MODULE)
