"""What a loop goes over, how often it turns, and which calls its turns make."""

from __future__ import annotations

import ast
import enum
import math

from deepperf.knowledge import members
from deepperf.knowledge.schema import Trait
from deepperf.semantics.calls import appliers, callers, callgraph, hooks
from deepperf.semantics.files.analysis import Analysis
from deepperf.semantics.loops import cuts
from deepperf.semantics.names.flow import Binding
from deepperf.semantics.names.scopes import COMPREHENSIONS, CallSite, Frame, Scope, last_name
from deepperf.semantics.text import tree
from deepperf.semantics.values import classes, elements, filled, values
from deepperf.semantics.values.terms import Argument, Display, Instance, Literal, Object, Value

_LISTINGS = members.MODEL_PARTS | members.MODEL_LISTINGS | members.MAPPING_LISTINGS
_FIELDS = ("_fields", "__dataclass_fields__")
"""The names of what a named tuple, or a record, has."""
_VARIABLE = "tensorflow.Variable"
TINY = 10
"""Turns up to which a loop is not worth a finding; the original checker used the same."""


class LoopOver(enum.Enum):
    """What each turn of a loop stands for."""

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
    return length(analysis, iterable, loop.scope)


def is_tiny(analysis: Analysis, loop: Frame) -> bool:
    """Whether the text tells that a loop turns only a few times."""
    found = trips(analysis, loop)
    return found is not None and found <= TINY


def length(analysis: Analysis, node: ast.expr, scope: Scope) -> int | None:
    """How many elements an expression has at most, when the program's text tells; else None."""
    return analysis.remember(("length", node), lambda: _find_length(analysis, node, scope), None)


def _find_length(analysis: Analysis, node: ast.expr, scope: Scope) -> int | None:
    if isinstance(node, ast.Call):
        found = _length_of_call(analysis, node, scope)
        if found is not _NO_ITERATOR:
            return found
    cut = cuts.most_left(analysis, node, scope)
    if cut is None:
        cut = _encoded(analysis, node, scope)
    return cut if cut is not None else _length_of_terms(analysis, node, scope)


def _encoded(analysis: Analysis, node: ast.expr, scope: Scope) -> int | None:
    """How many texts, written out, an encoder gives vectors for: `model.encode([question])`."""
    if isinstance(node, ast.Name):
        made = values.definitions_of(analysis, node, scope)
        only = made[0] if len(made) == 1 else None
        if only is None or only.binding is not Binding.ASSIGNED or only.unpacking:
            return None
        call = only.value
    else:
        call = node
    if not isinstance(call, ast.Call) or last_name(call.func) != "encode" or not call.args:
        return None
    given = call.args[0]
    if not isinstance(given, (ast.List, ast.Tuple)):
        return None
    is_whole = not any(isinstance(part, ast.Starred) for part in given.elts)
    return len(given.elts) if is_whole else None


def _length_of_call(analysis: Analysis, node: ast.Call, scope: Scope) -> int | None:
    """How many elements a call gives, of those that count, cut or pass on; `_NO_ITERATOR` else."""
    names = callgraph.external_names(values.evaluate(analysis, node.func, scope))
    name = names[0] if names else ""
    if len(names) == 1 and name in elements.RANGES:
        return _range_length(analysis, node, scope)
    if names == ("builtins.zip",):
        sizes = [length(analysis, argument, scope) for argument in node.args]
        return min((size for size in sizes if size is not None), default=None)
    if name in _PASSING_ON and node.args:
        return length(analysis, node.args[0], scope)
    if name in _OF_DICTS:
        assert isinstance(node.func, ast.Attribute)
        return length(analysis, node.func.value, scope)
    if name.endswith(".arange"):
        return _steps(analysis, node, scope)
    if name.endswith(".linspace"):
        return _points(analysis, node, scope)
    fact = analysis.knowledge.fact(name) if len(names) == 1 else None
    if fact is not None and fact.returns == "$0" and node.args:
        return length(analysis, node.args[0], scope)
    return _NO_ITERATOR


_PASSING_ON = frozenset(
    f"builtins.{name}"
    for name in ("enumerate", "frozenset", "list", "reversed", "set", "sorted", "tuple")
)
_OF_DICTS = tuple(f"builtins.dict.{name}" for name in ("items", "keys", "values"))
_NO_ITERATOR = -1


def _length_of_terms(analysis: Analysis, node: ast.expr, scope: Scope) -> int | None:
    """The length of the longest list, tuple, dict or text that an expression may hold."""
    lengths: list[int | None] = []
    for term in values.evaluate(analysis, node, scope):
        if isinstance(term, Display) and not isinstance(term.node, COMPREHENSIONS):
            if filled.is_filled(analysis, term):
                return None
            inner = term.node.keys if isinstance(term.node, ast.Dict) else term.node.elts
            if any(isinstance(part, ast.Starred) or part is None for part in inner):
                return None
            lengths.append(len(inner))
        elif isinstance(term, Display) and isinstance(term.node, COMPREHENSIONS):
            lengths.append(length(analysis, term.node.generators[0].iter, term.scope))
        elif isinstance(term, Literal) and isinstance(term.value, str):
            lengths.append(len(term.value))
        elif isinstance(term, Instance) and isinstance(term.site, ast.Call):
            lengths.append(_length_converted(analysis, term.site, term.scope))
        else:
            return None
    counts = [count for count in lengths if count is not None]
    return max(counts) if counts and len(counts) == len(lengths) else None


def _length_converted(analysis: Analysis, call: ast.Call, scope: Scope) -> int | None:
    """The length of an array made of a list, or counted; `zeros` and its like are given shapes."""
    counted = _length_of_call(analysis, call, scope)
    if counted is not _NO_ITERATOR:
        return counted
    fact = callgraph.fact_of_call(analysis, call, scope)
    if fact is None or not call.args or not {Trait.CREATES_ARRAY, Trait.BATCHED} <= fact.traits:
        return None
    return length(analysis, call.args[0], scope)


def _counted(analysis: Analysis, node: ast.expr, scope: Scope) -> int | None:
    """The length of a list, where a bound is that, perhaps by a name."""
    if isinstance(node, ast.Name):
        definitions = values.definitions_of(analysis, node, scope)
        given = definitions[0] if len(definitions) == 1 else None
        if given is None or given.binding is not Binding.ASSIGNED or given.unpacking:
            return None
        if given.value is None:
            return None
        node, scope = given.value, given.scope
    if not isinstance(node, ast.Call) or len(node.args) != 1:
        return None
    names = callgraph.external_names(values.evaluate(analysis, node.func, scope))
    return length(analysis, node.args[0], scope) if names == ("builtins.len",) else None


def _points(analysis: Analysis, call: ast.Call, scope: Scope) -> int | None:
    """How many numbers `linspace` gives, where that is written out."""
    node = tree.argument(call, 2, "num")
    held = values.evaluate(analysis, node, scope) if node is not None else ()
    # A picture or a film is drawn of few points where nobody asks for more than the default.
    told = [term for term in held if not isinstance(term, Argument)]
    count = told[0].value if len(told) == 1 and isinstance(told[0], Literal) else None
    is_said = len(told) == len(held) or (isinstance(count, int) and count <= TINY)
    return count if isinstance(count, int) and is_said else None


def _range_length(analysis: Analysis, call: ast.Call, scope: Scope) -> int | None:
    bounds: list[int] = []
    for argument in call.args:
        held = values.evaluate(analysis, argument, scope)
        bound = held[0].value if len(held) == 1 and isinstance(held[0], Literal) else None
        if not isinstance(bound, int):
            bound = _passed(analysis, held) or _largest_of_few(held)
            bound = bound or _counted(analysis, argument, scope)
        if bound is None:
            return None
        bounds.append(bound)
    try:
        return len(range(*bounds))
    except (TypeError, ValueError, OverflowError):
        return None


def _steps(analysis: Analysis, call: ast.Call, scope: Scope) -> int | None:
    """How many numbers lie between bounds that are written out, perhaps with a fraction."""
    bounds: list[float] = []
    for argument in call.args:
        held = values.evaluate(analysis, argument, scope)
        bound = held[0].value if len(held) == 1 and isinstance(held[0], Literal) else None
        if isinstance(bound, bool) or not isinstance(bound, (int, float)):
            return None
        bounds.append(bound)
    if not 0 < len(bounds) < 4 or bounds[2:] == [0]:
        return None
    start, stop = (0.0, bounds[0]) if len(bounds) == 1 else bounds[:2]
    step = bounds[2] if len(bounds) > 2 else 1.0
    # The last step may fall short of the bound by a rounding error.
    return max(math.ceil(round((stop - start) / step, 6)), 0)


def _largest_of_few(held: Value) -> int | None:
    """The largest of several numbers that a bound may be, where all of them are few."""
    numbers = [term.value for term in held if isinstance(term, Literal)]
    whole = [number for number in numbers if isinstance(number, int)]
    is_few = bool(whole) and len(whole) == len(held) and max(whole) <= TINY
    return max(whole) if is_few else None


def _passed(analysis: Analysis, held: Value) -> int | None:
    """The largest number that a parameter is given, where only its own file calls the function.

    Others may call what a library offers, and tests ask it for little.
    """
    functions = [term.scope for term in held if isinstance(term, Argument)]
    numbers = [term.value for term in held if isinstance(term, Literal)]
    known = [number for number in numbers if isinstance(number, int)]
    if len(functions) != 1 or not known or len(known) + 1 != len(held):
        return None
    sites = callers.callers(analysis, functions[0])
    home = functions[0].module_path
    is_alone = bool(sites) and all(site.scope.module_path == home for site in sites)
    return max(known) if is_alone else None


def over(analysis: Analysis, loop: Frame) -> LoopOver:
    """What a turn of the loop stands for, judged by what it iterates over."""
    iterable = iterable_of(loop)
    if iterable is None:
        is_epoch = hooks.is_each_epoch(analysis, loop) or _counts_epochs(loop.node)
        return LoopOver.EPOCHS if is_epoch else LoopOver.STEPS
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
            said = (iterable, *([loop.node.target] if isinstance(loop.node, ast.For) else ()))
            words = " ".join(
                part.id if isinstance(part, ast.Name) else getattr(part, "attr", "")
                for whole in said
                for part in tree.walk(whole)
                if isinstance(part, (ast.Name, ast.Attribute))
            ).lower()
            return LoopOver.EPOCHS if "epoch" in words else LoopOver.STEPS
    return LoopOver.ITEMS


def _counts_epochs(node: ast.AST) -> bool:
    """Whether a `while` loop goes on by the number of an epoch that it counts itself."""
    if not isinstance(node, ast.While):
        return False
    tests = node.test.values if isinstance(node.test, ast.BoolOp) else [node.test]
    counters = {
        ast.unparse(test.left)
        for test in tests
        if isinstance(test, ast.Compare) and isinstance(test.left, (ast.Name, ast.Attribute))
        if _says_epoch((last_name(test.left) or "").lower().split("_"))
    }
    return bool(counters) and any(
        isinstance(part, ast.AugAssign) and ast.unparse(part.target) in counters
        for part in tree.walk(node)
    )


def _says_epoch(words: list[str]) -> bool:
    """Whether words name an epoch, and not what there is of something in each: `step_per_epoch`."""
    return any(
        word in ("epoch", "epochs") and "per" not in words[max(place - 1, 0) : place]
        for place, word in enumerate(words)
    )


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
        if loop.node is loop.scope.node:  # a hook, each call of which is a turn
            return tuple(loop.scope.calls)
        return tuple(site for site in loop.scope.calls if loop in site.frames)

    return analysis.remember(("sites", loop.node), find, ())


def is_left(loop: Frame) -> bool:
    """Whether a turn may end the loop before all turns are done."""
    return any(isinstance(part, (ast.Break, ast.Return)) for part in tree.walk(loop.node))
