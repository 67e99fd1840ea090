"""How much a function does for each element that it is mapped over."""

from __future__ import annotations

import ast
import enum
from collections.abc import Iterator

from deepperf.knowledge.schema import Fact, ParameterRole, Trait, has
from deepperf.semantics.calls import callgraph, decorated
from deepperf.semantics.files.analysis import Analysis
from deepperf.semantics.invariance.certainty import Certainty
from deepperf.semantics.loops import loops
from deepperf.semantics.names.scopes import CallSite, Frame, Scope, last_name, parameters
from deepperf.semantics.text import tree
from deepperf.semantics.values import classes, values
from deepperf.semantics.values.terms import ClassTerm, External, Value


class Workload(enum.IntEnum):
    """What one call of a function takes, as far as the text tells; unknown is MUCH."""

    NOTHING = 0  # takes apart, puts together, tells types and shapes: no operation is left
    LITTLE = 1  # joins, casts, looks up, marks, and a handful of passes over the element
    LOCKED = 2  # Python itself: it holds the interpreter's lock, whoever waits for it
    MUCH = 3
    FILES = 4  # reads or decodes a file, an image, a sound


_REARRANGING = frozenset((Trait.VIEWS, Trait.PURE, Trait.PRINTS))
_LITTLE = frozenset((Trait.JOINS, Trait.CASTS, Trait.CREATES_ARRAY, Trait.MARKS_INDICES))
_LITTLE |= {Trait.TELLS_SHAPE, Trait.HANDLES_TEXT, Trait.GATHERS, Trait.ARRANGES}
_OF_FILES = frozenset((Trait.DECODES, Trait.READS_FILE))
_HEAVY = _OF_FILES | {Trait.COSTLY, Trait.PARSES_EXAMPLE, Trait.RANDOM}
_HEAVY |= {Trait.CALLS_PYTHON, Trait.LISTS_COLUMNS, Trait.TRACES_ARGUMENT}
_PASSES = 4
"""Passes over an element that take little together; a conversion of colours has more."""
_OF_CONTAINERS = ("builtins.dict", "builtins.list", "builtins.tuple", "builtins.zip")
_PARTS = frozenset(("items", "keys", "values"))
_TAKERS = frozenset(("pop", "get", "items", "keys", "values", "copy", "append"))
_OF_ELEMENTS = ("tensorflow.Tensor", "tensorflow.TensorShape")
_OF_TEXTS = frozenset(
    name for kind in (str, bytes, list, dict) for name in vars(kind) if name[0] != "_"
)


def of_value(analysis: Analysis, node: ast.expr, scope: Scope) -> Workload:
    """The work of the callable that an expression holds."""
    held = values.evaluate(analysis, node, scope)
    targets = callgraph.targets_of(analysis, held)
    if not targets:
        return _of_fact(analysis, held)
    functions = [target.function for target in targets]
    if classes.is_of_own_object(node, scope):
        functions += [own for one in functions for own in classes.overriding(analysis, one)]
    return max(_of_function(analysis, function) for function in functions)


def _of_fact(analysis: Analysis, held: Value) -> Workload:
    fact = callgraph.fact_of(analysis, held)
    if fact is not None and not fact.traits.isdisjoint(_OF_FILES):
        return Workload.FILES
    if fact is None or not fact.traits.isdisjoint(_HEAVY):
        return Workload.MUCH
    if not fact.traits.isdisjoint(_REARRANGING):
        return Workload.NOTHING
    is_little = has(fact, *_LITTLE, Trait.ELEMENTWISE, Trait.FINDS_PLACES)
    return Workload.LITTLE if is_little else Workload.MUCH


def _of_function(analysis: Analysis, function: Scope) -> Workload:
    passes = _passes(analysis, function)
    found = _done_besides(analysis, function)
    if passes:
        found = max(found, Workload.LITTLE)
    # What happens at random to an element changes it: augmentations are written so.
    is_random = passes > 0 and _draws(analysis, function)
    return max(found, Workload.MUCH) if is_random or passes > _PASSES else found


def _draws(analysis: Analysis, function: Scope) -> bool:
    """Whether a function, callees included, draws random numbers while it runs."""

    def find() -> Certainty:
        analysis.module_of(function)
        is_sure = any(
            (
                (fact := callgraph.fact_at(analysis, site)) is not None
                and {Trait.RANDOM, Trait.ADDS_NODE} <= fact.traits
            )
            or any(_draws(analysis, t.function) for t in callgraph.targets(analysis, site))
            for site in function.calls
        )
        return Certainty.YES if is_sure else Certainty.NO

    return analysis.remember(("draws in", function), find, Certainty.NO) is Certainty.YES


def _passes(analysis: Analysis, function: Scope) -> int:
    """How many operations, callees included, go over all numbers of an element."""

    def find() -> int:
        analysis.module_of(function)
        sizes = _sizes(analysis, function)
        # What decides is a single truth.
        asked = {
            id(inner)
            for part in tree.walk(function.node)
            if isinstance(part, (ast.If, ast.IfExp, ast.While))
            for inner in tree.walk(part.test)
        }
        found = sum(
            isinstance(part, (ast.BinOp, ast.Compare))
            and id(part) not in asked
            and _uses_local(part, function, sizes)
            and not _tells_sizes(analysis, part, function, sizes)
            for part in tree.walk(function.node)
        )
        for site in function.calls:
            if _is_of_sizes(analysis, site, sizes):
                continue
            fact = callgraph.fact_at(analysis, site)
            found += has(fact, Trait.ELEMENTWISE, Trait.FINDS_PLACES) and not has(fact, *_LITTLE)
            targets = callgraph.targets(analysis, site)
            found += max((_passes(analysis, t.function) for t in targets), default=0)
        return found

    return analysis.remember(("passes over element", function), find, _PASSES + 1)


def _done_besides(analysis: Analysis, function: Scope) -> Workload:
    """What a function does, beside arithmetic that goes over its element number by number."""

    def find() -> Workload:
        analysis.module_of(function)
        sizes = _sizes(analysis, function)
        works = [
            (_of_site(analysis, s), s)
            for s in function.calls
            if not _is_of_sizes(analysis, s, sizes) and not _gives_one_number(analysis, s)
        ]
        found = max((work for work, _ in works), default=Workload.NOTHING)
        for wrapper in decorated.wrappers(analysis, function):
            found = max(found, _done_besides(analysis, wrapper))
        # The steps of a loop add up, if they do anything; an element has few parts.
        is_long = any(
            work and not all(_goes_over_parts(loop) for loop in site.loops) for work, site in works
        )
        passes = _passes(analysis, function) if function.loops else 0
        return max(found, Workload.MUCH) if is_long or passes else found

    return analysis.remember(("work besides", function), find, Workload.MUCH)


def _gives_one_number(analysis: Analysis, site: CallSite) -> bool:
    """Whether bytes are decoded of which a single number is made: `tf.reshape(label, [])`."""
    if not has(callgraph.fact_at(analysis, site), Trait.DECODES):
        return False
    statement = site.statement
    target = statement.targets[0] if isinstance(statement, ast.Assign) else None
    for other in site.scope.calls:
        first, shape = (*other.node.args[:2], None, None)[:2]
        is_same = first is site.node or (
            isinstance(target, ast.Name) and getattr(first, "id", None) == target.id
        )
        if is_same and isinstance(shape, (ast.List, ast.Tuple)) and not shape.elts:
            return has(callgraph.fact_at(analysis, other), Trait.LAYS_ANEW)
    return False


def _goes_over_parts(loop: Frame) -> bool:
    """Whether a loop goes over the parts, by their names, of the element that a function gets."""
    over = loops.iterable_of(loop)
    is_dict = False
    while isinstance(over, ast.Call):
        called = over.func
        is_method = isinstance(called, ast.Attribute) and called.attr in _PARTS
        is_dict = is_dict or is_method
        inner = [called.value] if isinstance(called, ast.Attribute) and is_method else over.args
        over = inner[0] if len(inner) == 1 else None
    node = loop.scope.node
    if not isinstance(over, ast.Name) or isinstance(node, (ast.Module, ast.ClassDef)):
        return False
    if not any(given.arg == over.id for given in parameters(node)):
        return False
    names = loops.targets(loop)
    return is_dict or any(
        isinstance(part, ast.Subscript)
        and tree.names_in(part.value) == {over.id}
        and not names.isdisjoint(tree.names_in(part.slice))
        for part in tree.walk(loop.node)
    )


def _of_site(analysis: Analysis, site: CallSite) -> Workload:
    held = callgraph.callee(analysis, site)
    fact = callgraph.fact_of(analysis, held)
    if fact is not None:
        if Trait.CALLS_PYTHON in fact.traits:
            return _of_python(analysis, site)
        if _leaves_nothing(site, fact):
            return Workload.NOTHING
        return _of_fact(analysis, held)
    targets = callgraph.targets(analysis, site)
    if targets:
        return max(_done_besides(analysis, target.function) for target in targets)
    name = last_name(site.node.func) or ""
    if held and all(isinstance(term, ClassTerm) for term in held):
        # Without an `__init__` of its own: a record of what it is given.
        return Workload.NOTHING
    if any(isinstance(term, External) for term in held):
        # By its name a class is made: at most a record of what it is given.
        return Workload.NOTHING if name[:1].isupper() else Workload.MUCH
    if not isinstance(site.node.func, ast.Attribute):
        return Workload.MUCH
    return Workload.NOTHING if name in _TAKERS else _of_method(analysis, name)


def _of_method(analysis: Analysis, name: str) -> Workload:
    """Of a method of what the function is given: an element, or its shape."""
    known = [analysis.knowledge.fact(f"{kind}.{name}") for kind in _OF_ELEMENTS]
    is_view = any(has(fact, *_REARRANGING) for fact in known)
    return Workload.NOTHING if is_view else Workload.MUCH


def _leaves_nothing(site: CallSite, fact: Fact) -> bool:
    """Whether a call is done once, while its function is traced, or makes a single number."""
    return (
        fact.name in _OF_CONTAINERS
        or not fact.traits.isdisjoint(_REARRANGING)
        or (Trait.RANDOM in fact.traits and _draws_one_number(site.node))
        # No operation of the graph.
        or not (Trait.ADDS_NODE in fact.traits or _uses_local(site.node, site.scope))
        or (not fact.traits and _is_entered(site))
    )


def _is_entered(site: CallSite) -> bool:
    """Whether a block stands under what it gives: a name, a device, what has to come first."""
    return isinstance(site.statement, (ast.With, ast.AsyncWith)) and any(
        item.context_expr is site.node for item in site.statement.items
    )


def _of_python(analysis: Analysis, site: CallSite) -> Workload:
    """Of a function that Python itself runs for each element."""
    fact = callgraph.fact_at(analysis, site)
    if fact is None:
        return Workload.MUCH
    given = callgraph.role_argument(site.node, fact, ParameterRole.FUNCTION)
    if given is None:
        return Workload.MUCH
    held = values.evaluate(analysis, given, site.scope)
    targets = callgraph.targets_of(analysis, held)
    is_plain = bool(targets) and all(_is_plain(analysis, t.function) for t in targets)
    if is_plain:
        return Workload.LOCKED
    return max([Workload.MUCH, *(_done_besides(analysis, t.function) for t in targets)])


def _is_plain(analysis: Analysis, function: Scope) -> bool:
    """Whether a function handles texts, lists, numbers and records, and calls nothing else."""

    def find() -> Certainty:
        analysis.module_of(function)
        is_sure = all(_is_plain_call(analysis, site) for site in function.calls)
        return Certainty.YES if is_sure else Certainty.NO

    return analysis.remember(("plain", function), find, Certainty.NO) is Certainty.YES


def _is_plain_call(analysis: Analysis, site: CallSite) -> bool:
    held = callgraph.callee(analysis, site)
    names = callgraph.external_names(held)
    if names:
        fact = callgraph.fact_of(analysis, held)
        return (all(name.startswith("builtins.") for name in names) and not has(fact, *_HEAVY)) or (
            has(fact, Trait.CASTS, Trait.CREATES_ARRAY, Trait.HANDLES_TEXT, Trait.PURE)
        )
    targets = callgraph.targets(analysis, site)
    if targets:
        return all(_is_plain(analysis, target.function) for target in targets)
    called = site.node.func
    if not isinstance(called, ast.Attribute) or not _uses_local(called.value, site.scope):
        return False
    fetched = analysis.knowledge.fact(f"{_OF_ELEMENTS[0]}.{called.attr}")
    return called.attr in _OF_TEXTS or has(fetched, Trait.SYNCS_HOST)


def _uses_local(node: ast.expr, function: Scope, besides: frozenset[str] = frozenset()) -> bool:
    """Whether an expression may depend on the function's arguments, beside some names."""
    return any(name in function.bound and name not in besides for name in _names(node))


def _sizes(analysis: Analysis, function: Scope) -> frozenset[str]:
    """The names in a function that hold nothing but sizes of what it is given, or one number."""

    def find() -> frozenset[str]:
        numbers = _bounds(function)
        found: set[str] = set(numbers)
        others: set[str] = set()
        parts = tree.walk(function.node)
        for part in sorted(
            (part for part in parts if isinstance(part, ast.Assign)), key=lambda a: a.lineno
        ):
            names = {name for target in part.targets for name in _names(target)}
            is_size = _tells_sizes(analysis, part.value, function, frozenset(found))
            (found if is_size else others).update(names)
        return frozenset(found - others) | numbers

    return analysis.remember(("names of sizes", function), find, frozenset())


def _bounds(function: Scope) -> frozenset[str]:
    """The names that bound a slice, alone or in sums: single numbers."""
    slices = (part for part in tree.walk(function.node) if isinstance(part, ast.Slice))
    pending: list[ast.expr | None] = [end for one in slices for end in (one.lower, one.upper)]
    found: set[str] = set()
    while pending:
        part = pending.pop()
        if isinstance(part, ast.BinOp):
            pending += (part.left, part.right)
        elif isinstance(part, ast.Name):
            found.add(part.id)
    return frozenset(found)


def _tells_sizes(
    analysis: Analysis, node: ast.expr, function: Scope, sizes: frozenset[str]
) -> bool:
    """Whether an expression is a shape, a part of one, or made of names of sizes."""
    if isinstance(node, ast.BinOp):
        sides = (node.left, node.right)
        local = [side for side in sides if _uses_local(side, function)]
        return bool(local) and all(_tells_sizes(analysis, s, function, sizes) for s in local)
    part = node
    while isinstance(part, (ast.Subscript, ast.Attribute)):
        if isinstance(part, ast.Attribute) and part.attr == "shape":
            return True
        part = part.value
    site = analysis.site_of(part, function) if isinstance(part, ast.Call) else None
    if site is not None and (
        has(callgraph.fact_at(analysis, site), Trait.TELLS_SHAPE)
        or (part is node and _is_of_sizes(analysis, site, sizes))
    ):
        return True
    names = [name for name in _names(node) if name in function.bound]
    return bool(names) and sizes.issuperset(names)


def _is_of_sizes(analysis: Analysis, site: CallSite, sizes: frozenset[str]) -> bool:
    """Whether a call is given sizes, and nothing else that may be large."""
    given = tree.operands(site.node)
    local = [node for node in given if _uses_local(node, site.scope)]
    return bool(local) and all(_tells_sizes(analysis, n, site.scope, sizes) for n in local)


def _names(node: ast.expr) -> Iterator[str]:
    return (part.id for part in tree.walk(node) if isinstance(part, ast.Name))


def _draws_one_number(call: ast.Call) -> bool:
    shape = tree.argument(call, 0, "shape")
    return isinstance(shape, (ast.List, ast.Tuple)) and not shape.elts
