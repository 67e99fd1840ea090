"""Which functions run compiled: `tf.function`, `torch.compile`, `jax.jit`, and what they reach."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import NamedTuple

from deepperf.knowledge.schema import Fact, ParameterRole, Trait
from deepperf.semantics.callgraph.callees import callees, functions_at
from deepperf.semantics.compiled.fitted import RUNNING, fitted
from deepperf.semantics.ir.table import Block, Kind, Op, Unit
from deepperf.semantics.objects.holds import attribute_of, holds
from deepperf.semantics.objects.names import places_bound
from deepperf.semantics.objects.origin import Place, UnitKey, What
from deepperf.semantics.program.program import Program
from deepperf.semantics.summaries.traits import facts_of, traits_of

MOST_WAYS = 4
"""Compilers that reach one function; more are not told apart."""
LONGEST = 12
"""Calls from a compiled function beyond which what it reaches is not followed."""


_ENTERING = ("__enter__", "__exit__")
_ELSEWHERE = frozenset((Trait.CALLS_PYTHON, Trait.EXEMPTS, Trait.COMPILES, Trait.PRINTS))
"""What does not run the functions that it is passed as a part of the compiled code."""


class Way(NamedTuple):
    """How a function comes to be compiled: where a compiler is passed one, and the calls from it.

    `at` is the call of the compiler, or the decorator.
    """

    at: Place
    compiler: str
    chain: tuple[Place, ...] = ()


Compiled = Mapping[UnitKey, tuple[Way, ...]]
_NONE: Compiled = {}
Traced = tuple[tuple[Place, UnitKey], ...]
_UNTRACED: Traced = ()
Started = tuple[tuple[UnitKey, Way], ...]
_NOT_STARTED: Started = ()


def ways(program: Program, key: UnitKey) -> tuple[Way, ...]:
    """How a function comes to be compiled, the shortest way first; () where it is not seen to."""
    return program.answers.ask(_compiled, (), bottom=_NONE).get(key, ())


def reached_from(program: Program, at: Place) -> tuple[UnitKey, ...]:
    """The functions that come to be compiled by one compiler's call, or decorator."""
    compiled = program.answers.ask(_compiled, (), bottom=_NONE)
    return tuple(sorted(key for key, found in compiled.items() if any(w.at == at for w in found)))


def is_anything_compiled(program: Program) -> bool:
    """Whether a function of the project is seen to be compiled."""
    return any(
        program.answers.ask(_started, (path,), bottom=_NOT_STARTED) for path in _files(program)
    )


def compilers(program: Program, place: Place) -> tuple[Fact, ...]:
    """The compilers that a decorator or a call is, also of `partial(jax.jit, …)`."""
    facts: tuple[Fact | None, ...] = ()
    if program.op(place).kind is Kind.CALL:
        facts = facts_of(program, place)
    if not any(fact is not None and Trait.COMPILES in fact.traits for fact in facts):
        facts = tuple([program.fact(o.name) for o in holds(program, place) if o.name])
    return tuple([f for f in facts if f is not None and Trait.COMPILES in f.traits])


def _compiled(program: Program) -> Compiled:
    found: dict[UnitKey, tuple[Way, ...]] = {}
    pending: list[tuple[UnitKey, Way]] = []
    for path in _files(program):
        pending += program.answers.ask(_started, (path,), bottom=_NOT_STARTED)
    for key, way in pending:  # grows: breadth first, so that the shortest way comes first
        known = found.get(key, ())
        if any(way.at == other.at for other in known) or len(known) >= MOST_WAYS:
            continue
        if way.chain and _is_exempt(program, key):
            continue
        found[key] = (*known, way)
        if len(way.chain) < LONGEST:
            traced: Traced = program.answers.ask(_traced, key, bottom=_UNTRACED)
            pending += [(callee, way._replace(chain=(*way.chain, call))) for call, callee in traced]
    return found


def _files(program: Program) -> list[str]:
    words = program.knowledge.trigger_names((Trait.COMPILES, *RUNNING))
    return sorted({path for word in sorted(words) for path in program.naming(word)})


def _started(program: Program, path: str) -> Started:
    """The functions that a file passes to compilers."""
    found: list[tuple[UnitKey, Way]] = []
    names = program.knowledge.trigger_names((Trait.COMPILES,))
    for unit in program.table(path).units:
        for at in decorators(program, unit):
            found += [(unit.key, Way(at, fact.name)) for fact in compilers(program, at)]
        for index in unit.calls:
            place = (*unit.key, index)
            if not _may_compile(program, unit, unit.ops[unit.ops[index].args[0]], names):
                continue  # most calls: what they run need not be found out
            for fact in facts_of(program, place):
                if Trait.COMPILES in fact.traits:
                    for given in _given(unit, index, fact):
                        keys = functions_at(program, (*unit.key, given))
                        found += [(key, Way(place, fact.name)) for key in keys]
    # What a model is fitted by calls the steps that it has compiled.
    found += [(key, Way(at, name, (at,))) for at, name, key in fitted(program, path)]
    return tuple(dict.fromkeys(found))


def _may_compile(program: Program, unit: Unit, callee: Op, names: Collection[str]) -> bool:
    """Whether what is called may be a compiler, as far as its name and where that is bound tell."""
    if callee.kind is Kind.NAME and callee.data not in names:
        bound = (program.op(place).kind for place in places_bound(program, unit, callee.data))
        return any(kind not in (Kind.FUNCTION, Kind.CLASS) for kind in bound)
    if callee.kind is Kind.ATTRIBUTE:
        return callee.data in names
    return callee.kind is not Kind.FUNCTION


def decorators(program: Program, unit: Unit) -> tuple[Place, ...]:
    """The decorators of a function, as operations of the function or module around it."""
    if unit.kind != "function":
        return ()
    parent = program.unit((unit.path, unit.parent))
    return tuple([(*parent.key, index) for index in parent.ops[unit.definition].args])


def _given(unit: Unit, index: int, fact: Fact) -> Iterator[int]:
    """The operand that a call has compiled: an argument, or the object of a method."""
    op = unit.ops[index]
    positional = len(op.args) - 1 - len(op.data)
    for parameter in fact.parameters:
        if parameter.role is ParameterRole.FUNCTION:
            if parameter.name in op.data:
                yield op.args[1 + positional + op.data.index(parameter.name)]
            elif parameter.position is not None and parameter.position < positional:
                yield op.args[1 + parameter.position]
            return
    callee = unit.ops[op.args[0]]
    if callee.kind is Kind.ATTRIBUTE:
        yield callee.args[0]


def _is_exempt(program: Program, key: UnitKey) -> bool:
    """Whether a decorator keeps compilers away from a function, or from its class."""
    unit = program.unit(key)
    for at in (*decorators(program, unit), *_on_class(program, unit)):
        facts = (program.fact(origin.name) for origin in holds(program, at) if origin.name)
        own = frozenset().union(*[fact.traits for fact in facts if fact is not None])
        if Trait.EXEMPTS in own or Trait.EXEMPTS in traits_of(program, at):
            return True
    return False


def _on_class(program: Program, unit: Unit) -> tuple[Place, ...]:
    """The bases and decorators of the class that a method stands in."""
    around = program.unit((unit.path, max(unit.parent, 0)))
    if around.kind != "class":
        return ()
    parent = program.unit((unit.path, around.parent))
    return tuple([(*parent.key, index) for index in parent.ops[around.definition].args])


def _traced(program: Program, path: str, number: int) -> Traced:
    """The functions that a compiled function runs, compiled as well, and the calls that do."""
    unit = program.unit((path, number))
    found: list[tuple[Place, UnitKey]] = []
    for index in unit.calls:
        place = (path, number, index)
        if runs_eagerly(program, place):
            continue
        keys = [callee.unit for callee in callees(program, place)]
        traits = traits_of(program, place)
        if not keys and not traits & _ELSEWHERE:
            # What a library is passed it calls, or passes on to what it gives.
            for operand in unit.ops[index].args[1:]:
                if unit.ops[operand].kind is not Kind.STAR:
                    keys += functions_at(program, (path, number, operand))
        found += [(place, key) for key in dict.fromkeys(keys) if _is_function(program, key)]
    for index in [one for one, op in enumerate(unit.ops) if op.kind is Kind.ENTER]:
        place = (path, number, index)
        if not runs_eagerly(program, place):
            found += [(place, key) for key in _entered(program, place)]
    return tuple(dict.fromkeys(found))


def _entered(program: Program, place: Place) -> Iterator[UnitKey]:
    """The methods of the project that a `with` runs."""
    manager = (*place[:2], program.op(place).args[0])
    for origin in sorted(holds(program, manager)):
        for name in _ENTERING if origin.what is What.INSTANCE else ():
            methods = sorted(attribute_of(program, origin, name))
            yield from (one.place[:2] for one in methods if one.what is What.BOUND)


def _is_function(program: Program, key: UnitKey) -> bool:
    return program.unit(key).kind in ("function", "lambda")


def runs_eagerly(program: Program, place: Place) -> bool:
    """Whether an operation stands behind a question whether code is compiled."""
    unit = program.unit(place[:2])
    for region in unit.around(unit.ops[place[2]].region):
        block = unit.regions[region]
        if block.block in (Block.THEN, Block.ELSE) and _asks(program, unit, block.op):
            return True
    return False


def _asks(program: Program, unit: Unit, index: int) -> bool:
    """Whether a test asks if code is compiled."""
    pending, seen = [index], set[int]()
    while pending:
        number = pending.pop()
        if number in seen:
            continue
        seen.add(number)
        op = unit.ops[number]
        if op.kind is Kind.CALL:
            if Trait.TELLS_EAGER in traits_of(program, (*unit.key, number)):
                return True
        elif op.kind in (Kind.TEST, Kind.UNARY, Kind.LOGIC, Kind.PHI):
            pending.extend(op.args)
    return False
