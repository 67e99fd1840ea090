"""Parts of an array that loops pick by index, one in each iteration, to join them again."""

from __future__ import annotations

import ast
import enum
from collections.abc import Iterator

from msgspec import Struct

from deepperf.knowledge import members
from deepperf.knowledge.schema import Trait, has
from deepperf.semantics.calls import callgraph
from deepperf.semantics.files.analysis import Analysis
from deepperf.semantics.invariance.certainty import Certainty
from deepperf.semantics.loops import induction, loops
from deepperf.semantics.loops.induction import Turning, Way
from deepperf.semantics.loops.regions import region_of_loop
from deepperf.semantics.names.flow import Binding
from deepperf.semantics.names.scopes import CallSite, Frame, Scope, last_name
from deepperf.semantics.text import tree
from deepperf.semantics.values import arrays
from deepperf.semantics.vectorization import choices
from deepperf.semantics.vectorization.collected import Collected, collected
from deepperf.semantics.writes import aliases, writes

_DEEPEST = 6
# What makes an array or works on it as a whole is more than a way to it.
_ENDING = (Trait.CREATES_ARRAY, Trait.MARKS_INDICES, Trait.BATCHED)


class Picking(enum.Enum):
    """Which parts the iterations pick."""

    ELEMENTS = "elements"  # by an index in each of several axes
    ROWS = "rows"  # by an index in the first axis
    COLUMNS = "columns"  # by an index in another axis
    MEMBERS = "members"  # of each member of a batch, by indices of its own


class Lookup(Struct, frozen=True, eq=False):
    """One expression that picks a part of `container` in each iteration of `loop`."""

    node: ast.expr
    container: ast.expr
    scope: Scope
    loop: Frame
    picking: Picking
    framework: str
    join: CallSite


def lookups(analysis: Analysis, path: str) -> Iterator[Lookup]:
    """The lookups of a file whose results are joined to one array, each once."""
    groups: dict[tuple[int, int], list[Collected]] = {}
    for found in collected(analysis, path):
        if found.scope.module_path == path:
            key = (id(found.join.node), id(found.loops[0].node))
            groups.setdefault(key, []).append(found)
    seen: set[int] = set()
    for together in groups.values():
        picked = [_picked(analysis, found) for found in together]
        for lookup in picked if all(picked) else ():
            if lookup is not None and id(lookup.node) not in seen:
                seen.add(id(lookup.node))
                yield lookup


def _picked(analysis: Analysis, found: Collected) -> Lookup | None:
    """The first lookup of an element that consists of nothing else."""
    if any(loops.is_left(loop) for loop in found.loops):
        return None
    # What is chosen by a condition is another matter than what is picked.
    if found.tests and choices.choice_in(analysis, found.loops[0]) is not None:
        return None
    turns = induction.turning(found.scope, found.loops)
    parts = list(_looked_up(analysis, found.element, turns, _DEEPEST))
    if not parts or induction.way(analysis, found.element, turns) is not Way.OWN:
        return None
    if any(induction.way(analysis, test, turns) is Way.OTHER for test in found.tests):
        return None
    for part in parts:
        lookup = _lookup(analysis, part, turns, found)
        if lookup is not None:
            is_lookup = _is_even(analysis, found, lookup, turns)
            if not is_lookup or _goes_along(analysis, found, lookup, turns):
                return None
            return _unless_filled(analysis, found, lookup)
    return None


def _unless_filled(analysis: Analysis, found: Collected, lookup: Lookup) -> Lookup | None:
    """The lookup, unless iterations may change what it picks from: by collectives, or in place."""
    outermost = found.loops[0]
    chain = tree.chain_of(tree.container_of(lookup.container))
    if chain is not None:
        region = region_of_loop(analysis, outermost)
        named = [
            (name,)
            for name, value in region.bound.items()
            if value is not None and chain in aliases.shown(analysis, value, region.scope)
        ]
        written = (writes.written(analysis, one, region) for one in (chain, *named))
        if any(answer is not Certainty.NO for answer in written):
            return None
    return lookup


def _goes_along(analysis: Analysis, found: Collected, lookup: Lookup, turns: Turning) -> bool:
    """Whether the rows are taken in order, each to compute something from it.

    Nothing is looked up then: what is called for each row could be called for all.
    """
    node = lookup.node
    if lookup.picking is not Picking.ROWS or not isinstance(node, ast.Subscript):
        return False
    return _is_counted(analysis, node.slice, turns) and any(
        isinstance(part, ast.Call) and _has(analysis, part, turns.scope, Trait.ELEMENTWISE)
        for part in induction.expanded(analysis, found.element, turns)
    )


def _is_even(analysis: Analysis, found: Collected, lookup: Lookup, turns: Turning) -> bool:
    """Whether what the iterations pick is known to be of one shape, and to stay so in the
    result.
    """
    fact = callgraph.fact_at(analysis, found.join)
    if has(fact, Trait.LENGTHENS):
        return _is_one_long(analysis, found.element, lookup, turns)
    # A list of all rows is more than a step on the way to what is joined somewhere else.
    return lookup.picking is not Picking.ROWS or found.join.scope is found.scope


def _is_one_long(analysis: Analysis, node: ast.expr, lookup: Lookup, turns: Turning) -> bool:
    """Whether each part gets an axis of length one, or keeps one, before it is joined."""
    picks = lookup.node
    if isinstance(picks, ast.Call) and _takes_one(picks):
        return True
    if isinstance(picks, ast.Subscript) and any(
        isinstance(index, ast.Slice) and induction.is_of_one(index)
        for index in tree.indices_of(picks)
    ):
        return True
    for part in induction.expanded(analysis, node, turns):
        if isinstance(part, ast.Subscript) and part is not lookup.node and _is_reshaping(part):
            return True
        if isinstance(part, (ast.List, ast.Tuple)) and part.elts == [lookup.node]:
            return True
        if isinstance(part, ast.Call) and last_name(part.func) in members.AXIS_ADDITIONS:
            return True
    return False


def _takes_one(node: ast.Call) -> bool:
    """Whether a slice is asked for that has one item along an axis: of size `[1, -1]`."""
    return any(
        isinstance(operand, (ast.List, ast.Tuple))
        and any(isinstance(part, ast.Constant) and part.value == 1 for part in operand.elts)
        for operand in (*node.args[2:], *(keyword.value for keyword in node.keywords))
    )


def _looked_up(
    analysis: Analysis, node: ast.expr, turns: Turning, depth: int
) -> Iterator[ast.expr]:
    """The lookups that an element is made of by arithmetic, casts and changes of shape."""
    if not depth:
        return
    if isinstance(node, ast.Name):
        inside = induction.inner_definitions(analysis, node, turns)
        for definition in inside:
            if definition.binding is Binding.ASSIGNED and not definition.unpacking:
                assert definition.value is not None
                yield from _looked_up(analysis, definition.value, turns, depth - 1)
    elif isinstance(node, ast.Subscript):
        if _is_reshaping(node):
            yield from _looked_up(analysis, node.value, turns, depth - 1)
        else:
            yield node
    elif isinstance(node, ast.Call):
        if _has(analysis, node, turns.scope, Trait.GATHERS):
            yield node
        elif induction.is_plain(analysis, node, turns.scope) and not (
            any(_has(analysis, node, turns.scope, trait) for trait in _ENDING)
        ):
            operands = list(node.args)
            if induction.is_method(analysis, node, turns.scope):
                assert isinstance(node.func, ast.Attribute)
                operands.insert(0, node.func.value)
            for operand in operands:
                yield from _looked_up(analysis, operand, turns, depth - 1)
    elif isinstance(node, (ast.BinOp, ast.UnaryOp, ast.List, ast.Tuple)):
        for part in induction.parts_of(node):
            yield from _looked_up(analysis, part, turns, depth - 1)


def _has(analysis: Analysis, node: ast.Call, scope: Scope, trait: Trait) -> bool:
    fact = callgraph.fact_of_call(analysis, node, scope)
    return has(fact, trait)


def _is_reshaping(node: ast.Subscript) -> bool:
    """Whether an index only adds axes or takes everything: `x[None]`, `x[:, None]`, `x[...]`."""
    return all(
        (isinstance(part, ast.Constant) and (part.value is None or part.value is ...))
        or _is_whole(part)
        for part in tree.indices_of(node)
    )


def _is_whole(part: ast.expr) -> bool:
    return isinstance(part, ast.Slice) and not (part.lower or part.upper or part.step)


def _lookup(analysis: Analysis, part: ast.expr, turns: Turning, found: Collected) -> Lookup | None:
    if isinstance(part, ast.Call):
        return _of_call(analysis, part, turns, found)
    assert isinstance(part, ast.Subscript)
    return _of_items(analysis, part, turns, found)


def _of_items(
    analysis: Analysis, node: ast.Subscript, turns: Turning, found: Collected
) -> Lookup | None:
    chain = _chain(analysis, node, turns)
    container = chain[-1].value
    indices = [index for item in reversed(chain) for index in tree.indices_of(item)]
    ways = [_way_of_index(analysis, index, turns) for index in indices]
    if Way.OTHER in ways or Way.OWN not in ways:
        return None
    framework = _framework(analysis, container, node, turns.scope)
    if not framework:
        return None
    is_member = _is_member(analysis, container, turns)
    if induction.way(analysis, container, turns) is not Way.FIXED and not is_member:
        return None
    own = [place for place, kind in enumerate(ways) if kind is Way.OWN]
    is_of_batch = len(chain) > 1 and _is_counted(analysis, indices[own[0]], turns)
    if is_member or (len(own) > 1 and is_of_batch):
        picking = Picking.MEMBERS
    elif len(own) > 1:
        picking = Picking.ELEMENTS
    else:
        picking = Picking.COLUMNS if own[0] else Picking.ROWS
    return _made(node, container, turns, picking, framework, found)


def _chain(analysis: Analysis, node: ast.Subscript, turns: Turning) -> list[ast.Subscript]:
    """The subscripts that lead to a part, the last one first, names of the iteration looked up."""
    chain = [node]
    while len(chain) < _DEEPEST:
        base = chain[-1].value
        if isinstance(base, ast.Name):
            inside = induction.inner_definitions(analysis, base, turns)
            if len(inside) != 1 or inside[0].unpacking or inside[0].value is None:
                break
            if inside[0].binding is not Binding.ASSIGNED:
                break
            base = inside[0].value
        if not isinstance(base, ast.Subscript):
            break
        chain.append(base)
    return chain


def _way_of_index(analysis: Analysis, index: ast.expr, turns: Turning) -> Way:
    """How an index comes about; a slice must take the same of each, or exactly one."""
    if not isinstance(index, ast.Slice):
        if isinstance(index, ast.Constant) and (index.value is None or index.value is ...):
            return Way.FIXED
        found = induction.way(analysis, index, turns)
        # A mask picks more in one iteration than in another.
        is_mask = any(_makes_mask(part) for part in tree.walk(index))
        return Way.OTHER if is_mask and found is Way.OWN else found
    ends = [end for end in (index.lower, index.upper, index.step) if end is not None]
    found = induction.joined(induction.way(analysis, end, turns) for end in ends)
    if found is Way.OWN and not induction.is_of_one(index):
        return Way.OTHER
    return found


def _makes_mask(part: ast.AST) -> bool:
    return isinstance(part, ast.Compare) or isinstance(getattr(part, "op", None), ast.Invert)


def _is_counted(analysis: Analysis, node: ast.expr, turns: Turning) -> bool:
    """Whether an index goes through all members in order."""
    return isinstance(node, ast.Name) and any(
        induction.counts(definition)
        for definition in induction.inner_definitions(analysis, node, turns)
    )


def _is_member(analysis: Analysis, node: ast.expr, turns: Turning) -> bool:
    """Whether a name stands for the elements of an array in turn."""
    return isinstance(node, ast.Name) and any(
        definition.binding is Binding.ITERATED
        for definition in induction.inner_definitions(analysis, node, turns)
    )


def _framework(analysis: Analysis, container: ast.expr, node: ast.expr, scope: Scope) -> str:
    known = arrays.framework_of(analysis, container, scope)
    if known and known != arrays.SOME:
        return known
    # Lists take one index at a time, and keys of dictionaries stand in brackets of their own.
    if not known and isinstance(node, ast.Subscript) and len(tree.indices_of(node)) > 1:
        if _is_bracketed(node.slice):
            return ""
        return arrays.SOME if arrays.is_open(analysis, container, scope) else ""
    return known


def _is_bracketed(index: ast.expr) -> bool:
    """Whether it is a tuple as in `x[(i, j)]`."""
    first = tree.first_of(index)
    return (index.lineno, index.col_offset) < (first.lineno, first.col_offset)


def _base_of(analysis: Analysis, node: ast.expr, turns: Turning) -> ast.expr:
    """What a part belongs to: `x` of `x[i]`, and of a name that the iteration gives it."""
    if isinstance(node, ast.Name):
        inner = induction.inner_definitions(analysis, node, turns)
        if len(inner) == 1 and inner[0].binding is Binding.ASSIGNED and inner[0].value:
            node = inner[0].value
    return tree.container_of(node)


def _of_call(analysis: Analysis, node: ast.Call, turns: Turning, found: Collected) -> Lookup | None:
    scope = turns.scope
    fact = callgraph.fact_of_call(analysis, node, scope)
    assert fact is not None
    operands = tree.arguments(node)
    if induction.is_method(analysis, node, scope):
        assert isinstance(node.func, ast.Attribute)
        operands.insert(0, node.func.value)
    if len(operands) < 2:
        return None
    container, indices = operands[0], operands[1:]
    if induction.joined(induction.way(analysis, part, turns) for part in indices) is not Way.OWN:
        return None
    kind = induction.way(analysis, container, turns)
    if kind is Way.OTHER:
        return None
    if kind is Way.OWN:
        base = _base_of(analysis, container, turns)
        known = arrays.framework_of(analysis, base, scope)
        if not known or (base is container and not _is_member(analysis, container, turns)):
            return None
        return _made(node, base, turns, Picking.MEMBERS, fact.framework, found)
    return _made(node, container, turns, Picking.ROWS, fact.framework, found)


def _made(
    node: ast.expr,
    container: ast.expr,
    turns: Turning,
    picking: Picking,
    framework: str,
    found: Collected,
) -> Lookup:
    return Lookup(node, container, turns.scope, turns.loops[-1], picking, framework, found.join)
