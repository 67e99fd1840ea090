"""Whether an epoch, or a pass, has as many steps as there are samples, though steps are batches."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from msgspec import Struct

from deepperf.knowledge.schema import ParameterRole, Trait, has
from deepperf.semantics.calls import callers, callgraph
from deepperf.semantics.data import counting
from deepperf.semantics.files.analysis import Analysis
from deepperf.semantics.models import batch_sizes
from deepperf.semantics.names.flow import Binding
from deepperf.semantics.names.scopes import CallSite, Scope, last_name
from deepperf.semantics.sizes import array_shapes, rows
from deepperf.semantics.text import tree
from deepperf.semantics.values import classes, values
from deepperf.semantics.values.terms import Generated, Instance, Object

_COUNTS = frozenset(("samples", "n", "nb_sample", "nb_samples", "num_samples"))
_FLOWS = frozenset(("flow", "flow_from_directory", "flow_from_dataframe"))
_OF_KERAS = "fit_generator"
"""A method that has this name in Keras alone, and takes the steps second."""
_DEEPEST = 6
_GOING_THROUGH = frozenset((Trait.FITS, Trait.TRAINS))

Place = tuple[ast.expr, Scope]


class Miscounted(Struct, frozen=True, eq=False):
    """A call that trains, evaluates or predicts for as many steps as there are samples.

    `counted` is the expression, as it stands, that counts them; `parameter` the keyword or the
    name of the parameter that gets it.
    """

    site: CallSite
    parameter: str
    counted: Place


def miscounted(analysis: Analysis, path: str) -> Iterator[Miscounted]:
    """The calls of a file whose steps are samples."""
    module = analysis.module(path)
    for site in module.calls_of(analysis.project.trigger_names(_GOING_THROUGH)):
        told = _told(analysis, site)
        if told is None:
            continue
        data, steps, checks = told
        if data is not None and steps is not None:
            counted = _samples(analysis, (steps, site.scope), (data, site.scope), site)
            if counted is not None:
                yield Miscounted(site, _of_steps(analysis, site), counted)
        held = _named(site, "validation_data")
        if held is not None and checks is not None and not isinstance(held, ast.Tuple):
            counted = _samples(analysis, (checks, site.scope), (held, site.scope), None)
            if counted is not None:
                yield Miscounted(site, "validation_steps", counted)


def _of_steps(analysis: Analysis, site: CallSite) -> str:
    fact = callgraph.fact_at(analysis, site)
    is_training = fact is None or Trait.FITS in fact.traits
    return "steps_per_epoch" if is_training else "steps"


def _told(
    analysis: Analysis, site: CallSite
) -> tuple[ast.expr | None, ast.expr | None, ast.expr | None] | None:
    """The input, the steps of an epoch and those of a validation, of a call that takes these.

    A method of something unknown trains if it is told steps by the names that Keras gives them.
    """
    held = callgraph.callee(analysis, site)
    fact = callgraph.fact_of(analysis, held)
    if has(fact, *_GOING_THROUGH):
        roles = (ParameterRole.INPUT, ParameterRole.STEPS, ParameterRole.VALIDATION_STEPS)
        data, steps, checks = (callgraph.role_argument(site.node, fact, role) for role in roles)
        return data, steps, checks
    if callgraph.external_names(held) or callgraph.targets_of(analysis, held):
        return None
    steps, checks = _named(site, "steps_per_epoch"), _named(site, "validation_steps")
    if steps is None and last_name(site.node.func) == _OF_KERAS and len(site.node.args) > 1:
        steps = site.node.args[1]
    if not site.node.args or (steps is None and checks is None):
        return None
    return site.node.args[0], steps, checks


def _named(site: CallSite, name: str) -> ast.expr | None:
    return next((k.value for k in site.node.keywords if k.arg == name), None)


def _samples(analysis: Analysis, steps: Place, data: Place, site: CallSite | None) -> Place | None:
    """What counts the samples of the data, if the steps are nothing else.

    `site` is the call, where the data may be arrays that it batches itself.
    """
    whole = _resolved(analysis, steps, 0)
    origin = _resolved(analysis, data, 0)
    if batch_sizes.is_fed(analysis, *data) and not (
        _is_batched_dataset(analysis, data) or _gives_batches(analysis, origin)
    ):
        return None
    if _is_told_one(analysis, *origin):
        return None
    is_arrays = site is not None and _is_fitted_on_arrays(analysis, site)
    counted = _counted(whole[0])
    if counted is None and (told := counting.counted_by(analysis, *whole)) is not None:
        is_whole = _gives_batches(analysis, origin) or _is_batched_dataset(analysis, data)
        return steps if is_whole and _rests_on(analysis, origin, *told) else None
    if counted is None:
        length = rows.number(analysis, *steps)
        if not is_arrays or length is None or length < 2:
            return None
        shape = array_shapes.array_shape(analysis, *data)
        return steps if shape and shape[0] == length else None
    if isinstance(whole[0], ast.Attribute):
        is_own = _same(counted, data[0]) or _same(counted, origin[0])
        return whole if is_own and _is_flow_of_batches(analysis, origin, whole[0].attr) else None
    if batch_sizes.is_fed(analysis, counted, whole[1]) or _counts_batches(
        analysis, (counted, whole[1]), origin[0]
    ):
        return None
    if is_arrays:
        labels = tree.argument(site.node, 1, "y") if site is not None else None
        return whole if any(_same(counted, part) for part in (data[0], labels) if part) else None
    if _same(counted, data[0]) or not _gives_batches(analysis, origin):
        return None
    return whole if _rests_on(analysis, origin, counted, whole[1]) else None


def _counts_batches(analysis: Analysis, counted: Place, data: ast.expr) -> bool:
    """Whether the length is that of an object that gives the batches, or says so itself."""
    function = data.func if isinstance(data, ast.Call) else None
    if isinstance(function, ast.Attribute) and _same(function.value, counted[0]):
        return True
    for term in values.evaluate(analysis, *counted):
        if not isinstance(term, Object):
            continue
        length = classes.method_of(analysis, term.cls, "__len__")
        if isinstance(length, Scope) and any(
            isinstance(part, ast.BinOp) or "batch" in getattr(part, "attr", "").lower()
            for value in length.returns
            for part in tree.walk(value)
        ):
            return True
    return False


def _counted(node: ast.expr) -> ast.expr | None:
    """The thing whose samples an expression counts: `x` of `len(x)`, `x.shape[0]`, `x.samples`."""
    if isinstance(node, ast.Call) and last_name(node.func) == "len" and len(node.args) == 1:
        return node.args[0]
    if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Attribute):
        is_first = isinstance(node.slice, ast.Constant) and node.slice.value == 0
        return node.value.value if is_first and node.value.attr == "shape" else None
    if isinstance(node, ast.Attribute) and node.attr in _COUNTS:
        return node.value
    return None


def _resolved(analysis: Analysis, place: Place, depth: int) -> Place:
    """Where a name was given its value, as far back as there is one such place."""
    node, scope = place
    if isinstance(node, ast.Call) and last_name(node.func) == "int" and len(node.args) == 1:
        return _resolved(analysis, (node.args[0], scope), depth)
    if not isinstance(node, ast.Name) or depth > _DEEPEST:
        return place
    definitions = values.definitions_of(analysis, node, scope)
    if len(definitions) != 1:
        return place
    (definition,) = definitions
    value = definition.value
    if definition.binding is Binding.ASSIGNED and value is not None:
        if not definition.unpacking:
            return _resolved(analysis, (value, definition.scope), depth + 1)
        if definition.unpacking == (0,) and getattr(value, "attr", "") == "shape":
            zero = ast.copy_location(ast.Constant(0), value)
            first = ast.Subscript(value, zero, ast.Load())
            return ast.copy_location(first, value), definition.scope
        member = _member(analysis, value, definition.scope, definition.unpacking)
        return place if member is None else _resolved(analysis, member, depth + 1)
    if definition.binding is Binding.PARAMETER:
        given = callers.arguments_for(analysis, definition.scope, definition.name)
        if len(given) == 1:
            return _resolved(analysis, given[0], depth + 1)
    return place


def _member(
    analysis: Analysis, node: ast.expr, scope: Scope, unpacking: tuple[int, ...]
) -> Place | None:
    """What is at a place of a tuple, written out or returned by the one function called."""
    if isinstance(node, ast.Call):
        targets = callgraph.targets_of(analysis, values.evaluate(analysis, node.func, scope))
        if len(targets) != 1 or len(targets[0].function.returns) != 1:
            return None
        scope = targets[0].function
        node = scope.returns[0]
    if not isinstance(node, ast.Tuple) or len(unpacking) != 1 or unpacking[0] >= len(node.elts):
        return None
    return node.elts[unpacking[0]], scope


def _same(first: ast.expr, second: ast.expr) -> bool:
    return ast.dump(first) == ast.dump(second)


def _is_fitted_on_arrays(analysis: Analysis, site: CallSite) -> bool:
    """Whether the call gets inputs and labels, side by side, and batches of more than one."""
    if last_name(site.node.func) != "fit":
        return False
    has_labels = len(site.node.args) > 1 or _named(site, "y") is not None
    size = _named(site, "batch_size")
    is_one = size is not None and rows.number(analysis, size, site.scope) == 1
    return has_labels and not is_one


def _is_batched_dataset(analysis: Analysis, place: Place) -> bool:
    return any(
        isinstance(term, Instance)
        and term.type == "tensorflow.data.Dataset"
        and term.site is not None
        and _has_batch(analysis, term.site, term.scope)
        for term in values.evaluate(analysis, *place)
    )


def _has_batch(analysis: Analysis, node: ast.expr, scope: Scope) -> bool:
    """Whether a chain of calls on a dataset makes batches of more than one."""
    here: Place = (node, scope)
    for _ in range(24):
        call, where = _resolved(analysis, here, 0)
        if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute):
            return False
        if call.func.attr in ("batch", "padded_batch") and call.args:
            return rows.number(analysis, call.args[0], where) != 1
        here = call.func.value, where
    return False


def _is_flow_of_batches(analysis: Analysis, origin: Place, counting: str) -> bool:
    node, scope = origin
    if isinstance(node, ast.Call):
        return last_name(node.func) in _FLOWS and not _asks_for_one(analysis, node, scope)
    return counting == "samples"


def _asks_for_one(analysis: Analysis, call: ast.Call, scope: Scope) -> bool:
    given = [k.value for k in call.keywords if k.arg and "batch" in k.arg.lower()]
    return any(rows.number(analysis, size, scope) == 1 for size in given)


def _gives_batches(analysis: Analysis, origin: Place) -> bool:
    """Whether what is trained on comes in batches of more than one, by what it was made with."""
    node, scope = origin
    if not isinstance(node, ast.Call):
        return False
    if last_name(node.func) in _FLOWS:
        return not _asks_for_one(analysis, node, scope)
    if _has_batch(analysis, node, scope):
        return True
    for term in values.evaluate(analysis, node, scope):
        if isinstance(term, Generated):
            return _yields_batches(analysis, node, scope, term.scope)
        if isinstance(term, Object):
            made = classes.method_of(analysis, term.cls, "__init__")
            told = _told_size(analysis, node, scope, made) if isinstance(made, Scope) else None
            return bool(told)
    return False


def _is_told_one(analysis: Analysis, node: ast.expr, scope: Scope) -> bool:
    """Whether a function of the project is told to make batches of one."""
    if not isinstance(node, ast.Call):
        return False
    return any(
        _told_size(analysis, node, scope, target.function) is False
        for target in callgraph.targets_of(analysis, values.evaluate(analysis, node.func, scope))
    )


def _told_size(analysis: Analysis, call: ast.Call, scope: Scope, function: Scope) -> bool | None:
    """Whether a call, or a default, tells a function to make batches of more than one."""
    for target in callgraph.targets_of(analysis, values.evaluate(analysis, call.func, scope)):
        if target.function is not function:
            continue
        bound = callgraph.bound_arguments(call, target)
        sizes = [value for name, value in bound.items() if "batch" in name.lower()]
        if sizes:
            return all(rows.number(analysis, size, scope) != 1 for size in sizes)
    node = function.node
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
        listed = node.args.args[len(node.args.args) - len(node.args.defaults) :]
        for argument, default in zip(listed, node.args.defaults, strict=True):
            if "batch" in argument.arg.lower():
                return rows.number(analysis, default, function) != 1
    return None


def _yields_batches(analysis: Analysis, call: ast.Call, scope: Scope, function: Scope) -> bool:
    """Whether a generator gives more than one row at a time: it is told to, or slices so."""
    told = _told_size(analysis, call, scope, function)
    if told is not None:
        return told
    for given in function.yields:
        count = rows.rows(analysis, tree.first_of(given), function) if given else None
        if count is not None:
            return count > 1
    for part in tree.walk(function.node):
        # A size that is set outside, for the whole module.
        if isinstance(part, ast.Name) and "batch" in part.id.lower():
            is_outside = part.id not in function.bound
            if is_outside and (rows.number(analysis, part, function) or 1) > 1:
                return True
        if isinstance(part, ast.For) and _goes_in_strides(analysis, part, function):
            return True
    return False


def _goes_in_strides(analysis: Analysis, loop: ast.For, function: Scope) -> bool:
    """Whether a loop yields what lies between one number and that so many further on."""
    counted = loop.iter
    if not isinstance(counted, ast.Call) or last_name(counted.func) not in ("range", "xrange"):
        return False
    if len(counted.args) != 3 or rows.number(analysis, counted.args[2], function) == 1:
        return False
    start, stride = loop.target, counted.args[2]
    ends = [
        part.upper
        for part in tree.walk(loop)
        if isinstance(part, ast.Slice) and part.lower is not None and _is_name(part.lower, start)
    ]
    return any(isinstance(part, ast.Yield) for part in tree.walk(loop)) and any(
        isinstance(end, ast.BinOp)
        and isinstance(end.op, ast.Add)
        and any(_same(side, stride) for side in (end.left, end.right))
        for end in ends
    )


def _is_name(node: ast.expr, target: ast.expr) -> bool:
    return isinstance(target, ast.Name) and getattr(node, "id", None) == target.id


def _rests_on(analysis: Analysis, origin: Place, counted: ast.expr, scope: Scope) -> bool:
    """Whether what is trained on was made of the thing counted."""
    wanted = ast.dump(counted)
    pending, seen = [origin], 0
    while pending and seen < 24:
        node, where = pending.pop()
        seen += 1
        for part in tree.walk(node):
            if isinstance(part, ast.expr) and ast.dump(part) == wanted:
                return True
        call = node
        while isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute):
            call = call.func.value
        if isinstance(call, ast.Name):
            following = _resolved(analysis, (call, where), 0)
            if following[0] is not call:
                pending.append(following)
    for term in values.evaluate(analysis, *origin):
        if isinstance(term, Generated) and _is_read_by_method(origin[0], counted, term.scope):
            return True
        if isinstance(term, Generated) and isinstance(counted, ast.Name):
            reads = tree.names_in(term.scope.node)
            return counted.id in reads - term.scope.bound and scope.parent is None
    return False


def _is_read_by_method(call: ast.expr, counted: ast.expr, method: Scope) -> bool:
    """Whether the counted thing is an attribute of an object whose method reads it: `x.rows` of
    `x.batches()`."""
    if not (isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute)):
        return False
    if not isinstance(counted, ast.Attribute) or not _same(counted.value, call.func.value):
        return False
    own = classes.receiver_name(method)
    return any(
        isinstance(part, ast.Attribute)
        and part.attr == counted.attr
        and own is not None
        and getattr(part.value, "id", None) == own
        for part in tree.walk(method.node)
    )
