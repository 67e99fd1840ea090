"""Loops over the elements of arrays that choose between formulas for each of them."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from msgspec import Struct

from deepperf.knowledge import members
from deepperf.knowledge.schema import Trait, has
from deepperf.semantics.calls import callgraph
from deepperf.semantics.files.analysis import Analysis
from deepperf.semantics.loops import induction, passes
from deepperf.semantics.loops.induction import Turning, Way
from deepperf.semantics.loops.loops import LoopOver, gone_over
from deepperf.semantics.loops.statements import Standing, standing_in
from deepperf.semantics.names.flow import Binding
from deepperf.semantics.names.scopes import COMPREHENSIONS, Frame, Scope, ScopeKind, last_name
from deepperf.semantics.text import tree
from deepperf.semantics.values import arrays, values
from deepperf.semantics.values.terms import Display
from deepperf.semantics.vectorization import outcomes, texts
from deepperf.semantics.vectorization.collected import collected

MOST_STATEMENTS = 24
_SHAPES = members.SHAPE_ATTRIBUTES | members.SHAPE_METHODS
_ARITHMETIC = (ast.BinOp, ast.UnaryOp, ast.Constant, ast.Name, ast.Attribute)


class Choice(Struct, frozen=True, eq=False):
    """A loop that computes nothing but one of several formulas for each element.

    `test` is one of the conditions, `framework` whose array it is, or goes into.
    """

    loop: Frame
    test: ast.expr
    framework: str


def choice_in(analysis: Analysis, loop: Frame) -> Choice | None:
    """The choice that a loop makes, if it does nothing else."""
    return analysis.remember(("choice", loop), lambda: _choice(analysis, loop), None)


def choices(analysis: Analysis, path: str) -> Iterator[Choice]:
    """The choices of a file, each for the outermost loop that does nothing else."""
    for scope in analysis.module(path).all_scopes:
        if scope.kind is ScopeKind.CLASS:
            continue
        stop = 0
        for loop in sorted(scope.loops, key=lambda loop: loop.lines.start):
            if loop.lines.start < stop:
                continue
            found = choice_in(analysis, loop)
            if found is not None:
                stop = loop.lines.stop
                yield found


def _choice(analysis: Analysis, loop: Frame) -> Choice | None:
    found = (
        _of_comprehension(analysis, loop)
        if isinstance(loop.node, COMPREHENSIONS)
        else _of_statements(analysis, loop)
    )
    if found is not None:
        told = arrays.told_lists(loop.scope, loop.node)
        if any(tree.dotted(part) in told for part in gone_over(analysis, loop)):
            return None
        if texts.picks_words(analysis, loop):
            return None
    return found


def _of_statements(analysis: Analysis, loop: Frame) -> Choice | None:
    if not isinstance(loop.node, (ast.For, ast.While)) or loop.node.orelse:
        return None
    if not any(isinstance(part, (ast.If, ast.IfExp)) for part in tree.walk(loop.node)):
        return None
    statements = standing_in(analysis, loop)
    if not statements or len(statements) > MOST_STATEMENTS:
        return None
    loops = tuple(dict.fromkeys(frame for one in statements for frame in one.loops))
    if not all(isinstance(frame.node, (ast.For, ast.While)) for frame in loops):
        return None
    if not all(_may_count(analysis, standing, loop) for standing in statements):
        return None
    turns = induction.turning(loop.scope, loops)
    for frame in loops:
        if (
            isinstance(frame.node, ast.While)
            and _way(analysis, frame.node.test, turns) is Way.OTHER
        ):
            return None
    results: list[tuple[Standing, ast.expr]] = []
    tests: list[ast.expr] = []
    for standing in statements:
        value = _result(analysis, standing, turns)
        if value is None:
            return None
        if value is not standing.node:
            results.append((standing, value))  # type: ignore[arg-type]
        tests += standing.tests
        tests += [part.test for part in tree.walk(standing.node) if isinstance(part, ast.IfExp)]
    kept = [standing for standing, _ in results]
    if not results or outcomes.only_filters(kept) or any(map(outcomes.is_overwritten, kept)):
        return None
    return _made(analysis, loop, turns, tests, [standing.node for standing, _ in results])


def _may_count(analysis: Analysis, standing: Standing, loop: Frame) -> bool:
    """Whether, by its text, a statement may be one of a loop that only chooses."""
    node = standing.node
    if not all(_may_be_plain(analysis, test, loop) for test in standing.tests):
        return False
    if isinstance(node, (ast.Pass, ast.Continue)):
        return True
    if isinstance(node, ast.AugAssign):
        return isinstance(node.target, ast.Name) or _may_be_plain(analysis, node.value, loop)
    if isinstance(node, ast.Assign):
        is_one = len(node.targets) == 1
        is_place = is_one and isinstance(node.targets[0], (ast.Name, ast.Subscript))
        value = node.value
        if is_place and isinstance(value, ast.Call) and last_name(value.func) == "write":
            return all(_may_be_plain(analysis, part, loop) for part in value.args)
        return is_place and _may_be_plain(analysis, value, loop)
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
        function = node.value.func
        if isinstance(function, ast.Attribute) and function.attr == "append":
            return all(_may_be_plain(analysis, part, loop) for part in node.value.args[:1])
    return False


def _may_be_plain(analysis: Analysis, node: ast.expr, loop: Frame) -> bool:
    return not _asks_for_membership(node) and induction.may_come_plainly(analysis, node, loop.scope)


def _asks_for_membership(node: ast.expr) -> bool:
    return any(
        isinstance(part, ast.Compare)
        and any(isinstance(op, (ast.In, ast.NotIn, ast.Is, ast.IsNot)) for op in part.ops)
        for part in tree.walk(node)
    )


def _result(analysis: Analysis, standing: Standing, turns: Turning) -> ast.AST | None:
    """What a statement gives for its element, itself if it only prepares; None for others."""
    node = standing.node
    if isinstance(node, (ast.Pass, ast.Continue)):
        return node
    if isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
        found = analysis.module_of(turns.scope).flow(turns.scope).all.get(node.target.id, ())
        return node if induction.is_counter(found, turns) else None
    if isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Subscript):
        return _stored(analysis, node.target, node.value, turns)
    if isinstance(node, ast.Assign) and len(node.targets) == 1:
        target = node.targets[0]
        if isinstance(target, ast.Subscript):
            return _stored(analysis, target, node.value, turns)
        if isinstance(target, ast.Name):
            kept = _collected_value(analysis, target, node.value, turns)
            if kept is not None:
                return None if _way(analysis, kept, turns) is Way.OTHER else kept
            if _is_known_outside(analysis, target.id, turns):
                return None
            return None if _way(analysis, node.value, turns) is Way.OTHER else node
        return None
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
        call = node.value
        function = call.func
        if isinstance(function, ast.Attribute) and function.attr == "append" and call.args:
            if not isinstance(function.value, ast.Name) or _makes_array(analysis, call, turns):
                return None
            return None if _way(analysis, call.args[0], turns) is Way.OTHER else call.args[0]
    return None


def _collected_value(
    analysis: Analysis, target: ast.Name, value: ast.expr, turns: Turning
) -> ast.expr | None:
    """What is kept by `array = array.write(i, value)`, of an array that collects values."""
    if not isinstance(value, ast.Call) or not isinstance(value.func, ast.Attribute):
        return None
    if getattr(value.func.value, "id", "") != target.id or len(value.args) != 2:
        return None
    fact = callgraph.fact_of_call(analysis, value, turns.scope)
    return value.args[1] if has(fact, Trait.COLLECTS) else None


def _is_known_outside(analysis: Analysis, name: str, turns: Turning) -> bool:
    """Whether a name that the iterations assign means something before or after them."""
    loop = id(turns.loops[0].node)
    flow = analysis.module_of(turns.scope).flow(turns.scope)
    return any(loop not in definition.loops for definition in flow.all.get(name, ()))


def _makes_array(analysis: Analysis, node: ast.AST, turns: Turning) -> bool:
    """Whether an array is made for the element: there is more to it than a number."""
    for part in tree.walk(node):
        if isinstance(part, ast.Call):
            fact = callgraph.fact_of_call(analysis, part, turns.scope)
            if not has(fact, Trait.CREATES_ARRAY):
                continue
            if Trait.JOINS not in fact.traits or not _converts_number(analysis, part, turns):
                return True
    return False


def _converts_number(analysis: Analysis, node: ast.Call, turns: Turning) -> bool:
    """Whether an array is made of one number, to be joined to others: of `tensor(2 * rate)`."""
    if not node.args:
        return False
    number = node.args[0]
    if isinstance(number, ast.Constant):
        return isinstance(number.value, (int, float))
    if not isinstance(number, (ast.BinOp, ast.UnaryOp)):
        return False
    parts = [part for part in tree.walk(number) if isinstance(part, ast.expr)]
    return all(isinstance(part, _ARITHMETIC) for part in parts) and not any(
        isinstance(term, Display)
        for part in parts
        if isinstance(part, (ast.Name, ast.Attribute))
        for term in values.evaluate(analysis, part, turns.scope)
    )


def _stored(
    analysis: Analysis, target: ast.Subscript, value: ast.expr, turns: Turning
) -> ast.expr | None:
    """The value that is written to the element's own place, if it is made from that alone."""
    places = tree.indices_of(target)
    root = target.value
    while isinstance(root, ast.Subscript):
        places = [root.slice, *places]
        root = root.value
    counters = [place for place in places if _is_counter(analysis, place, turns)]
    if not counters or any(isinstance(place, ast.Slice) for place in places):
        return None
    if any(_way(analysis, place, turns) is Way.OTHER for place in places):
        return None
    if _makes_array(analysis, value, turns):
        return None
    return value if _way(analysis, value, turns, target) is not Way.OTHER else None


def _is_counter(analysis: Analysis, node: ast.expr, turns: Turning) -> bool:
    if not isinstance(node, ast.Name):
        return False
    if induction.is_counter(values.definitions_of(analysis, node, turns.scope), turns):
        return True
    return any(
        definition.binding is Binding.ITERATED
        for definition in induction.inner_definitions(analysis, node, turns)
    )


def _way(analysis: Analysis, node: ast.expr, turns: Turning, itself: ast.expr | None = None) -> Way:
    if _asks_for_membership(node):
        return Way.OTHER
    return induction.way(analysis, node, turns, itself)


def _of_comprehension(analysis: Analysis, loop: Frame) -> Choice | None:
    node = loop.node
    if not isinstance(node, (ast.ListComp, ast.GeneratorExp)):
        return None
    if not isinstance(node.elt, ast.IfExp) or any(part.ifs for part in node.generators):
        return None
    if not _may_be_plain(analysis, node.elt, loop):
        return None
    turns = induction.turning(loop.scope, (loop,))
    if _way(analysis, node.elt, turns) is not Way.OWN:
        return None
    # What is only compared for being the same may be texts, which arrays hold as well.
    is_of_numbers = _compares_numbers([node.elt]) and _goes_over_array(analysis, loop)
    if not is_of_numbers and not _is_joined(analysis, loop):
        return None
    tests = [part.test for part in tree.walk(node.elt) if isinstance(part, ast.IfExp)]
    return _made(analysis, loop, turns, tests, [node.elt])


def _is_joined(analysis: Analysis, loop: Frame) -> bool:
    return any(loop in found.loops for found in collected(analysis, loop.scope.module_path))


def _goes_over_array(analysis: Analysis, loop: Frame) -> bool:
    """Whether the elements are those of one array: what they become could be one, too."""
    return any(
        _array_of(analysis, part, loop.scope) not in ("", arrays.SOME)
        for part in gone_over(analysis, loop)
    )


def _array_of(analysis: Analysis, node: ast.expr, scope: Scope) -> str:
    """The framework of an array; what a model predicts is one here, since numbers are in it."""
    found = arrays.framework_of(analysis, node, scope)
    if found:
        return found
    made = [node]
    if isinstance(node, ast.Name):
        definitions = values.definitions_of(analysis, node, scope)
        made = [d.value for d in definitions if d.value is not None and not d.unpacking]
    for call in made:
        fact = callgraph.fact_of_call(analysis, call, scope) if isinstance(call, ast.Call) else None
        if has(fact, Trait.PREDICTS):
            return "numpy"
    return ""


def _made(
    analysis: Analysis,
    loop: Frame,
    turns: Turning,
    tests: list[ast.expr],
    results: list[ast.AST],
) -> Choice | None:
    itself = next(
        (
            part.targets[0]
            for part in results
            if isinstance(part, ast.Assign) and isinstance(part.targets[0], ast.Subscript)
        ),
        None,
    )
    data: list[ast.expr] = []
    for test in tests:
        kind = _way(analysis, test, turns, itself)
        if kind is Way.OTHER or _asks_for_shape(analysis, test, turns):
            return None
        if kind is Way.OWN and _reads_data(analysis, test, turns):
            data.append(test)
    if not data:
        return None
    framework = _framework(analysis, loop, turns, [*data, *results])
    return Choice(loop, data[0], framework) if framework else None


def _reads_data(analysis: Analysis, node: ast.expr, turns: Turning) -> bool:
    """Whether an expression rests on elements, and not on counters alone."""
    return any(
        isinstance(part, ast.Subscript) or induction.elements_named(analysis, part, turns)
        for part in induction.expanded(analysis, node, turns)
    )


def _asks_for_shape(analysis: Analysis, test: ast.expr, turns: Turning) -> bool:
    """Whether a condition is about the shape of an element: that has no value of its own."""
    for part in tree.walk(test):
        if isinstance(part, ast.Attribute) and part.attr in _SHAPES:
            return True
        if isinstance(part, ast.Call) and last_name(part.func) == "len":
            return True
    return _makes_array(analysis, test, turns)


def _parts(analysis: Analysis, node: ast.AST, turns: Turning) -> Iterator[ast.AST]:
    for part in tree.children(node) if isinstance(node, ast.stmt) else (node,):
        if isinstance(part, ast.expr):
            yield from induction.expanded(analysis, part, turns)


def _framework(analysis: Analysis, loop: Frame, turns: Turning, nodes: list[ast.AST]) -> str:
    """The framework of the arrays that the iterations read, write, or are joined to."""
    scope = turns.scope
    if passes.over(analysis, loop) is LoopOver.PARTS:
        return ""
    found: set[str] = set()
    for node in nodes:
        for part in _parts(analysis, node, turns):
            if isinstance(part, ast.Subscript):
                found.add(arrays.framework_of(analysis, tree.container_of(part), scope))
            elif induction.elements_named(analysis, part, turns):
                assert isinstance(part, ast.Name)
                found.add(arrays.framework_of(analysis, part, scope))
    found |= {_array_of(analysis, part, scope) for part in gone_over(analysis, loop)}
    for known in ("tensorflow", "torch", "jax", "numpy", arrays.SOME):
        if known in found:
            return known
    if not _compares_numbers(nodes):
        return ""
    return arrays.SOME if _is_joined(analysis, loop) else ""


def _compares_numbers(nodes: list[ast.AST]) -> bool:
    """Whether a condition orders things."""
    return any(
        isinstance(part, ast.Compare)
        and isinstance(part.ops[0], (ast.Lt, ast.LtE, ast.Gt, ast.GtE))
        for node in nodes
        for part in tree.walk(node)
    )
