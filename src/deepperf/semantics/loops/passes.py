"""Whether an iteration of a loop is a pass over data, step by step: an epoch."""

from __future__ import annotations

from collections.abc import Callable

from deepperf.knowledge.schema import Fact, Trait
from deepperf.semantics.calls import callgraph, reach
from deepperf.semantics.execution import graphs
from deepperf.semantics.files.analysis import Analysis
from deepperf.semantics.loops import loops
from deepperf.semantics.loops.loops import LoopOver
from deepperf.semantics.names.scopes import CallSite, Frame, Scope

_PASSES = frozenset((Trait.FITS, Trait.EVALUATES))
_RECORDS = frozenset((Trait.CREATES_DATASET, Trait.READS_FILE))
_STEPS = frozenset((Trait.TRAINS, Trait.FITS, Trait.STEPS_TRAINING, Trait.RUNS_SESSION))
_STEPS |= frozenset((Trait.PREDICTS, Trait.EVALUATES))
_TRAINING = frozenset((Trait.TRAINS, Trait.FITS, Trait.STEPS_TRAINING))
_Test = Callable[[Analysis, Frame], bool]


def over(analysis: Analysis, loop: Frame) -> LoopOver:
    """What an iteration stands for: an epoch where the loop counts what goes through steps."""
    found = loops.over(analysis, loop)
    is_counted = found is LoopOver.STEPS and loops.iterable_of(loop) is not None
    return LoopOver.EPOCHS if is_counted and _leads(analysis, loop, _trains_on) else found


def goes_through_steps(analysis: Analysis, loop: Frame) -> bool:
    """Whether an iteration has a loop over steps of its own, in functions that it calls too.

    Steps run a session or a model, or are the batches of a data set; a file of records is one.
    """
    return _leads(analysis, loop, _takes_steps)


def _leads(analysis: Analysis, loop: Frame, are_steps: _Test) -> bool:
    def find() -> bool:
        return any(are_steps(analysis, inner) for inner in loops.loops_within(loop)) or _called(
            analysis, loops.sites_in(analysis, loop), are_steps
        )

    return analysis.remember(("leads to steps", are_steps, loop.node), find, otherwise=False)


def _runs(analysis: Analysis, function: Scope, are_steps: _Test) -> bool:
    def find() -> bool:
        analysis.module_of(function)
        return any(are_steps(analysis, loop) for loop in function.loops) or _called(
            analysis, tuple(function.calls), are_steps
        )

    return analysis.remember(("runs through steps", are_steps, function), find, otherwise=False)


def _called(analysis: Analysis, sites: tuple[CallSite, ...], are_steps: _Test) -> bool:
    for site in sites:
        fact = callgraph.fact_of(analysis, callgraph.callee(analysis, site))
        if fact is not None and (_is_pass(fact) or fact.traits >= _RECORDS):
            return True
        if any(
            _runs(analysis, target.function, are_steps)
            for target in callgraph.targets(analysis, site)
        ):
            return True
    return False


def _is_pass(fact: Fact) -> bool:
    """Whether it goes through a data set; what predicts may be asked about a single row."""
    if not _PASSES.isdisjoint(fact.traits):
        return True
    return Trait.TRAINS in fact.traits and Trait.PREDICTS not in fact.traits


def _takes_steps(analysis: Analysis, loop: Frame) -> bool:
    return not loops.is_tiny(analysis, loop) and (
        loops.over(analysis, loop) is LoopOver.BATCHES
        or graphs.loop_runs_session(analysis, loop)
        or bool(reach.reached_sites(analysis, loop, _STEPS))
    )


def _trains_on(analysis: Analysis, loop: Frame) -> bool:
    """Whether it takes one step after the other: what runs a session for each of some variables
    does not.
    """
    if loops.over(analysis, loop) in (LoopOver.BATCHES, LoopOver.STEPS):
        return _takes_steps(analysis, loop)
    is_tiny = loops.is_tiny(analysis, loop)
    return not is_tiny and bool(reach.reached_sites(analysis, loop, _TRAINING))
