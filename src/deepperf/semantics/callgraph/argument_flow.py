"""What becomes of a value that is an argument of a call: a parameter, a field, something that is
wrapped around it, or what a library runs.
"""

from __future__ import annotations

from collections.abc import Iterator

from deepperf.knowledge.schema import Trait
from deepperf.semantics.callgraph.callees import EdgeKind, argument_for, callees
from deepperf.semantics.callgraph.value_flow import (
    LOST,
    At,
    Ran,
    joined,
    kept_under,
    may_be,
    put,
    taken,
    went,
)
from deepperf.semantics.ir.table import Kind, Op, Unit
from deepperf.semantics.objects.contents import GIVEN, KEYED
from deepperf.semantics.objects.filling import GROWING
from deepperf.semantics.objects.holds import holds
from deepperf.semantics.objects.origin import Origin, Place, UnitKey, What
from deepperf.semantics.objects.records import field_of
from deepperf.semantics.program.program import Program

_AROUND = frozenset((Trait.WRAPS_FUNCTION, Trait.COMPILES))
_WRAPPING = _AROUND | {Trait.GIVES_BACK}
LOOKING = frozenset(
    f"builtins.{name}"
    for name in ("isinstance", "issubclass", "super", "type", "id", "print", "hasattr", "getattr")
) | {"functools.wraps", "functools.update_wrapper", "inspect.signature", "builtins.callable"}
"""Functions that look at a value, and neither keep nor call it."""
_PARTIAL = "functools.partial"
_FIRST = 1
"""The operand of a call that is its first argument."""


def passed(program: Program, unit: Unit, index: int, user: int, thing: Origin, at: At) -> Ran:
    """The value is an argument of a call."""
    from deepperf.semantics.callgraph.calls import handed_over

    op, here = unit.ops[user], (*unit.key, user)
    own = list(_parameters(program, here, index))
    if own:
        return _went_back(program, here, own, thing, At.PASSED, at)
    callee = unit.ops[op.args[0]]
    if callee.kind is Kind.ATTRIBUTE and callee.data in GROWING:
        return put(program, (*unit.key, callee.args[0]), thing)
    found = []
    is_known = True
    for origin in holds(program, (*unit.key, op.args[0])):
        known = program.knowledge.type(origin.name) if origin.name else None
        fact = program.fact(origin.name) if origin.name else None
        if origin.what is What.CLASS:
            found.append(_field(program, origin.place[:2], unit, user, index, thing))
        elif known is not None and Trait.RUNS_PARTS in known.call_traits:
            found += [went(program, here, thing, one) for one in (at, at.inside)]
        elif fact is not None and fact.traits & _WRAPPING:
            found.append(_wrapped(program, unit, index, user, thing, at, origin.name))
        elif may_be(holds(program, here), thing):
            found.append(went(program, here, thing, at))  # a copy
        else:
            is_known &= origin.name in LOOKING
    handed = () if is_known else (handed_over(program, here, op, index),)
    is_all = is_known or thing.what is What.FUNCTION  # the call that gets a function runs it
    return joined([*found, Ran(handed=frozenset(handed), is_all=is_all)])


def _went_back(
    program: Program, call: Place, parameters: list[Place], thing: Origin, inner: At, outer: At
) -> Ran:
    """Where it goes as a parameter of the functions that a call runs, and from the call, if they
    give it back.
    """
    ran = joined([went(program, place, thing, inner) for place in parameters])
    back = {outer.taken_out if one.is_itself else outer.inside for one in ran.gives}
    given = [went(program, call, thing, one) for one in sorted(back)]
    return joined([ran._replace(gives=frozenset()), *given])


def _field(
    program: Program, owner: UnitKey, unit: Unit, user: int, index: int, thing: Origin
) -> Ran:
    """The value becomes a field of an object whose class lists its fields."""
    name = field_of(program, owner, unit, unit.ops[user], index)
    return LOST if name is None else kept_under(program, name, frozenset((owner,)), thing)


def _wrapped(
    program: Program, unit: Unit, index: int, user: int, thing: Origin, at: At, wrapper: str
) -> Ran:
    """What a call gives back of the value: of several arguments a tuple, of a function one that
    runs it.
    """
    op, here = unit.ops[user], (*unit.key, user)
    if wrapper == _PARTIAL:
        return _in_partial(program, unit, index, user, thing, at)
    fact = program.fact(wrapper)
    if fact is not None and fact.traits & _AROUND:
        first = op.args[_FIRST] if len(op.args) > _FIRST else index
        return went(program, here, thing, at) if index == first else LOST
    positional = len(op.args) - 1 - len(op.data)
    if positional <= 1:
        return went(program, here, thing, at)
    position = op.args.index(index) - 1
    parts = [
        went(program, (*unit.key, part), thing, at)
        for part in unit.uses(user)
        if unit.ops[part].kind is Kind.PART and unit.ops[part].data == position
    ]
    return joined(parts) if parts else LOST


def _in_partial(program: Program, unit: Unit, index: int, user: int, thing: Origin, at: At) -> Ran:
    """The value with some arguments, or one of these arguments."""
    op, here = unit.ops[user], (*unit.key, user)
    if index == op.args[_FIRST]:
        ran = went(program, here, thing, at)
        edges = [edge._replace(kind=EdgeKind.PARTIAL) for edge in ran.edges]
        return ran._replace(edges=frozenset(edges))
    places = list(_bound(program, unit, op, index))
    return joined(went(program, place, thing, At.ITSELF) for place in places) if places else LOST


def _bound(program: Program, unit: Unit, op: Op, index: int) -> Iterator[Place]:
    """The parameters that `partial` gives an operand to."""
    from deepperf.semantics.callgraph.callees import run_by
    from deepperf.semantics.callgraph.calls import parameter_op

    if any(unit.ops[operand].kind is Kind.STAR for operand in op.args):
        return
    at = op.args.index(index)
    keyword = at - (len(op.args) - len(op.data))
    for origin in holds(program, (*unit.key, op.args[_FIRST])):
        for callee in run_by(program, origin):
            target = program.unit(callee.unit)
            for number, parameter in enumerate(target.parameters):
                is_it = number == at - _FIRST - 1 + callee.skip and not parameter.passing
                if parameter.name == op.data[keyword] if keyword >= 0 else is_it:
                    yield (*target.key, parameter_op(target, number))


def passed_inside(
    program: Program, unit: Unit, index: int, user: int, thing: Origin, at: At
) -> Ran:
    """Something that has the value in it is an argument of a call."""
    here = (*unit.key, user)
    own = list(_parameters(program, here, index))
    if own:
        return _went_back(program, here, own, thing, At.PASSED_INSIDE, at)
    for origin in holds(program, (*unit.key, unit.ops[user].args[0])):
        known = program.knowledge.type(origin.name) if origin.name else None
        if known is not None and Trait.RUNS_PARTS in known.call_traits:
            both = (at.taken_out, at)
            return joined(went(program, here, thing, one) for one in both)
        if known is not None and known.yields in (GIVEN, KEYED):
            return went(program, here, thing, at)
    return taken(program, here, thing, at)


def _parameters(program: Program, call: Place, index: int) -> Iterator[Place]:
    """The parameters of the project's functions that an operand of a call becomes."""
    from deepperf.semantics.callgraph.calls import parameter_op

    for callee in callees(program, call):
        target = program.unit(callee.unit)
        for number in range(len(target.parameters)):
            if argument_for(program, call, callee, target, number) == index:
                yield (*target.key, parameter_op(target, number))
