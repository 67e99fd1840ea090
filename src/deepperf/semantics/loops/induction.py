"""How the value of an expression comes about in each iteration of a loop, or call of a function.

It may be the same in all iterations, or follow from the iteration's own elements and indices by
plain arithmetic, indexing and casts, so that all iterations' values could be computed at once; or
it may rest on earlier iterations, on chance, or on code that does more than that.
"""

from __future__ import annotations

import ast
import enum
from collections.abc import Iterable, Iterator

from msgspec import Struct

from deepperf.knowledge.schema import Fact, ParameterRole, Trait, has
from deepperf.semantics.calls import callgraph
from deepperf.semantics.files.analysis import Analysis
from deepperf.semantics.names.flow import Binding, Definition
from deepperf.semantics.names.scopes import COMPREHENSIONS, Frame, Scope, last_name
from deepperf.semantics.text import tree
from deepperf.semantics.values import arrays, values
from deepperf.semantics.values.terms import Display
from deepperf.semantics.writes.harmless import writes_by_name

_PLAIN = frozenset((Trait.ELEMENTWISE, Trait.CASTS, Trait.VIEWS, Trait.CREATES_ARRAY))
_PLAIN |= frozenset((Trait.SYNCS_HOST, Trait.GATHERS, Trait.MARKS_INDICES, Trait.RANKS))
_NOT_PLAIN = frozenset((Trait.RANDOM, Trait.READS_STATE, Trait.READS_FILE, Trait.WRITES_STATE))
_NOT_PLAIN |= frozenset((Trait.RUNS_SESSION, Trait.CALLS_PYTHON, Trait.TRACES_ARGUMENT))
_NUMERIC = frozenset("abs bool complex float int len max min pow round range".split())  # noqa: SIM905
_GIVING = (Binding.ASSIGNED, Binding.ENTERED)
_ATTRIBUTES = frozenset("T data dtype device flat imag mT ndim real shape size values".split())  # noqa: SIM905


class Way(enum.Enum):
    """How an expression's value comes about in an iteration."""

    FIXED = "fixed"  # the same in each iteration
    OWN = "own"  # plainly, from the iteration's own elements and indices
    OTHER = "other"  # otherwise, or it is not known how


class Turning(Struct, frozen=True, eq=False):
    """The iterations in question: of `loops`, loops of `scope`; of none, the calls of `scope`.

    `written` are the dotted names of what the iterations write to.
    """

    scope: Scope
    loops: tuple[Frame, ...]
    written: frozenset[str]


def turning(scope: Scope, loops: Iterable[Frame]) -> Turning:
    """The iterations of `loops`, outermost first, of one scope; of none, the calls of the scope."""
    found = tuple(loops)
    return Turning(scope, found, frozenset(_written(scope, found)))


def _written(scope: Scope, loops: tuple[Frame, ...]) -> Iterable[str]:
    outermost = loops[0] if loops else None
    for target, frames in scope.item_writes:
        if outermost is None or outermost in frames:
            yield tree.dotted(tree.container_of(target))
    for site in scope.calls:
        function = site.node.func
        if outermost is not None and outermost not in site.frames:
            continue
        if isinstance(function, ast.Attribute) and writes_by_name(function.attr):
            yield tree.dotted(tree.container_of(function.value))
    for write in scope.attribute_writes:
        if outermost is None or outermost in write.frames:
            yield f"{write.base}.{write.attribute}"


def way(analysis: Analysis, node: ast.expr, turns: Turning, itself: ast.expr | None = None) -> Way:
    """How `node`, of the iterations' own scope, comes about.

    `itself` is an item that an iteration writes, and may read as well.
    """
    if isinstance(node, ast.Constant):
        return Way.FIXED if isinstance(node.value, (int, float, complex, bool)) else Way.OTHER
    if itself is not None and isinstance(node, ast.Subscript) and same(node, itself):
        return Way.OWN
    if isinstance(node, ast.Name):
        return _of_name(analysis, node, turns, itself)
    if isinstance(node, ast.Attribute):
        return _of_attribute(analysis, node, turns, itself)
    if isinstance(node, ast.Call):
        return _of_call(analysis, node, turns, itself)
    if isinstance(node, (ast.JoinedStr, ast.Lambda, ast.Await, ast.NamedExpr, ast.Dict, ast.Set)):
        return Way.OTHER
    if isinstance(node, COMPREHENSIONS):
        return Way.OTHER
    if isinstance(node, ast.Subscript) and _may_be_mapping(analysis, node, turns):
        return Way.OTHER
    return joined(way(analysis, part, turns, itself) for part in parts_of(node))


_NEVER_PLAIN = (
    *(ast.JoinedStr, ast.Lambda, ast.Await, ast.NamedExpr, ast.Dict, ast.Set),
    *COMPREHENSIONS,
)


def may_come_plainly(analysis: Analysis, node: ast.expr, scope: Scope) -> bool:
    """Whether, by its text alone, a value may come about plainly; asked before what costs."""
    if isinstance(node, ast.Constant):
        return isinstance(node.value, (int, float, complex, bool))
    if isinstance(node, ast.Name):
        return True
    if isinstance(node, _NEVER_PLAIN):
        return False
    if isinstance(node, ast.Call):
        if not may_be_plain(analysis, node, scope):
            return False
        parts = tree.operands(node)
        return all(_is_setting(part) or may_come_plainly(analysis, part, scope) for part in parts)
    return all(may_come_plainly(analysis, part, scope) for part in parts_of(node))


def _may_be_mapping(analysis: Analysis, node: ast.Subscript, turns: Turning) -> bool:
    """Whether a dictionary may be asked: one is known, or the key may be anything."""
    named = [
        part
        for part in expanded(analysis, node.slice, turns)
        if elements_named(analysis, part, turns)
    ]
    if not named:
        return False
    types: set[str] = set()
    for term in values.evaluate(analysis, node.value, turns.scope):
        if isinstance(term, Display):
            if isinstance(term.node, (ast.Dict, ast.DictComp)):
                return True
            types.add("builtins.list")
        else:
            types.add(getattr(term, "type", ""))
    if "builtins.dict" in types:
        return True
    if "builtins.list" in types:
        return False
    if arrays.framework_of(analysis, node.value, turns.scope) not in ("", arrays.SOME):
        return False
    if not elements_named(analysis, node.slice, turns):
        return False
    keys = {getattr(t, "type", "") for t in values.evaluate(analysis, node.slice, turns.scope)}
    return keys.isdisjoint((*values.ARRAY_TYPES, "builtins.int"))


def parts_of(node: ast.expr) -> list[ast.expr]:
    return [part for part in tree.children(node) if isinstance(part, ast.expr)]


def joined(ways: Iterable[Way]) -> Way:
    found = set(ways)
    if Way.OTHER in found:
        return Way.OTHER
    return Way.OWN if Way.OWN in found else Way.FIXED


def same(first: ast.expr, second: ast.expr) -> bool:
    """Whether two expressions are written alike, whether they read or write."""
    return ast.unparse(first) == ast.unparse(second)


def is_of_one(index: ast.Slice) -> bool:
    """Whether a slice has one item: `i : i + 1`."""
    upper = index.upper
    return (
        index.lower is not None
        and index.step is None
        and isinstance(upper, ast.BinOp)
        and isinstance(upper.op, ast.Add)
        and isinstance(upper.right, ast.Constant)
        and upper.right.value == 1
        and same(upper.left, index.lower)
    )


# Names


def inner_definitions(analysis: Analysis, node: ast.Name, turns: Turning) -> list[Definition]:
    """The definitions within the iterations that a name may have; all of its reach from there."""
    found = values.definitions_of(analysis, node, turns.scope)
    return [definition for definition in found if _is_inside(definition, turns)]


def _is_inside(definition: Definition, turns: Turning) -> bool:
    if definition.scope is not turns.scope:
        return False
    return not turns.loops or id(turns.loops[0].node) in definition.loops


def _of_name(analysis: Analysis, node: ast.Name, turns: Turning, itself: ast.expr | None) -> Way:
    if node.id in turns.written:
        return Way.OTHER
    definitions = values.definitions_of(analysis, node, turns.scope)
    inside = [definition for definition in definitions if _is_inside(definition, turns)]
    if not inside:
        return Way.FIXED
    if len(inside) < len(definitions):
        return Way.OWN if is_counter(definitions, turns) else Way.OTHER
    found: list[Way] = []
    for definition in inside[:4]:
        if definition.binding in (Binding.ITERATED, Binding.PARAMETER):
            found.append(Way.OWN)
        elif definition.binding is Binding.ASSIGNED and _comes_before(definition, node):
            assert definition.value is not None
            held = definition.value
            found.append(
                analysis.remember(
                    ("way", definition, turns.loops, itself),
                    lambda held=held: way(analysis, held, turns, itself),  # type: ignore[misc]
                    Way.OTHER,
                )
            )
        else:
            found.append(Way.OTHER)
    # Which of several it is depends on a condition, and that on the iteration.
    return joined([*found, Way.OWN] if len(found) > 1 else found)


def _comes_before(definition: Definition, node: ast.Name) -> bool:
    line = getattr(definition.node, "lineno", 0)
    return definition.value is not None and bool(line <= node.lineno)


def is_counter(definitions: Iterable[Definition], turns: Turning) -> bool:
    """Whether a name starts at a number, and every iteration moves it on by the same number."""
    if not turns.loops:
        return False
    body = getattr(turns.loops[0].node, "body", ())
    steps = 0
    for definition in definitions:
        is_number = isinstance(definition.value, ast.Constant)
        if definition.binding is Binding.AUGMENTED and is_number:
            steps += any(_is_at(definition.node, statement) for statement in body)
        elif definition.binding is not Binding.ASSIGNED or not is_number:
            return False
    return steps == 1


def _is_at(node: ast.AST, statement: ast.stmt) -> bool:
    is_target = isinstance(statement, ast.AugAssign) and statement.target is node
    return node is statement or is_target


def counts(definition: Definition) -> bool:
    """Whether a loop binds a name to numbers in order: of `range`, or first of `enumerate`."""
    value = definition.value
    if not isinstance(value, ast.Call):
        return False
    name = last_name(value.func)
    if name == "enumerate":
        return definition.unpacking == (0,)
    return name in ("arange", "prange", "range", "trange", "xrange")


def expanded(analysis: Analysis, node: ast.expr, turns: Turning) -> Iterator[ast.AST]:
    """The parts of an expression, and of what the iteration assigned to the names in it."""
    pending: list[ast.expr] = [node]
    seen: set[Definition] = set()
    while pending:
        for part in tree.walk(pending.pop()):
            yield part
            if isinstance(part, ast.Name):
                for definition in inner_definitions(analysis, part, turns):
                    is_new = definition.binding in _GIVING and definition not in seen
                    if is_new and definition.value is not None:
                        seen.add(definition)
                        pending.append(definition.value)


def elements_named(analysis: Analysis, part: ast.AST, turns: Turning) -> bool:
    """Whether it is a name that a loop binds to elements, not to numbers in order."""
    return isinstance(part, ast.Name) and any(
        definition.binding is Binding.ITERATED and not counts(definition)
        for definition in inner_definitions(analysis, part, turns)
    )


# Attributes and calls


def _of_attribute(
    analysis: Analysis, node: ast.Attribute, turns: Turning, itself: ast.expr | None
) -> Way:
    if tree.dotted(node) in turns.written:
        return Way.OTHER
    base = way(analysis, node.value, turns, itself)
    if base is Way.OWN and node.attr not in _ATTRIBUTES:
        return Way.OTHER
    return base


def _of_call(analysis: Analysis, node: ast.Call, turns: Turning, itself: ast.expr | None) -> Way:
    if not is_plain(analysis, node, turns.scope):
        return Way.OTHER
    fact = callgraph.fact_of_call(analysis, node, turns.scope)
    if has(fact, Trait.RANKS):
        # Among numbers that each iteration has of its own, not all can be placed at once.
        ordered = callgraph.role_argument(node, fact, ParameterRole.ORDERED)
        if ordered is None or way(analysis, ordered, turns, itself) is not Way.FIXED:
            return Way.OTHER
    operands = tree.arguments(node)
    if is_method(analysis, node, turns.scope):
        assert isinstance(node.func, ast.Attribute)
        operands.append(node.func.value)
    return joined(
        Way.FIXED if _is_setting(operand) else way(analysis, operand, turns, itself)
        for operand in operands
    )


def _is_setting(node: ast.expr) -> bool:
    """Whether it is a text or nothing, as names of types and modes are."""
    return isinstance(node, ast.Constant)


def is_method(analysis: Analysis, node: ast.Call, scope: Scope) -> bool:
    """Whether a call is made on an object, and not a function of a module."""
    if not isinstance(node.func, ast.Attribute):
        return False
    held = values.evaluate(analysis, node.func.value, scope)
    return not any(type(term).__name__ in ("External", "ModuleTerm") for term in held)


def is_plain(analysis: Analysis, node: ast.Call, scope: Scope) -> bool:
    """Whether a call only casts, views, picks or computes number by number."""
    if not may_be_plain(analysis, node, scope):
        return False
    held = values.evaluate(analysis, node.func, scope)
    fact = callgraph.fact_of(analysis, held)
    if fact is not None:
        return _is_plain(fact)
    if isinstance(node.func, ast.Attribute) and not callgraph.external_names(held):
        return node.func.attr in _plain_methods(analysis) and not callgraph.targets_of(
            analysis, held
        )
    return False


def may_be_plain(analysis: Analysis, node: ast.Call, scope: Scope) -> bool:
    """Whether the name that is called leaves it possible; asked before what costs."""
    module = analysis.module_of(scope)
    return module.is_one_of(last_name(node.func), _plain_names(analysis))


def _plain_names(analysis: Analysis) -> frozenset[str]:
    """The last names of all that is plain, aliases too."""

    def find() -> frozenset[str]:
        knowledge = analysis.knowledge
        return knowledge.last_names({n for n, fact in knowledge.facts.items() if _is_plain(fact)})

    return analysis.project.named("plain", find)


def _is_plain(fact: Fact) -> bool:
    if Trait.PURE in fact.traits and Trait.RANKS not in fact.traits:
        module, _, name = fact.name.rpartition(".")
        is_number = module == "math" or (module == "builtins" and name in _NUMERIC)
        return is_number or module in values.ARRAY_TYPES
    return not fact.traits.isdisjoint(_PLAIN) and fact.traits.isdisjoint(_NOT_PLAIN)


def _plain_methods(analysis: Analysis) -> frozenset[str]:
    """The names of plain methods of arrays, for objects of which nothing is known."""

    def find() -> frozenset[str]:
        return frozenset(
            name
            for kind in values.ARRAY_TYPES
            for full, fact in analysis.knowledge.facts.items()
            for module, _, name in [full.rpartition(".")]
            if module == kind and _is_plain(fact)
        )

    return analysis.project.named("plain methods", find)
