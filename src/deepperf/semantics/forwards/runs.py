"""Which runs of models, or costly operations, calling a function surely makes, and on what: by its
parameters.
"""

from __future__ import annotations

import enum
from typing import NamedTuple

from deepperf.knowledge import members
from deepperf.knowledge.schema import Trait
from deepperf.knowledge.words import (
    EVALUATING_METHODS,
    FREEZING_ATTRIBUTES,
    FREEZING_METHODS,
    TRAINING_SWITCH,
)
from deepperf.semantics.callgraph.callees import Callee, callees
from deepperf.semantics.forwards.costly import is_costly
from deepperf.semantics.forwards.terms import (
    EACH,
    LARGEST,
    Term,
    inlined,
    is_of_object,
    is_written_to,
    parts,
    size,
    term,
)
from deepperf.semantics.ir.table import LOOPS, Block, Kind, Op, Unit
from deepperf.semantics.objects.holds import holds
from deepperf.semantics.objects.origin import Origin, Place, UnitKey, What
from deepperf.semantics.program.program import Program
from deepperf.semantics.summaries.traits import facts_of, traits_of

LONGEST = 6
"""Calls in a row after which a run is too far away to be compared."""
_MOST = 60
"""Runs of one function, beyond which those that follow are left out."""
_RUNS = frozenset((Trait.RUNS_MODULE, Trait.RUNS_MODEL, Trait.INFERS, Trait.ASKS, Trait.PREDICTS))
_OF_WHOLE_MODELS = frozenset((Trait.RUNS_PARTS, Trait.RUNS_MODULE))
_OUTSIDE_GRADIENTS = frozenset((Trait.NO_GRADIENT, Trait.SWITCHES_GRADIENT))
_TELLING = {Kind.ATTRIBUTE: FREEZING_METHODS, Kind.SET_ATTRIBUTE: FREEZING_ATTRIBUTES}
_OF_ALL_MODELS = (
    members.MODEL_LISTINGS
    | members.WEIGHT_LISTINGS
    | FREEZING_METHODS
    | EVALUATING_METHODS.keys()
    | {"to", "cuda", "cpu"}
)
_ITSELF = ("forward", "__call__", "call")


class Sought(enum.Enum):
    """What is run."""

    MODELS = "models"
    OPERATIONS = "operations"  # of libraries, that are worth not doing twice

    __hash__ = object.__hash__


class Run(NamedTuple):
    """A run of a model, or an operation: what is run on what, inside which contexts.

    `chain` are the calls that lead to it, the first in the function itself.
    """

    model: Term
    given: Term
    contexts: tuple[Term, ...]
    chain: tuple[Place, ...]

    @property
    def what(self) -> tuple[Term, Term, Term]:
        """All that has to be equal for two runs to give the same."""
        return self.model, self.given, ("within", *self.contexts)


_NONE: tuple[Run, ...] = ()


def runs_in(program: Program, key: UnitKey, sought: Sought = Sought.MODELS) -> tuple[Run, ...]:
    """All runs that the calls of a function make, whatever conditions these stand under."""
    return program.answers.ask(_runs_in, (*key, sought), bottom=_NONE)


def _runs_in(program: Program, path: str, number: int, sought: Sought) -> tuple[Run, ...]:
    unit = program.unit((path, number))
    found: list[Run] = []
    for index in unit.calls:
        found += runs_by(program, (path, number, index), sought)
        if len(found) >= _MOST:
            break
    return tuple(found[:_MOST])


def runs_by(program: Program, call: Place, sought: Sought = Sought.MODELS) -> tuple[Run, ...]:
    """The runs that a call surely makes: itself, and in what it calls."""
    return program.answers.ask(_runs_by, (*call, sought), bottom=_NONE)


def _runs_by(
    program: Program, path: str, number: int, index: int, sought: Sought
) -> tuple[Run, ...]:
    unit, call = program.unit((path, number)), (path, number, index)
    own = (_own if sought is Sought.MODELS else _operation)(program, unit, call)
    found = [own] if own is not None else []
    alternatives = []
    for callee in _followed(program, unit, call, sought):
        target = program.unit(callee.unit)
        inside: dict[object, Run] = {}
        for run in runs_in(program, callee.unit, sought):
            if len(run.chain) < LONGEST and _is_sure(target, run):
                moved = Run(
                    inlined(program, call, callee, run.model),
                    inlined(program, call, callee, run.given),
                    tuple([inlined(program, call, callee, one) for one in run.contexts]),
                    (call, *run.chain),
                )
                if _can_be_equal(moved):
                    inside.setdefault(moved.what, moved)
        alternatives.append(inside)
    if alternatives and sought is Sought.MODELS and _is_any_object(program, unit, call):
        found += [run for one in alternatives for run in one.values()]
    elif alternatives:
        first, *others = alternatives
        found += [run for what, run in first.items() if all(what in one for one in others)]
    if not found:
        return _NONE
    around = contexts_of(program, unit, index)
    return tuple([run._replace(contexts=(*around, *run.contexts)) for run in found])


def _followed(program: Program, unit: Unit, call: Place, sought: Sought) -> tuple[Callee, ...]:
    """The functions in which runs are looked for: none where an object is made, and none of a
    model made of parts, which runs each on what the one before it gave.
    """
    held = holds(program, (*unit.key, program.op(call).args[0]))
    if Trait.RUNS_PARTS in traits_of(program, call) or any(o.what is What.CLASS for o in held):
        return ()
    run = callees(program, call)
    if sought is Sought.OPERATIONS and _may_run_less(program, call, run):
        return ()
    return run


def _may_run_less(program: Program, call: Place, run: tuple[Callee, ...]) -> bool:
    """Whether a call may run none of these functions, or not all of one: a generator runs as far
    as others ask for its elements.
    """
    return bool(facts_of(program, call)) or any(
        _is_generator(program.unit(one.unit)) for one in run
    )


def _is_generator(unit: Unit) -> bool:
    return any(op.kind is Kind.YIELD for op in unit.ops)


def _can_be_equal(run: Run) -> bool:
    """Whether another call could make the same run: none that rests on what this call makes."""
    if size(run.model) + size(run.given) > LARGEST:
        return False
    return not any(part[0] == "inside" for one in run.what[:2] for part in parts(one))


def _is_any_object(program: Program, unit: Unit, call: Place) -> bool:
    """Whether the object says what is run: that of one class in one program, of another in others.

    The next call with this object runs the method of the same class.
    """
    held = holds(program, (*unit.key, program.op(call).args[0]))
    return all(origin.what is not What.FUNCTION for origin in held)


def is_run(program: Program, call: Place) -> bool:
    """Whether a call by itself runs what is known to be a model."""
    return _own(program, program.unit(call[:2]), call) is not None


def _own(program: Program, unit: Unit, call: Place) -> Run | None:
    """The run that a call is by itself: none of what a function is passed, if that may be
    anything that can be called.
    """
    op = program.op(call)
    held = holds(program, (*unit.key, op.args[0]))
    callee = unit.ops[op.args[0]]
    if callee.data == "__init__":
        return None
    if not traits_of(program, call).isdisjoint(_RUNS):
        if held and all(_is_layer(program, origin) for origin in held):
            return None
    elif not (
        _runs_by_method(program, unit, call)
        or _is_switched(program, unit, call)
        or _is_told(unit, op.args[0])
    ):
        return None
    if len(op.args) == 1:
        return None
    index = callee.args[0] if _is_itself(callee) else op.args[0]
    return _fitting(term(program, (*unit.key, index)), _arguments(program, call), call)


def _operation(program: Program, unit: Unit, call: Place) -> Run | None:
    """The costly operation that a call is by itself; the object of a method is an operand."""
    if not is_costly(program, call) or is_written_to(program, call):
        return None
    what = term(program, (*unit.key, program.op(call).args[0]))
    given = _arguments(program, call)
    if not is_of_object(what):
        return _fitting(what, given, call)
    _, _, name, owner = what
    return _fitting(("constant", "method", name), (*given, ("argument", "self", owner)), call)


def _arguments(program: Program, call: Place) -> Term:
    op = program.op(call)
    arguments = [
        ("argument", "" if at < 0 else op.data[at], term(program, (*call[:2], operand)))
        for at, operand in enumerate(op.args[1:], len(op.data) - len(op.args) + 1)
    ]
    return ("given", *arguments)


def _fitting(what: Term, given: Term, call: Place) -> Run | None:
    """The run that a call is; None where what it needs is too large as terms."""
    run = Run(what, given, (), (call,))
    return run if size(what) + size(given) <= LARGEST else None


def _is_itself(callee: Op) -> bool:
    return callee.kind is Kind.ATTRIBUTE and callee.data in _ITSELF


def _is_layer(program: Program, origin: Origin) -> bool:
    """Whether it is a single layer of a library, cheap beside a model."""
    if origin.what is not What.OBJECT:
        return False
    own = program.knowledge.type(origin.name)
    if own is None or not own.call_traits.isdisjoint(_OF_WHOLE_MODELS):
        return False
    line = (program.knowledge.type(name) for name in program.knowledge.ancestry(origin.name))
    return not any(one is not None and Trait.RUNS_MODEL in one.call_traits for one in line)


def _runs_by_method(program: Program, unit: Unit, call: Place) -> bool:
    """Whether it is a method that a model of a library has besides those that all models have."""
    callee = unit.ops[program.op(call).args[0]]
    if callee.kind is not Kind.ATTRIBUTE or facts_of(program, call) or callees(program, call):
        return False
    if callee.data in members.EMBEDDINGS or _is_told(unit, callee.args[0]):
        return callee.data not in _OF_ALL_MODELS
    for origin in holds(program, (*unit.key, callee.args[0])):
        if origin.what is not What.OBJECT:
            continue
        for name in program.knowledge.ancestry(origin.name):
            known = program.knowledge.type(name)
            if known is not None and Trait.RUNS_MODULE in known.call_traits:
                return True
    return False


def _is_switched(program: Program, unit: Unit, call: Place) -> bool:
    """Whether something unknown is told not to behave as in training, as only models are."""
    op = program.op(call)
    if TRAINING_SWITCH not in op.data or callees(program, call) or facts_of(program, call):
        return False
    return (
        unit.ops[op.args[len(op.args) - len(op.data) + op.data.index(TRAINING_SWITCH)]].data
        is False
    )


def _is_told(unit: Unit, model: int) -> bool:
    """Whether something that is passed is told, in its function, what only models are told."""
    if unit.ops[model].kind is not Kind.PARAMETER:
        return False
    return any(_tells_model(unit, user) for user in unit.uses(model))


def _tells_model(unit: Unit, user: int) -> bool:
    op = unit.ops[user]
    if op.kind is Kind.ATTRIBUTE and op.data == "eval":
        return any(len(unit.ops[call].args) == 1 for call in unit.uses(user))
    return op.data in _TELLING.get(op.kind, ())


def contexts_of(program: Program, unit: Unit, index: int) -> tuple[Term, ...]:
    """The `with` blocks of its function around an operation, but for those on gradients alone."""
    found = []
    for region in unit.around(unit.ops[index].region):
        block = unit.regions[region]
        if block.block is Block.WITH:
            manager = (*unit.key, unit.ops[block.op].args[0])
            if traits_of(program, manager).isdisjoint(_OUTSIDE_GRADIENTS):
                found.append(term(program, manager))
    return tuple(found)


def goes_over(run: Run, key: UnitKey, region: int) -> bool:
    """Whether a run is made for each of the elements that a loop of a function goes over."""
    each = (EACH, *key, region)
    return any(part[:4] == each for one in run.what for part in parts(one))


def _is_sure(unit: Unit, run: Run) -> bool:
    """Whether a run is made whenever its function runs: once, or for each element of a list."""
    index = run.chain[0][2]
    for region in unit.around(unit.ops[index].region):
        block = unit.regions[region].block
        if block in LOOPS and not goes_over(run, unit.key, region):
            return False
        if block in (Block.THEN, Block.ELSE, Block.HANDLER):
            return False
    return not any(early < index for early in unit.returns)
