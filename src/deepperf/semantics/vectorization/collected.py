"""What the iterations of loops contribute to an array: lists that are filled and then joined.

A list is filled by a comprehension, by `append` in a loop, or an array grows by being joined
with itself and more; `tf.TensorArray` keeps what it is given likewise.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from msgspec import Struct

from deepperf.knowledge.schema import Trait, has
from deepperf.semantics.calls import callgraph
from deepperf.semantics.files.analysis import Analysis
from deepperf.semantics.names.flow import Binding, Definition
from deepperf.semantics.names.scopes import CallSite, Frame, Scope
from deepperf.semantics.text import tree
from deepperf.semantics.values import values
from deepperf.semantics.values.terms import Display

MOST_ELEMENTS = 16
_KEEPS = frozenset((Trait.JOINS, Trait.COLLECTS))


class Collected(Struct, frozen=True, eq=False):
    """One element that each iteration of `loops`, outermost first, adds to what `join` makes.

    `tests` are conditions within the loops under which it does.
    """

    element: ast.expr
    scope: Scope
    loops: tuple[Frame, ...]
    tests: tuple[ast.expr, ...]
    join: CallSite


def collected(analysis: Analysis, path: str) -> tuple[Collected, ...]:
    """What loops of the file collect, or what is joined there, in the order of the joins."""
    return analysis.remember(("collected", path), lambda: tuple(_find(analysis, path)), ())


def _find(analysis: Analysis, path: str) -> Iterator[Collected]:
    module = analysis.module(path)
    wanted = analysis.project.trigger_names(_KEEPS)
    for site in module.calls_of_renamed(wanted):
        if not _may_collect(site):
            continue
        fact = callgraph.fact_at(analysis, site)
        if fact is None:
            continue
        if Trait.COLLECTS in fact.traits and len(site.node.args) > 1:
            loops = site.loops
            if loops:
                tests = _tests(site.frames)
                yield Collected(site.node.args[1], site.scope, loops, tests, site)
        elif Trait.JOINS in fact.traits:
            yield from _joined(analysis, site)


def _may_collect(site: CallSite) -> bool:
    """Whether, by its text alone, a call may be given a list that a loop fills."""
    joined = joined_argument(site)
    if joined is None:
        return False
    return not isinstance(joined, (ast.Constant, ast.BinOp, ast.Subscript, ast.Dict))


def joined_argument(site: CallSite) -> ast.expr | None:
    if site.node.args:
        return site.node.args[0]
    return site.node.keywords[0].value if site.node.keywords else None


def _joined(analysis: Analysis, site: CallSite) -> Iterator[Collected]:
    given = joined_argument(site)
    assert given is not None
    if isinstance(given, (ast.List, ast.Tuple)):
        yield from _grown(site, given.elts)
        return
    count = 0
    for display in _displays(analysis, given, site.scope):
        for found in _of_display(analysis, display, site):
            yield found
            count += 1
            if count >= MOST_ELEMENTS:
                return


def _displays(analysis: Analysis, node: ast.expr, scope: Scope) -> Iterator[Display]:
    """The lists that an expression may hold, as far as they are made there or in callees.

    What callers pass is not followed: it is theirs to join.
    """
    if isinstance(node, (ast.ListComp, ast.GeneratorExp)):
        yield Display(node, scope)
    elif isinstance(node, ast.Name):
        for definition in values.definitions_of(analysis, node, scope):
            value = definition.value
            if definition.binding is not Binding.ASSIGNED or value is None:
                continue
            if not isinstance(value, (ast.Name, ast.Attribute, ast.Subscript)):
                for term in values.definition_value(analysis, definition):
                    if isinstance(term, Display):
                        yield term
    elif isinstance(node, ast.Call):
        for term in values.evaluate(analysis, node, scope):
            if isinstance(term, Display):
                yield term


def _grown(site: CallSite, parts: list[ast.expr]) -> Iterator[Collected]:
    """`acc = join([acc, element])` in a loop before which `acc` was made."""
    statement = site.statement
    loops = site.loops
    if not loops or not isinstance(statement, ast.Assign) or statement.value is not site.node:
        return
    target = statement.targets[0]
    others = [part for part in parts if ast.unparse(part) != ast.unparse(target)]
    if isinstance(target, ast.Name) and len(others) == len(parts) - 1:
        for part in others:
            yield Collected(part, site.scope, loops, _tests(site.frames), site)


def _of_display(analysis: Analysis, display: Display, join: CallSite) -> Iterator[Collected]:
    node, scope = display.node, display.scope
    if isinstance(node, (ast.ListComp, ast.GeneratorExp)):
        yield from _of_comprehension(analysis, node, scope, join)
    elif isinstance(node, ast.List) and not node.elts:
        for definition in _definitions(analysis, scope).get(id(node), ()):
            yield from _appended(analysis, definition, join)


def _of_comprehension(
    analysis: Analysis, node: ast.ListComp | ast.GeneratorExp, scope: Scope, join: CallSite
) -> Iterator[Collected]:
    frames = analysis.module_of(scope).scopes.loop_frames
    loops = [frames[id(node)]]
    tests = [test for generator in node.generators for test in generator.ifs]
    element = node.elt
    while isinstance(element, (ast.ListComp, ast.GeneratorExp)):
        loops.append(frames[id(element)])
        tests += [test for generator in element.generators for test in generator.ifs]
        element = element.elt
    yield Collected(element, scope, tuple(loops), tuple(tests), join)


def _definitions(analysis: Analysis, scope: Scope) -> dict[int, list[Definition]]:
    """The definitions of a scope by the id of what they assign."""

    def find() -> dict[int, list[Definition]]:
        found: dict[int, list[Definition]] = {}
        for definitions in analysis.module_of(scope).flow(scope).all.values():
            for definition in definitions:
                value = definition.value
                for index in definition.unpacking:
                    if not isinstance(value, (ast.Tuple, ast.List)) or index >= len(value.elts):
                        value = None
                        break
                    value = value.elts[index]
                if definition.binding is Binding.ASSIGNED and value is not None:
                    found.setdefault(id(value), []).append(definition)
        return found

    return analysis.remember(("definitions by value", scope), find, {})


def _appended(analysis: Analysis, made: Definition, join: CallSite) -> Iterator[Collected]:
    """What loops append to a list that was made outside them."""
    scope = made.scope
    for site in scope.calls:
        function = site.node.func
        if not (
            isinstance(function, ast.Attribute)
            and function.attr == "append"
            and isinstance(function.value, ast.Name)
            and function.value.id == made.name
            and len(site.node.args) == 1
        ):
            continue
        loops = tuple(
            frame for frame in site.frames if frame.is_loop and id(frame.node) not in made.loops
        )
        if not loops:
            continue
        element, tests = site.node.args[0], _tests(site.frames[site.frames.index(loops[0]) :])
        if isinstance(element, (ast.ListComp, ast.GeneratorExp)):
            for inner in _of_comprehension(analysis, element, scope, join):
                yield Collected(
                    inner.element, scope, (*loops, *inner.loops), (*tests, *inner.tests), join
                )
        else:
            yield Collected(element, scope, loops, tests, join)
    frames = analysis.module_of(scope).scopes.loop_frames
    for definition in analysis.module_of(scope).flow(scope).all.get(made.name, ()):
        value = definition.value
        if definition.binding is Binding.AUGMENTED and isinstance(value, ast.List):
            loops = tuple(frames[loop] for loop in definition.loops if loop not in made.loops)
            if loops and len(value.elts) == 1:
                yield Collected(value.elts[0], scope, loops, (), join)


def _tests(frames: tuple[Frame, ...]) -> tuple[ast.expr, ...]:
    return tuple(frame.node.test for frame in frames if isinstance(frame.node, ast.If))


# Arrays made first


def filled(analysis: Analysis, path: str) -> tuple[Collected, ...]:
    """What loops of the file write to items of arrays that were made before them.

    `join` is the call that makes the array.
    """
    return analysis.remember(("filled", path), lambda: tuple(_filled(analysis, path)), ())


def _filled(analysis: Analysis, path: str) -> Iterator[Collected]:
    for scope in analysis.module(path).all_scopes:
        for target, frames in scope.item_writes:
            loops = tuple(frame for frame in frames if frame.is_loop)
            made = _made_before(analysis, target, scope, loops)
            element = _written(target, loops[-1]) if made is not None else None
            if made is not None and element is not None:
                within = tuple(frame for frame in loops if frame not in made.frames)
                yield Collected(element, scope, within, _tests(frames), made)


def _made_before(
    analysis: Analysis, target: ast.expr, scope: Scope, loops: tuple[Frame, ...]
) -> CallSite | None:
    """The call before the loops that made the array whose items they set."""
    if not isinstance(target, ast.Name) or not loops:
        return None
    for definition in values.definitions_of(analysis, target, scope):
        value = definition.value
        if not isinstance(value, ast.Call) or definition.unpacking:
            continue
        if id(loops[-1].node) in definition.loops:
            continue
        site = analysis.site_of(value, definition.scope)
        fact = callgraph.fact_at(analysis, site) if site is not None else None
        if has(fact, Trait.CREATES_ARRAY):
            return site
    return None


def _written(target: ast.expr, loop: Frame) -> ast.expr | None:
    for part in tree.walk(loop.node):
        if isinstance(part, ast.Assign):
            for written in part.targets:
                if isinstance(written, ast.Subscript) and written.value is target:
                    return part.value
    return None
