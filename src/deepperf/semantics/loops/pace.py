"""How often a loop turns, and whether a turn does so much that little else is felt beside it."""

from __future__ import annotations

import ast
import enum
from collections.abc import Iterator

from deepperf.knowledge import members
from deepperf.knowledge.schema import Fact, Trait
from deepperf.semantics.calls import callgraph, hooks, reach
from deepperf.semantics.cost import other_work
from deepperf.semantics.execution import graphs
from deepperf.semantics.files.analysis import Analysis
from deepperf.semantics.loops import loops
from deepperf.semantics.loops.loops import LoopOver
from deepperf.semantics.names.scopes import COMPREHENSIONS, CallSite, Frame, Scope, last_name
from deepperf.semantics.text import tree
from deepperf.semantics.values import filled, values
from deepperf.semantics.values.terms import Display, Generated

MANY = 100
"""Turns from which what each of them adds is felt, however much else a turn does."""
_RUNS = frozenset("checkpoint checkpoints ckpt ckpts seed seeds".split())  # noqa: SIM905
"""What a training leaves behind, or is begun anew with; each takes a training."""
_FEW = _RUNS.union(
    "class classes confusion fold folds metric metrics stage stages".split()  # noqa: SIM905
)
_MODEL_PARTS = frozenset(
    """branch branches codebook codebooks expert experts latent latents layer layers level levels
    quantile quantiles scale scales tower towers""".split()  # noqa: SIM905
)
"""Words with which programs name what a model has few of; of `_FEW`, any program has few."""
_MEANING_NOTHING = frozenset(("list", "num", "obj", "object", "objects", "objs"))
_NUMBERS = frozenset(("idx", "index"))
_FILES = frozenset(("file", "filename", "files", "path", "paths"))
_PASSES = frozenset((Trait.FITS, Trait.EVALUATES))
_RECORDS = frozenset((Trait.CREATES_DATASET, Trait.READS_FILE))
_STEPS = frozenset((Trait.TRAINS, Trait.FITS, Trait.STEPS_TRAINING, Trait.RUNS_SESSION))
_STEPS |= frozenset((Trait.PREDICTS, Trait.EVALUATES))
_LISTED = (LoopOver.EPOCHS, LoopOver.ITEMS, LoopOver.PARTS)


class Pace(enum.Enum):
    """How often a loop turns, as far as the text tells."""

    OFTEN = "often"  # a known number of times, without end, or once for each batch or element
    SELDOM = "seldom"  # turns go through many steps, or draw, or are of a few kinds
    UNKNOWN = "unknown"


def pace(analysis: Analysis, loop: Frame) -> Pace:
    return analysis.remember(("pace", loop.node), lambda: _pace(analysis, loop), Pace.UNKNOWN)


def _pace(analysis: Analysis, loop: Frame) -> Pace:
    trips = loops.trips(analysis, loop)
    if trips is not None and trips <= loops.TINY:
        return Pace.SELDOM
    over = loops.over(analysis, loop)
    if _is_epoch(analysis, loop, over) or hooks.is_each_epoch(analysis, loop):
        return Pace.SELDOM
    if trips is not None and trips >= MANY:
        return Pace.OFTEN
    if isinstance(loop.node, ast.While) or _goes_on(analysis, loop):
        return Pace.OFTEN
    if _named(loop, _FEW) or other_work.draws_panel(analysis, loop):
        return Pace.SELDOM
    # The rows of an array may bear the name of what models have few of: `for day in water_levels`.
    if over in (LoopOver.BATCHES, LoopOver.ELEMENTS):
        return Pace.OFTEN
    if are_parts_of_models(loop) or _is_filled_by_parts(analysis, loop):
        return Pace.SELDOM
    # Of things in a list there may be thousands; there are few that each take a training or a
    # pass through a data set, and few that one picture shows. Numbered steps may be any number.
    if over in _LISTED and (
        len(kinds(loop)) > 1
        or other_work.draws_picture(analysis, loop)
        or goes_through_steps(analysis, loop)
    ):
        return Pace.SELDOM
    return Pace.UNKNOWN


def _goes_on(analysis: Analysis, loop: Frame) -> bool:
    """Whether it goes over what a generator gives in a `while` loop: frames, messages."""
    return any(
        isinstance(term, Generated) and _yields_in_while(term.scope)
        for part in loops.gone_over(analysis, loop)
        for term in values.evaluate(analysis, part, loop.scope)
    )


def _yields_in_while(generator: Scope) -> bool:
    turning = [loop for loop in generator.loops if isinstance(loop.node, ast.While)]
    within = {id(value) for loop in turning for value in tree.walk(loop.node)}
    return bool(turning) and all(id(value) in within for value in generator.yields)


def _is_epoch(analysis: Analysis, loop: Frame, over: LoopOver) -> bool:
    """Whether a turn is a pass over a data set: it is called so, or goes on batch by batch."""
    if over is LoopOver.EPOCHS:
        return goes_through_steps(analysis, loop)
    return over is LoopOver.STEPS and any(
        strides(inner) and _takes_steps(analysis, inner) for inner in loops.loops_within(loop)
    )


def strides(loop: Frame) -> bool:
    """Whether it counts on by more than one, as from batch to batch: `range(0, n, size)`."""
    iterable = loops.iterable_of(loop)
    if iterable is None:
        return False
    return any(
        isinstance(part, ast.Call) and last_name(part.func) == "range" and len(part.args) > 2
        for part in tree.walk(iterable)
    )


def are_parts_of_models(loop: Frame) -> bool:
    """Whether it goes over, or counts, layers or the like, by name."""
    return _named(loop, _MODEL_PARTS)


def _is_filled_by_parts(analysis: Analysis, loop: Frame) -> bool:
    """Whether it goes over a list to which loops over a model's parts add, and no others."""
    iterable = loops.iterable_of(loop)
    if not isinstance(iterable, ast.Name):
        return False
    held = values.evaluate(analysis, iterable, loop.scope)
    if not held or not all(isinstance(t, Display) and filled.is_filled(analysis, t) for t in held):
        return False
    adding = [
        site
        for site in loop.scope.calls
        if isinstance(site.node.func, ast.Attribute)
        and site.node.func.attr in members.CONTAINER_ADDITIONS
        and getattr(site.node.func.value, "id", "") == iterable.id
    ]
    return bool(adding) and all(
        bool(site.loops) and all(are_parts_of_models(one) for one in site.loops) for site in adding
    )


def _named(loop: Frame, words: frozenset[str]) -> bool:
    target = getattr(loop.node, "target", None)
    parts = [target, loops.iterable_of(loop)]
    if isinstance(loop.node, COMPREHENSIONS):
        target = loop.node.generators[0].target
        parts.append(target)
    return any(
        _ends_with(name, words, _NUMBERS if whole is target else frozenset())
        for whole in parts
        if whole is not None
        for part in tree.walk(whole)
        for name in (str(getattr(part, "id", "") or getattr(part, "attr", "")),)
    )


def _ends_with(name: str, wanted: frozenset[str], besides: frozenset[str]) -> bool:
    """Whether a name ends with the word for what is few; `class_ids` are those of many samples.

    A file may hold one checkpoint; of a class there are many files. `besides` may stand behind,
    too: `fold_index` counts folds.
    """
    words = name.lower().split("_")
    while len(words) > 1 and words[-1] in _MEANING_NOTHING | besides:
        words.pop()
    if len(words) > 1 and words[-1] in _FILES and words[-2] in _RUNS:
        words.pop()
    return words[-1] in wanted or (
        words[-1] in ("matrix", "names") and not wanted.isdisjoint(words)
    )


def goes_through_steps(analysis: Analysis, loop: Frame) -> bool:
    """Whether one turn has a loop over steps of its own, in functions that it calls too.

    Steps run a session or a model, or are the batches of a data set; a file of records is one.
    """

    def find() -> bool:
        return any(
            _takes_steps(analysis, inner) for inner in loops.loops_within(loop)
        ) or _sites_take_steps(analysis, loops.sites_in(analysis, loop))

    return analysis.remember(("goes through steps", loop.node), find, otherwise=False)


def runs_through_steps(analysis: Analysis, function: Scope) -> bool:
    """Whether one call of a function has a loop over steps, in functions that it calls too."""

    def find() -> bool:
        analysis.module_of(function)
        return any(_takes_steps(analysis, loop) for loop in function.loops) or _sites_take_steps(
            analysis, tuple(function.calls)
        )

    return analysis.remember(("runs through steps", function), find, otherwise=False)


def _sites_take_steps(analysis: Analysis, sites: tuple[CallSite, ...]) -> bool:
    for site in sites:
        fact = callgraph.fact_of(analysis, callgraph.callee(analysis, site))
        if fact is not None and (_is_pass(fact) or fact.traits >= _RECORDS):
            return True
        if any(
            runs_through_steps(analysis, target.function)
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


def kinds(loop: Frame) -> frozenset[str]:
    """The words that a turn compares its item with: a program knows few kinds of a thing."""
    target = getattr(loop.node, "target", None)
    if not isinstance(target, ast.Name):
        return frozenset()
    return frozenset(
        word
        for part in tree.walk(loop.node)
        if isinstance(part, ast.Compare)
        and isinstance(part.left, ast.Name)
        and part.left.id == target.id
        and isinstance(part.ops[0], (ast.Eq, ast.In))
        for word in _words(part.comparators[0])
    )


def _words(node: ast.expr) -> Iterator[str]:
    parts = node.elts if isinstance(node, (ast.Tuple, ast.List, ast.Set)) else [node]
    for part in parts:
        if isinstance(part, ast.Constant) and isinstance(part.value, str):
            yield part.value
