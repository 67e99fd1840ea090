"""Loops within a turn that go over things which the turn has in common with others.

Whoever goes through a data set again in each epoch does that on purpose; whoever goes through a
list of names, kernels or prompts for each batch does the same for each batch.
"""

from __future__ import annotations

import ast

from deepperf.semantics.calls import effects
from deepperf.semantics.files.analysis import Analysis
from deepperf.semantics.loops import loops, pace, passes
from deepperf.semantics.loops.loops import LoopOver
from deepperf.semantics.loops.pace import Pace
from deepperf.semantics.names.scopes import COMPREHENSIONS, Frame, Scope, last_name
from deepperf.semantics.text import tree
from deepperf.semantics.values import classes, values
from deepperf.semantics.values.terms import Display, Instance, Object, Term

_CONTAINERS = frozenset(
    ("builtins.dict", "builtins.list", "builtins.set", "collections.defaultdict")
) | {"collections.OrderedDict", "collections.deque"}

_ITERATORS = frozenset(("enumerate", "filter", "iter", "map", "open", "reversed", "zip"))


def may_go_over_things(loop: Frame) -> bool:
    """Whether `goes_over_things`, which may lead far, is worth asking, by the loop's own words."""
    if not isinstance(loop.node, (ast.For, *COMPREHENSIONS)):
        return False
    if len(getattr(loop.node, "generators", ())) > 1:
        return False
    return loops.iterable_of(loop) is not None


def goes_over_things(analysis: Analysis, loop: Frame) -> bool:
    """Whether a loop goes over a list of things, and not over data, numbers or steps."""
    iterable = loops.iterable_of(loop)
    if iterable is None or not may_go_over_things(loop):
        return False
    if passes.over(analysis, loop) not in (LoopOver.ITEMS, LoopOver.PARTS):
        return False
    held = values.evaluate(analysis, iterable, loop.scope)
    # What is made empty is filled, be it in ways that the text does not tell, or it is replaced.
    is_replaced = any(isinstance(one, Display) and not _is_made_empty(one) for one in held)
    if any(_is_made_empty(one) for one in held) and not is_replaced:
        return False
    if any(_begins_anew(analysis, one) for one in held):
        return False
    if _is_used_up(analysis, iterable, loop.scope):
        return False
    return not passes.goes_through_steps(analysis, loop)


def _is_used_up(analysis: Analysis, iterable: ast.expr, scope: Scope) -> bool:
    """Whether a name holds an iterator that is made once: the next turn finds nothing in it."""
    if not isinstance(iterable, ast.Name):
        return False
    return any(
        not definition.loops
        and (
            isinstance(definition.value, ast.GeneratorExp)
            or (
                isinstance(definition.value, ast.Call)
                and last_name(definition.value.func) in _ITERATORS
            )
        )
        for definition in values.definitions_of(analysis, iterable, scope)
    )


def _begins_anew(analysis: Analysis, held: Term) -> bool:
    """Whether an object may give something else each time that it is gone through."""
    if not isinstance(held, Object):
        return False
    if classes.method_of(analysis, held.cls, "__next__") is not None:
        return True
    begin = classes.method_of(analysis, held.cls, "__iter__")
    if not isinstance(begin, Scope):
        return False
    return any(_does_more(analysis, one) for one in (begin, *classes.overriding(analysis, begin)))


def _does_more(analysis: Analysis, function: Scope) -> bool:
    """Whether a function may leave traces, or what it gives rests on more than its object."""
    analysis.module_of(function)
    calls = (site for site in function.calls if last_name(site.node.func) not in _ITERATORS)
    return bool(effects.of_function(analysis, function) & effects.ONCE) or any(
        effects.of_call(analysis, site) & effects.UNKNOWN_EFFECTS for site in calls
    )


def _is_made_empty(held: Term) -> bool:
    if isinstance(held, Instance):
        is_container = held.type in _CONTAINERS
        return is_container and isinstance(held.site, ast.Call) and not tree.arguments(held.site)
    if not isinstance(held, Display) or isinstance(held.node, COMPREHENSIONS):
        return False
    return not (held.node.keys if isinstance(held.node, ast.Dict) else held.node.elts)


def turns_for_steps(analysis: Analysis, loop: Frame) -> bool:
    """Whether the turns of a loop are steps, and not passes over all there is."""
    over = passes.over(analysis, loop)
    return over is not LoopOver.EPOCHS and pace.pace(analysis, loop) is not Pace.SELDOM
