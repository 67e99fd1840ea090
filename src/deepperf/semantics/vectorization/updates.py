"""Single places of an array that loops set by index, one in each iteration."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from msgspec import Struct

from deepperf.knowledge import members
from deepperf.knowledge.schema import Trait, has
from deepperf.semantics.calls import callgraph
from deepperf.semantics.files.analysis import Analysis
from deepperf.semantics.loops import induction
from deepperf.semantics.loops.induction import Turning, Way
from deepperf.semantics.loops.loops import is_left, iterable_of, sites_in
from deepperf.semantics.loops.statements import standing_in
from deepperf.semantics.names.flow import Binding, Definition
from deepperf.semantics.names.scopes import CallSite, Frame, Scope, last_name
from deepperf.semantics.sizes import array_shapes
from deepperf.semantics.text import tree
from deepperf.semantics.values import arrays, values
from deepperf.semantics.vectorization import array_writes
from deepperf.semantics.vectorization.array_writes import Setting, Write
from deepperf.semantics.vectorization.choices import choice_in
from deepperf.semantics.vectorization.collected import collected
from deepperf.semantics.vectorization.places import masks_row, way_of_index

_SLIGHT = frozenset((Trait.PRINTS, Trait.SCATTERS, Trait.PURE, Trait.CREATES_ARRAY))
_ALSO_SLIGHT = array_writes.METHODS | frozenset(("append", "zip", "enumerate", "tqdm", "write"))


class Update(Struct, frozen=True, eq=False):
    """One expression or statement that sets one place of `container` in each iteration of `loops`.

    `copies` says whether it makes a new array each time.
    """

    node: ast.AST
    container: ast.expr
    scope: Scope
    loops: tuple[Frame, ...]
    setting: Setting
    framework: str
    copies: bool
    is_table: bool  # made from counters alone
    mapping: CallSite | None = None  # instead of loops, the call that maps a function over indices


def updates(analysis: Analysis, path: str) -> Iterator[Update]:
    """The updates of a file by which loops fill, mark or count in arrays place by place."""
    module = analysis.module(path)
    scatters = module.with_renamed(analysis.project.trigger_names(frozenset((Trait.SCATTERS,))))
    may_scatter = not (scatters | array_writes.METHODS).isdisjoint(module.called_names)
    for scope in module.all_scopes:
        for loop in scope.loops:
            if not isinstance(loop.node, (ast.For, ast.While)) or _is_inner(loop, scope):
                continue
            if not may_scatter and not any(loop in frames for _, frames in scope.item_writes):
                continue
            yield from _in_loop(analysis, loop)


def _is_inner(loop: Frame, scope: Scope) -> bool:
    return any(
        other is not loop
        and isinstance(other.node, (ast.For, ast.While))
        and other.lines.start <= loop.lines.start
        and other.lines.stop >= loop.lines.stop
        for other in scope.loops
    )


def _in_loop(analysis: Analysis, loop: Frame) -> Iterator[Update]:
    by_container: dict[str, list[Write]] = {}
    for standing in standing_in(analysis, loop):
        for write in array_writes.writes(analysis, standing):
            by_container.setdefault(tree.dotted(write.container), []).append(write)
    for name, writes in by_container.items():
        if not name:
            continue
        # Where one write to an array is more than that, the others may prepare it.
        if not all(_may_update(analysis, write) for write in writes):
            continue
        found: list[Update] = []
        for write in writes:
            update = _update(analysis, write)
            if update is None:
                break
            found.append(update)
        else:
            yield from found


def _may_update(analysis: Analysis, write: Write) -> bool:
    """Whether, by texts alone, a write may be no more than that; asked before what costs."""
    standing = write.standing
    loop = standing.loops[-1]
    if write.value is None or is_left(loop):
        return False
    parts = (*standing.tests, *((write.value,) if write.place is not None else ()))
    if not all(induction.may_come_plainly(analysis, part, loop.scope) for part in parts):
        return False
    slight = analysis.project.trigger_names(_SLIGHT) | _ALSO_SLIGHT
    module = analysis.module_of(loop.scope)
    return all(
        module.is_one_of(last_name(site.node.func), slight)
        or induction.may_be_plain(analysis, site.node, loop.scope)
        for site in sites_in(analysis, loop)
    )


# Whether all iterations' writes could be one


def _update(analysis: Analysis, write: Write) -> Update | None:
    standing = write.standing
    scope = standing.loops[0].scope
    loops = _bare(analysis, _loops_around(analysis, write, scope))
    if not loops or write.value is None or any(is_left(loop) for loop in loops):
        return None
    if any(choice_in(analysis, loop) is not None for loop in loops):
        return None
    turns = induction.turning(scope, loops)
    setting = write.setting
    ways = [way_of_index(analysis, index, turns) for index in write.indices]
    if masks_row(analysis, write, turns):
        setting = Setting.MASKS
        ways = [Way.FIXED if way is Way.OTHER else way for way in ways]
    if Way.OWN not in ways or Way.OTHER in ways:
        return None
    itself = write.place if write.framework == "" else None
    if induction.way(analysis, write.value, turns, itself) is Way.OTHER:
        return None
    if any(induction.way(analysis, test, turns) is Way.OTHER for test in standing.tests):
        return None
    framework = write.framework or arrays.framework_of(analysis, write.container, scope)
    if not framework or _is_list_yet(write.container, loops[0]):
        return None
    if _is_made_a_list(analysis, write.container, scope):
        return None
    if tree.dotted(write.container) in arrays.told_lists(scope, write.node):
        return None
    own = [index for index, kind in zip(write.indices, ways, strict=True) if kind is Way.OWN]
    counted = all(_is_counted(analysis, index, turns) for index in own)
    may_copy = counted and _may_copy_blocks(analysis, write.value, turns)
    if may_copy and not _sets_number(analysis, write, scope):
        return None
    ruling = [write.value, *standing.tests, *filter(None, map(iterable_of, loops))]
    if _is_read_beside(write, loops[0], () if counted else own):
        return None
    is_table = counted and all(_is_counted(analysis, part, turns) for part in ruling)
    return Update(
        write.node,
        write.container,
        scope,
        loops,
        setting,
        framework,
        write.copies,
        is_table,
    )


def _is_read_beside(write: Write, loop: Frame, unsure: Sequence[ast.expr]) -> bool:
    """Whether turns read items besides, which earlier iterations may have set.

    Its own place an iteration may read, unless an index that is `unsure` comes to one place twice.
    """
    name = tree.dotted(write.container)
    # Where two iterations may come to one place, the second goes on from what the first has set.
    value = write.value if unsure and write.setting is not Setting.ADDS else None
    if value is not None and any(_is_item(part, name) for part in tree.walk(value)):
        return True
    passed = {id(part) for part in tree.walk(write.standing.node)}
    is_made_anew = False
    for part in tree.walk(loop.node):
        # To set an item, or to ask for the shape, reads no item.
        if isinstance(part, ast.Subscript) and not isinstance(part.ctx, ast.Load):
            passed |= {id(inner) for inner in _way_to(part)}
        elif isinstance(part, ast.Attribute) and part.attr in members.SHAPE_ATTRIBUTES:
            passed.add(id(part.value))
        elif isinstance(part, ast.Call) and last_name(part.func) == "len":
            passed |= {id(argument) for argument in part.args}
        elif isinstance(part, ast.Assign) and tree.dotted(part.targets[0]) == name:
            # Another update of its kind; or each iteration makes one that it may hand on.
            is_made_anew |= id(part) not in passed
            passed |= {id(inner) for inner in tree.walk(part)}
    for part in tree.walk(loop.node):
        if not isinstance(part, ast.expr) or id(part) in passed:
            continue
        if isinstance(part, ast.Subscript) and _is_item(part, name):
            if unsure or write.place is None or not _is_of(part, write.place):
                return True
            passed |= {id(inner) for inner in _way_to(part)}
        elif not is_made_anew and tree.dotted(part) == name:
            return True
    return False


def _is_item(part: ast.AST, name: str) -> bool:
    return isinstance(part, ast.Subscript) and tree.dotted(tree.container_of(part)) == name


def _way_to(item: ast.Subscript) -> Iterator[ast.expr]:
    """The expressions that lead to an item: `x[i]` and `x` of `x[i][j]`."""
    way: ast.expr = item
    while isinstance(way, ast.Subscript):
        yield way
        way = way.value
    yield way


def _is_of(part: ast.Subscript, place: ast.Subscript) -> bool:
    """Whether an item is the place that is written, or on the way to it."""
    return any(
        induction.same(part, way) for way in _way_to(place) if isinstance(way, ast.Subscript)
    )


def _is_list_yet(container: ast.expr, loop: Frame) -> bool:
    """Whether the attribute last set before the loop was set to a list; later it may be more."""
    if not isinstance(container, ast.Attribute):
        return False
    base = tree.dotted(container.value)
    before = [
        write.value
        for write in loop.scope.attribute_writes
        if write.base == base
        and write.attribute == container.attr
        and write.value is not None
        and write.value.lineno < loop.lines.start
    ]
    last = max(before, key=lambda value: value.lineno, default=None)
    return isinstance(last, (ast.List, ast.ListComp))


def _is_made_a_list(analysis: Analysis, container: ast.expr, scope: Scope) -> bool:
    """Whether a name holds what `list` or `sorted` made, whatever its items are."""
    if not isinstance(container, ast.Name):
        return False
    found = values.definitions_of(analysis, container, scope)
    return bool(found) and all(
        isinstance(one.value, ast.Call)
        and isinstance(one.value.func, ast.Name)
        and one.value.func.id in ("list", "sorted")
        for one in found
    )


def _loops_around(analysis: Analysis, write: Write, scope: Scope) -> tuple[Frame, ...]:
    """The loops in which the container is the same object, or grows out of itself."""
    loops = write.standing.loops
    root = tree.owner_of(write.container)
    if not isinstance(root, ast.Name):
        return ()
    found = analysis.module_of(scope).flow(scope).all.get(root.id, ())
    for definition in found:
        if definition.value is write.node:
            continue
        if _is_update(definition.value, root.id):
            continue
        outside = tuple(loop for loop in loops if id(loop.node) not in definition.loops)
        # What sets a whole axis of it is no single place.
        is_place = not any(isinstance(index, ast.Slice) for index in write.indices)
        if loops and not outside and is_place and _is_kept_row(analysis, definition, loops[-1]):
            return loops[-1:]
        loops = outside
    return loops


def _bare(analysis: Analysis, loops: tuple[Frame, ...]) -> tuple[Frame, ...]:
    """The innermost of the loops that do nothing but plain work: others have to turn anyway."""
    found: list[Frame] = []
    for loop in reversed(loops):
        if not all(is_slight(analysis, site) for site in sites_in(analysis, loop)):
            break
        found.insert(0, loop)
    return tuple(found)


def is_slight(analysis: Analysis, site: CallSite) -> bool:
    """Whether a call is plain work, or keeps its result."""
    if induction.is_plain(analysis, site.node, site.scope):
        return True
    name = last_name(site.node.func) or ""
    if name in _ALSO_SLIGHT:
        return True
    return has(callgraph.fact_at(analysis, site), *_SLIGHT)


def _is_kept_row(analysis: Analysis, definition: Definition, loop: Frame) -> bool:
    """Whether an iteration makes an empty array, to keep it when its place is set."""
    value = definition.value
    if definition.binding is not Binding.ASSIGNED or not isinstance(value, ast.Call):
        return False
    fact = callgraph.fact_of_call(analysis, value, loop.scope)
    if not has(fact, Trait.CREATES_ARRAY):
        return False
    return any(
        loop in found.loops
        and isinstance(found.element, ast.Name)
        and found.element.id == definition.name
        for found in collected(analysis, loop.scope.module_path)
    )


def _is_update(value: ast.expr | None, name: str) -> bool:
    """Whether a value is the named array with something set: another write of its kind."""
    if not isinstance(value, ast.Call):
        return False
    function = value.func
    if isinstance(function, ast.Attribute) and function.attr in array_writes.METHODS:
        base = tree.container_of(function.value)
        return isinstance(base, ast.Attribute) and tree.dotted(base) == f"{name}.at"
    first = value.args[0] if value.args else None
    return (
        isinstance(first, ast.Name)
        and first.id == name
        and "scatter" in (last_name(function) or "")
    )


def _is_counted(analysis: Analysis, node: ast.expr, turns: Turning) -> bool:
    """Whether an expression rests on nothing but counters of the loops."""
    return not any(
        induction.elements_named(analysis, part, turns)
        or (
            isinstance(part, ast.Subscript)
            and induction.way(analysis, part, turns) is not Way.FIXED
        )
        for part in induction.expanded(analysis, node, turns)
    )


def _sets_number(analysis: Analysis, write: Write, scope: Scope) -> bool:
    """Whether an array's places are given along all of its axes: a number is set there."""
    if any(isinstance(index, (ast.Slice, ast.Constant)) for index in write.indices):
        return False
    shape = array_shapes.array_shape(analysis, write.container, scope)
    return shape is not None and len(shape) == len(write.indices)


def _may_copy_blocks(analysis: Analysis, value: ast.expr, turns: Turning) -> bool:
    """Whether a value may be a whole row out of a list: then each iteration is real work."""
    if isinstance(value, ast.Name):
        inner = induction.inner_definitions(analysis, value, turns)
        if len(inner) == 1 and inner[0].binding is Binding.ASSIGNED:
            value = inner[0].value or value
    if induction.elements_named(analysis, value, turns):
        return not _is_number(analysis, value, turns.scope)
    if isinstance(value, ast.Subscript):
        return not arrays.framework_of(analysis, tree.container_of(value), turns.scope)
    return False


def _is_number(analysis: Analysis, node: ast.expr, scope: Scope) -> bool:
    types = {getattr(term, "type", "") for term in values.evaluate(analysis, node, scope)}
    return bool(types) and types <= {*values.ARRAY_TYPES, "builtins.int", "builtins.float"}
