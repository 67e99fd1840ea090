"""What a loop goes over, how often it turns, and which calls its iterations make."""

from __future__ import annotations

import ast
import enum

from deepperf.knowledge import members
from deepperf.semantics.calls import appliers, callgraph, hooks
from deepperf.semantics.files.analysis import Analysis
from deepperf.semantics.loops import lengths
from deepperf.semantics.names.flow import Binding
from deepperf.semantics.names.scopes import COMPREHENSIONS, CallSite, Frame, Scope
from deepperf.semantics.text import tree
from deepperf.semantics.values import classes, elements, values
from deepperf.semantics.values.terms import Instance, Object

_LISTINGS = members.MODEL_PARTS | members.MODEL_LISTINGS | members.MAPPING_LISTINGS
_FIELDS = ("_fields", "__dataclass_fields__")
"""The names of what a named tuple, or a record, has."""
_VARIABLE = "tensorflow.Variable"
TINY = lengths.TINY


class LoopOver(enum.Enum):
    """What each iteration of a loop stands for."""

    BATCHES = "batches"
    EPOCHS = "epochs"
    STEPS = "steps"
    ELEMENTS = "elements"  # of an array or tensor
    ITEMS = "items"
    PARTS = "parts"  # entries of a dictionary, or a model's layers or weights: mostly few


def iterable_of(loop: Frame) -> ast.expr | None:
    """What a `for` loop, a comprehension or `map(f, …)` goes over; None for `while`."""
    node = loop.node
    if isinstance(node, (ast.For, ast.AsyncFor)):
        return node.iter
    if isinstance(node, COMPREHENSIONS):
        return node.generators[0].iter
    if isinstance(node, ast.Call) and len(node.args) == 2 and appliers.is_of_python(node):
        return node.args[1]
    return None


def targets(loop: Frame) -> set[str]:
    """The names that a loop or comprehension binds to what it goes over."""
    node = loop.node
    if isinstance(node, (ast.For, ast.AsyncFor)):
        return tree.names_in(node.target)
    generators = node.generators if isinstance(node, COMPREHENSIONS) else []
    return tree.names_in(*(generator.target for generator in generators))


def gone_over(analysis: Analysis, loop: Frame) -> tuple[ast.expr, ...]:
    """What a loop goes over: the parts of a `zip` or `enumerate`, else one thing or none."""
    iterable = iterable_of(loop)
    if iterable is not None:
        iterable = elements.bare(analysis, iterable, loop.scope)
    if isinstance(iterable, ast.Call):
        names = callgraph.external_names(values.evaluate(analysis, iterable.func, loop.scope))
        if names in (("builtins.zip",), ("builtins.enumerate",)) and iterable.args:
            return tuple(iterable.args)
    return () if iterable is None else (iterable,)


def trips(analysis: Analysis, loop: Frame) -> int | None:
    """How often the loop turns at most, when the program's text tells; else None."""
    iterable = iterable_of(loop)
    if iterable is None:
        return None
    return lengths.length(analysis, iterable, loop.scope)


def is_tiny(analysis: Analysis, loop: Frame) -> bool:
    """Whether the text tells that a loop turns only a few times."""
    found = trips(analysis, loop)
    return found is not None and found <= TINY


def over(analysis: Analysis, loop: Frame) -> LoopOver:
    """What an iteration of the loop stands for, judged by what it iterates over."""
    iterable = iterable_of(loop)
    if iterable is None:
        return LoopOver.EPOCHS if hooks.is_each_epoch(analysis, loop) else LoopOver.STEPS
    iterable = elements.bare(analysis, iterable, loop.scope)
    for term in values.evaluate(analysis, iterable, loop.scope):
        types = (
            classes.instance_type(analysis, term) if isinstance(term, (Instance, Object)) else ()
        )
        if any(name in types for name in values.ARRAY_TYPES):
            return LoopOver.ELEMENTS
        if "tensorflow.data.Dataset" in types or "torch.utils.data.DataLoader" in types:
            return LoopOver.BATCHES
    if any(_are_parts(analysis, part, loop.scope) for part in gone_over(analysis, loop)):
        return LoopOver.PARTS
    if isinstance(iterable, ast.Call):
        names = callgraph.external_names(values.evaluate(analysis, iterable.func, loop.scope))
        if names and names[0] == "builtins.enumerate" and iterable.args:
            for term in values.evaluate(analysis, iterable.args[0], loop.scope):
                if isinstance(term, (Instance, Object)) and not {
                    "tensorflow.data.Dataset",
                    "torch.utils.data.DataLoader",
                }.isdisjoint(classes.instance_type(analysis, term)):
                    return LoopOver.BATCHES
        if len(names) == 1 and names[0] in elements.RANGES:
            return LoopOver.STEPS
    return LoopOver.ITEMS


def _are_parts(analysis: Analysis, node: ast.expr, scope: Scope) -> bool:
    """Whether it lists the parts of something, or some of them, perhaps by a name."""
    if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Slice):
        node = node.value
    held = values.evaluate(analysis, node, scope)
    known = [analysis.knowledge.type(t.type) for t in held if isinstance(t, Instance)]
    if any(found is not None and found.yields == _VARIABLE for found in known):
        return True
    if isinstance(node, ast.Name):
        definitions = values.definitions_of(analysis, node, scope)
        given = definitions[0] if len(definitions) == 1 else None
        if given is None or given.unpacking or given.value is None:
            return False
        if given.binding is not Binding.ASSIGNED:
            return False
        node = given.value
    if isinstance(node, ast.Attribute):
        return node.attr in members.MODEL_PARTS or node.attr in _FIELDS
    return isinstance(node, ast.Call) and _lists_parts(node)


def _lists_parts(node: ast.Call) -> bool:
    function = node.func
    if isinstance(function, ast.Name) and function.id in ("sorted", "list", "reversed"):
        inner = node.args[0] if node.args else None
        return isinstance(inner, ast.Call) and _lists_parts(inner)
    if not isinstance(function, ast.Attribute) or node.args:
        return False
    return function.attr in _LISTINGS


def loops_within(loop: Frame) -> list[Frame]:
    """The loops of the same function that stand in a loop."""
    within = {id(part) for part in tree.walk(loop.node)}
    return [one for one in loop.scope.loops if one is not loop and id(one.node) in within]


def sites_in(analysis: Analysis, loop: Frame) -> tuple[CallSite, ...]:
    """The calls that stand in the loop's body, in its own scope.

    Of a call that runs a function for each element, those in the function.
    """

    def find() -> tuple[CallSite, ...]:
        if isinstance(loop.node, ast.Call):
            return tuple(
                site
                for argument in loop.node.args[:1]
                for target in callgraph.targets_of(
                    analysis, values.evaluate(analysis, argument, loop.scope)
                )
                for site in target.function.calls
            )
        if loop.node is loop.scope.node:  # a hook, each call of which is an iteration
            return tuple(loop.scope.calls)
        return tuple(site for site in loop.scope.calls if loop in site.frames)

    return analysis.remember(("sites", loop.node), find, ())


def is_left(loop: Frame) -> bool:
    """Whether an iteration may end the loop before all iterations are done."""
    return any(isinstance(part, (ast.Break, ast.Return)) for part in tree.walk(loop.node))
