"""Where functions are compiled or traced, what becomes of the result, and where that repeats."""

from __future__ import annotations

import ast
import itertools
from collections.abc import Iterator
from typing import TypeAlias

from msgspec import Struct

from deepperf.knowledge.schema import ParameterRole, Trait
from deepperf.semantics.calls import appliers, callers, callgraph, entrances
from deepperf.semantics.calls.reach import Path
from deepperf.semantics.execution import (
    built_sizes,
    contexts,
    dispatching,
    eagerness,
    graphs,
    sessions,
    unrolled,
)
from deepperf.semantics.execution.compiled_uses import Holder, Uses, holder_of, uses_of
from deepperf.semantics.execution.makings import Making
from deepperf.semantics.files.analysis import Analysis
from deepperf.semantics.invariance.certainty import Certainty
from deepperf.semantics.invariance.new_functions import is_made_anew
from deepperf.semantics.invariance.turns import Turn, varying
from deepperf.semantics.loops import loops, once, passes, trip_bounds
from deepperf.semantics.names.flow import Definition
from deepperf.semantics.names.scopes import (
    CallSite,
    Frame,
    Scope,
    last_name,
    parameters,
)
from deepperf.semantics.text import tree
from deepperf.semantics.values import classes, values

_Arrival: TypeAlias = tuple[CallSite, tuple[CallSite, ...], Scope | None, int | None]
FARTHEST_FACTORY = 3
FEW_CALLS = 32
"""Calls of a compiled function that take no longer than compiling it, by far."""
FEW_FOR_REQUEST = 100
"""The same where somebody waits for the answer."""
FEW_OF_MACHINE_CODE = 200
"""The same of what is compiled for the processor, and not only traced."""
FEW_OF_MACHINE_CODE_FOR_REQUEST = 600
"""The same where somebody waits: with JAX 0.10 compiling is half of a fit of 300 small steps."""
CALLS_OF_SEARCH = 100
"""Calls by what looks for a function's extremum: a few more for each of a few variables."""
MANY_TURNS = 100
"""Turns of which all that compile anew are felt, however long each of them is."""


class Again(Struct, frozen=True, eq=False):
    """A making that runs again: in each iteration of `loop`, or with None in each call of
    `handler`.

    `way` are the calls that lead to it. `inputs` are names of data, different each time, that
    are built into what is compiled. `is_long` where an iteration may call what it compiled many
    times.
    """

    loop: Frame | None
    handler: Scope | None
    way: tuple[CallSite, ...]
    inputs: tuple[str, ...]
    is_long: bool = False


def again(analysis: Analysis, made: Making) -> Iterator[Again]:
    """The loops and request handlers that compile one function again and again, in vain.

    Left out are those where the result is kept, belongs to an object of the iteration, or differs
    from turn to turn and serves one long enough to be worth it, and those where the framework finds
    what it compiled.
    """
    for site, inner, uses in _arrivals(analysis, made):
        for loop, way in graphs.repeats(analysis, site):
            found = _judged(analysis, made, Turn(loop, None, (*way, site, *inner)), uses, site)
            if found is not None:
                yield found
        for loop, way in _searches(analysis, site):
            found = _judged(analysis, made, Turn(loop, None, (*way, site, *inner)), uses, site)
            if found is not None:
                yield found
        request = sessions.request_path(analysis, site)
        if request is not None:
            handler, calls = request
            turn = Turn(None, handler, (*calls, site, *inner))
            found = _judged(analysis, made, turn, uses, site)
            if found is not None:
                yield found


def serves_one_call(analysis: Analysis, made: Making) -> bool:
    """Whether what others may call compiles a function anew, to call it there and then.

    Of a method that nothing in the project calls, nobody knows how often it is called; but what
    it compiles, itself or through what it calls, each call throws away.
    """
    function, node = made.site.scope, made.site.scope.node
    if (
        made.runs_at_once  # whoever calls the method may have compiled it
        or made.site.loops
        or not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
    ):
        return False
    if not entrances.is_asked_from_outside(analysis, function):
        return False
    uses = uses_of(analysis, made.site, made.decorated)
    if uses.kept or uses.handed or uses.returned or uses.called_later or not uses.called_at:
        return False
    if any(called.loops for called in uses.called_at):
        return False
    if once.runs_once(analysis, made.site, None):
        return False
    turn = Turn(None, function, (made.site,))
    is_given = any(_comes_from_given(analysis, called, function) for called in uses.called_at)
    return is_given and _judged(analysis, made, turn, uses, made.site) is not None


def _comes_from_given(analysis: Analysis, called: CallSite, function: Scope) -> bool:
    """Whether a call works on what a function is given.

    In an object that is there to be called that may be what it makes of that: each call of it
    does, while what a method reads, say a path, may lead to all that there is to do.
    """
    node = function.node
    if isinstance(node, (ast.Module, ast.ClassDef)):
        return False
    is_method = classes.enclosing_class(function) is not None
    given = {parameter.arg for parameter in parameters(node)[is_method:]}
    pending: list[ast.AST] = [*tree.arguments(called.node)]
    followed: set[Definition] = set()
    while pending:
        names = [part for part in tree.walk(pending.pop()) if isinstance(part, ast.Name)]
        if any(name.id in given for name in names):
            return True
        if function.name not in callgraph.CALLED_AS:
            continue
        for name in names:
            fresh = set(values.definitions_of(analysis, name, function)) - followed
            followed |= fresh
            pending += [one.value for one in fresh if one.value is not None]
    return False


def _arrivals(
    analysis: Analysis, made: Making
) -> Iterator[tuple[CallSite, tuple[CallSite, ...], Uses]]:
    """The calls that use what is made: the making itself, or calls of functions returning it."""
    if made.runs_at_once:
        yield made.site, (), Uses(called_at=[made.site])
        return
    level: list[_Arrival] = [(made.site, (), made.decorated, None)]
    for _ in range(FARTHEST_FACTORY):
        following: list[_Arrival] = []
        for site, inner, decorated, part in level:
            uses = uses_of(analysis, site, decorated, part)
            if not uses.kept and uses.are_calls:
                yield site, inner, uses
            if not uses.returned or uses.kept or once.runs_once(analysis, site, None):
                continue
            following += [
                (caller, (site, *inner), None, uses.returned_part)
                for caller in callers.callers(analysis, site.scope)
            ]
        level = following


def _searches(analysis: Analysis, site: CallSite) -> Iterator[Path]:
    """The searches for an extremum that run a call each time, with the calls that lead to it."""
    way: tuple[CallSite, ...] = ()
    function = site.scope
    for _ in range(FARTHEST_FACTORY):
        if once.runs_once(analysis, way[0] if way else site, None):
            return
        for loop, search in appliers.searches(analysis, function):
            yield loop, (search, *way)
        calling = callers.callers(analysis, function)
        if len(calling) != 1:
            return
        way, function = (calling[0], *way), calling[0].scope


def _judged(
    analysis: Analysis, made: Making, turn: Turn, uses: Uses, site: CallSite
) -> Again | None:
    if any(contexts.is_traced(analysis, place.scope) for place in turn.places):
        return None
    # What a factory made may be compiled where it is asked for.
    if any(
        eagerness.enters_compiled(analysis, place, following.scope)
        for place, following in itertools.pairwise(turn.places)
    ):
        return None
    if not _compiles_anew(analysis, made, turn):
        return None
    if made.runs_at_once and not _runs_eagerly(analysis, turn):
        return None
    inputs: tuple[str, ...] = ()
    rests_on = [(made.function, made.site.scope, made.decorated)]
    rests_on += [(other, made.site.scope, None) for other in made.others]
    holder = _holder(analysis, turn, uses, site)
    if holder is None:
        rests_on += [(base, site.scope, None) for base in uses.bases]
    for expression, scope, decorated in rests_on:
        found = varying(analysis, expression, scope, turn, decorated)
        if found is None:
            return None
        inputs += found
    if inputs and built_sizes.are_sizes(analysis, made, inputs):
        return None
    long = _serves_long(analysis, made, turn, uses, site, holder)
    serves_long = long is not Certainty.NO
    is_long = serves_long and not _is_short(analysis, turn)
    # Of code elsewhere it is not known that it calls it often, or that an iteration compiles.
    is_seen = turn.loop in site.frames and not (uses.handed or uses.called_later)
    if is_long and is_seen:
        return None
    if serves_long and inputs:
        # An epoch is long, but the next one goes on with what this one has compiled for.
        is_epoch = turn.loop is not None and (
            passes.over(analysis, turn.loop) is loops.LoopOver.EPOCHS
        )
        # Who asks waits for as many steps as they may like, and for machine code each time.
        is_awaited = turn.handler is not None and Trait.COMPILES_AT_LENGTH in made.fact.traits
        if not is_epoch and not (is_awaited and long is Certainty.UNKNOWN):
            return None
        is_long = True
    return Again(turn.loop, turn.handler, turn.places[:-1], tuple(dict.fromkeys(inputs)), is_long)


def _compiles_anew(analysis: Analysis, made: Making, turn: Turn) -> bool:
    traits = made.fact.traits
    if Trait.FINDS_SAME_CODE in traits:
        backend = callgraph.role_argument(made.site.node, made.fact, ParameterRole.BACKEND)
        if backend is None and isinstance(made.node, ast.Call):
            backend = callgraph.role_argument(made.node, made.fact, ParameterRole.BACKEND)
        return backend is not None and is_made_anew(analysis, backend, made.site.scope, turn)
    if Trait.FINDS_SAME_FUNCTION in traits and made.decorated is None:
        is_by_value = Trait.FINDS_EQUAL_FUNCTION in traits
        return any(
            is_made_anew(analysis, function, made.site.scope, turn)
            for function in (made.function, *made.others)
            # What is read of an object is equal each time, if it is one of its methods.
            if not (is_by_value and isinstance(function, ast.Attribute))
        )
    return True


def _runs_eagerly(analysis: Analysis, turn: Turn) -> bool:
    """Whether Python is known to run what leads to a place, and no tracer."""
    if turn.loop is not None and not eagerness.turns_untraced(analysis, turn.loop):
        return False
    if unrolled.stands_beside_scan(analysis, turn):
        return False
    return not any(
        eagerness.is_traced_once(analysis, place.scope)
        or dispatching.has_unknown_decorator(analysis, place.scope)
        for place in turn.places
    )


def _holder(analysis: Analysis, turn: Turn, uses: Uses, site: CallSite) -> Holder | None:
    """The object of the iteration that holds what is compiled, and is gone when the iteration has
    ended.
    """
    made = turn.place_before(site.scope) if uses.bases else None
    return holder_of(analysis, uses, site, made) if made is not None else None


def _serves_long(
    analysis: Analysis,
    made: Making,
    turn: Turn,
    uses: Uses,
    site: CallSite,
    holder: Holder | None,
) -> Certainty:
    """Whether one iteration may call what it compiled many times; unknown is how often a loop
    turns.
    """
    if made.runs_at_once:
        return Certainty.YES if _turns_long(analysis, made) else Certainty.NO
    if uses.called_later or uses.handed:
        return Certainty.YES
    few = _few(made, turn)
    if uses.searched_by and few < CALLS_OF_SEARCH:
        return Certainty.YES
    found = Certainty.NO
    called_at = [(called, site) for called in (*uses.called_at, *uses.searched_by)]
    if holder is not None:
        called_at += [(called, holder.made) for called in holder.asked]
    for called, maker in called_at:
        for frame in called.frames[_depth_of_turn(called, turn) :]:
            if frame.is_loop and (
                frame not in maker.frames or once.runs_once(analysis, maker, frame)
            ):
                counted = trip_bounds.trips_asked(analysis, frame)
                if counted is None:
                    found = Certainty.UNKNOWN
                elif counted > few:
                    return Certainty.YES
    if called_at or not uses.bases:
        return found
    return Certainty.NO if _calls_attribute(turn, uses) else Certainty.YES


def _few(made: Making, turn: Turn) -> int:
    """Calls of what is compiled that take no longer than compiling it."""
    if Trait.COMPILES_AT_LENGTH in made.fact.traits:
        return FEW_OF_MACHINE_CODE if turn.handler is None else FEW_OF_MACHINE_CODE_FOR_REQUEST
    return FEW_CALLS if turn.handler is None else FEW_FOR_REQUEST


def _turns_long(analysis: Analysis, made: Making) -> bool:
    """Whether what a call compiles and runs is known to be a loop of many iterations."""
    call, scope = made.site.node, made.site.scope
    steps = callgraph.role_argument(call, made.fact, ParameterRole.STEPS)
    gone_over = callgraph.role_argument(call, made.fact, ParameterRole.ELEMENTS)
    counts = [trip_bounds.number(analysis, steps, scope)] if steps is not None else []
    counts += [trip_bounds.length(analysis, gone_over, scope)] if gone_over is not None else []
    return any(count is not None and count > FEW_OF_MACHINE_CODE for count in counts)


def _depth_of_turn(site: CallSite, turn: Turn) -> int:
    """How many of the frames around a call are outside of the iteration."""
    return site.frames.index(turn.loop) + 1 if turn.loop in site.frames else 0


def _calls_attribute(turn: Turn, uses: Uses) -> bool:
    """Whether the functions on the way call the attribute that holds it, once in an iteration."""
    names = {base.attr for base in uses.bases if isinstance(base, ast.Attribute)}
    for index, place in enumerate(turn.places):
        for other in place.scope.calls:
            if last_name(other.node.func) in names:
                loops = other.loops
                around = place.loops
                if loops == around or (index and not loops):
                    return True
    return False


def _is_short(analysis: Analysis, turn: Turn) -> bool:
    """Whether an iteration is a step or an epoch, and not a whole training run.

    What is to be gone through hundreds of times, where nobody says otherwise, is such a step.
    """
    if turn.loop is None or len(turn.places) == 1:
        return True
    over = passes.over(analysis, turn.loop)
    if over in (loops.LoopOver.EPOCHS, loops.LoopOver.BATCHES):
        return True
    counted = trip_bounds.trips_asked(analysis, turn.loop) if over is loops.LoopOver.STEPS else None
    return counted is not None and counted >= MANY_TURNS
