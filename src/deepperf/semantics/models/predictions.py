"""The places where a program asks a model for its output, and how many rows it asks about."""

from __future__ import annotations

import ast
import enum
import re
from collections.abc import Iterator

from msgspec import Struct

from deepperf.knowledge.schema import ParameterRole, Trait, has
from deepperf.semantics.calls import callgraph, reach
from deepperf.semantics.calls.reach import Path
from deepperf.semantics.execution import contexts
from deepperf.semantics.files.analysis import Analysis
from deepperf.semantics.invariance import steady
from deepperf.semantics.invariance.certainty import Certainty
from deepperf.semantics.loops import feedback, flushes
from deepperf.semantics.loops.regions import region_of_loop
from deepperf.semantics.models import texts
from deepperf.semantics.models.direct_asks import direct_calls, is_unknown_object
from deepperf.semantics.models.wrapped_asks import wrapped_calls
from deepperf.semantics.names.scopes import CallSite
from deepperf.semantics.sizes import rows
from deepperf.semantics.text import tree
from deepperf.semantics.values import classes
from deepperf.semantics.values.terms import Instance, Object

_OTHER_LIBRARIES = re.compile(
    r"\b(sklearn|xgboost|lightgbm|catboost|joblib|statsmodels|torch|pickle|mxnet|paddle)\b"
)
_KERAS = frozenset(
    f"{how} {package}"
    for how in ("import", "from")
    for package in ("keras", "tensorflow", "tf_keras")
)
_GRADIENT_FREE = frozenset(("no_grad", "inference_mode"))
_TRANSFORMERS = frozenset(("transformers",))
_PIPELINES = frozenset(("pipeline(", "Pipeline"))
_ROWS = frozenset(
    (
        *("unsqueeze(", "[None", "[ None", "newaxis", "expand_dims", "stack("),
        *(f"{shaped}({gap}1" for shaped in ("view", "reshape") for gap in ("", " ", "(", "[")),
    )
)
"""What makes a batch of one row, or a few, as it is written."""
_ROWS_OR_LISTED = _ROWS | {"[["}


class Asks(enum.Enum):
    """In what way a model is asked for its output."""

    LOOP = "loop"  # a method with a prediction loop inside, and its fixed cost
    THROUGH = "through"  # a function of the project, which hands its rows to such a method
    PIPELINE = "pipeline"  # a pipeline from raw inputs to answers
    TOKENS = "tokens"  # a language model, about a text that a tokenizer made into tensors
    MODULE = "module"  # the model itself, while no gradients are recorded
    ONCE = "once"  # the model itself, for numbers that the host reads


class Asked(Struct, frozen=True, eq=False):
    """One call that asks a model about `rows` rows, at most.

    `is_guess` says that nothing tells so but the one row of the answer that is read, and
    `may_be_output` that this row may be one of the outputs of the model instead.
    """

    site: CallSite
    asks: Asks
    rows: int
    is_guess: bool = False
    may_be_output: bool = False


def predictions(analysis: Analysis, path: str) -> Iterator[Asked]:
    """The calls of a file that ask a model about a known number of rows."""
    for site in predict_calls(analysis, path):
        given = _input(analysis, site)
        count = rows.input_rows(analysis, given, site.scope) if given is not None else None
        if count is None and _is_read_as_one(analysis, site):
            may_be_output = _may_be_output(analysis, site)
            yield Asked(site, Asks.LOOP, 1, is_guess=True, may_be_output=may_be_output)
        elif count is not None:
            yield Asked(site, Asks.LOOP, count)
        elif given is not None:
            for caller, passed in wrapped_calls(analysis, site, given):
                yield Asked(caller, Asks.THROUGH, passed)
    has_any = analysis.project.has_any
    if has_any(path, _TRANSFORMERS) and has_any(path, _PIPELINES):
        yield from _pipeline_calls(analysis, path)
    if has_any(path, _GRADIENT_FREE) and has_any(path, _ROWS):
        yield from _module_calls(analysis, path)
    if has_any(path, _KERAS) and has_any(path, _ROWS_OR_LISTED):
        for site, count in direct_calls(analysis, path):
            yield Asked(site, Asks.ONCE, count)
    for site in texts.calls_with_one_text(analysis, path):
        if texts.generates(site) or contexts.is_gradient_free(analysis, site):
            yield Asked(site, Asks.TOKENS, 1)


def predict_calls(analysis: Analysis, path: str) -> Iterator[CallSite]:
    """The calls of methods with a prediction loop inside, of Keras models or what may be one."""
    module = analysis.module(path)
    is_keras_alone: bool | None = None
    for site in module.calls_of(analysis.project.trigger_names(frozenset((Trait.PREDICTS,)))):
        held = callgraph.callee(analysis, site)
        fact = callgraph.fact_of(analysis, held)
        if fact is not None:
            if Trait.PREDICTS in fact.traits:
                yield site
            continue
        if not is_unknown_object(analysis, site):
            continue
        if is_keras_alone is None:
            others = _OTHER_LIBRARIES.search(module.source.text)
            is_keras_alone = others is None and analysis.project.has_any(path, _KERAS)
        if is_keras_alone:
            yield site


def _input(analysis: Analysis, site: CallSite) -> ast.expr | None:
    fact = callgraph.fact_at(analysis, site)
    if fact is not None:
        return callgraph.role_argument(site.node, fact, ParameterRole.INPUT)
    return tree.argument(site.node, 0, "x")


def _is_read_as_one(analysis: Analysis, site: CallSite) -> bool:
    """Whether of the rows of the result only the first is read, as `[0]`, wherever it is read."""
    reads = _reads(analysis, site)
    return bool(reads) and all(_is_first(parent, node) for parent, node in reads)


def _may_be_output(analysis: Analysis, site: CallSite) -> bool:
    """Whether some read of it could be of a list: those have no index for several axes."""
    reads = [parent for parent, _ in _reads(analysis, site) if isinstance(parent, ast.Subscript)]
    return not any(isinstance(read.slice, ast.Tuple) for read in reads)


def _reads(analysis: Analysis, site: CallSite) -> list[tuple[ast.AST, ast.AST]]:
    """The uses of a call's result, each with what it stands in."""
    parents = {
        id(child): parent for parent in tree.walk(site.statement) for child in tree.children(parent)
    }
    parent = parents.get(id(site.node))
    if not (isinstance(parent, ast.Assign) and parent.value is site.node):
        return [(parent, site.node)] if parent is not None else []
    if len(parent.targets) != 1 or not isinstance(parent.targets[0], ast.Name):
        return []
    name = parent.targets[0].id
    flow = analysis.module_of(site.scope).flow(site.scope)
    found: list[tuple[ast.AST, ast.AST]] = []
    for outer in tree.walk(site.scope.node):
        for child in tree.children(outer):
            if isinstance(child, ast.Name) and child.id == name:
                reaching = flow.uses.get(id(child), ())
                if any(d.value is site.node for d in reaching):
                    found.append((outer, child))
    return found


def _is_first(parent: ast.AST, node: ast.AST) -> bool:
    if not (isinstance(parent, ast.Subscript) and parent.value is node):
        return False
    index = parent.slice
    first = tree.first_of(index)
    return isinstance(first, ast.Constant) and first.value == 0


# Pipelines


def _pipeline_calls(analysis: Analysis, path: str) -> Iterator[Asked]:
    for site in analysis.module(path).scopes.call_sites.values():
        if not site.node.args or not isinstance(site.node.func, (ast.Name, ast.Attribute)):
            continue
        if not reach.may_repeat(analysis, site):
            continue
        held = callgraph.callee(analysis, site)
        if not any(
            isinstance(term, (Instance, Object))
            and "transformers.Pipeline" in classes.instance_type(analysis, term)
            for term in held
        ):
            continue
        if texts.is_one(analysis, site.node.args[0], site.scope) or _is_read_as_one(analysis, site):
            yield Asked(site, Asks.PIPELINE, 1)


# Modules


def _module_calls(analysis: Analysis, path: str) -> Iterator[Asked]:
    for site in analysis.module(path).scopes.call_sites.values():
        if len(site.node.args) != 1 or not isinstance(site.node.func, (ast.Name, ast.Attribute)):
            continue
        # What is cheap to see is looked at first: most calls are in no such context.
        is_wrapped = getattr(site.scope.node, "decorator_list", None) or any(
            isinstance(frame.node, ast.With) for frame in site.frames
        )
        if not is_wrapped or not contexts.is_gradient_free(analysis, site):
            continue
        if not reach.may_repeat(analysis, site):
            continue
        # What is called is found out with far less than how many rows it is given.
        if not _is_module(analysis, site):
            continue
        count = rows.rows(analysis, site.node.args[0], site.scope)
        if count is not None:
            yield Asked(site, Asks.MODULE, count)


def _is_module(analysis: Analysis, site: CallSite) -> bool:
    """Whether a module of PyTorch is called: by its type, or because it is told to evaluate."""
    held = callgraph.callee(analysis, site)
    if any(
        isinstance(term, (Instance, Object))
        and "torch.nn.Module" in classes.instance_type(analysis, term)
        for term in held
    ):
        return True
    if callgraph.targets(analysis, site) or any(isinstance(term, Object) for term in held):
        return False
    model = ast.dump(site.node.func)
    return any(
        isinstance(other.node.func, ast.Attribute)
        and not other.node.args
        and ast.dump(other.node.func.value) == model
        for other in analysis.module_of(site.scope).calls_named("eval")
    )


# What a loop makes of it


def asks_about_each(analysis: Analysis, site: CallSite, path: Path) -> bool:
    """Whether the iterations of a loop ask one model, which they leave alone, about other rows
    each.
    """
    loop, way = path
    # What a buffer gathers until it is full is asked about at once.
    if flushes.is_in_flush((*way, site)):
        return False
    first = (*way, site)[0]
    given = tree.arguments(first.node)
    # A function that is handed to `apply` is called with another element each time.
    varies = (
        not given
        or isinstance(loop.node, ast.Call)
        or not steady.all_steady(analysis, given, region_of_loop(analysis, loop)).is_sure
    )
    return varies and not _changes_model(analysis, site, path)


def _changes_model(analysis: Analysis, site: CallSite, path: Path) -> bool:
    """Whether each iteration has a model of its own, or trains one on all its data."""
    loop, way = path
    model: ast.expr = site.node.func
    if isinstance(model, ast.Attribute):
        model = model.value
    here, scope = site, site.scope
    for place in reversed(way):
        if not isinstance(model, ast.Name):
            break
        given = None
        for target in callgraph.targets(analysis, place):
            if target.function is scope:
                given = callgraph.bound_arguments(place.node, target).get(model.id)
        if given is None:
            break
        model, here, scope = given, place, place.scope
    if scope is loop.scope and loop in here.frames:
        region = region_of_loop(analysis, loop)
        if steady.same_object(analysis, model, region) is Certainty.NO:
            return True
    return any(
        _trains_on_the_same(analysis, other, path)
        for other in loop.scope.calls
        if loop in other.frames
    )


def _trains_on_the_same(analysis: Analysis, site: CallSite, path: Path) -> bool:
    fact = callgraph.fact_at(analysis, site)
    if not has(fact, Trait.FITS):
        return False
    given = callgraph.role_argument(site.node, fact, ParameterRole.INPUT)
    if given is None:
        return True
    region = region_of_loop(analysis, path[0])
    return steady.same_object(analysis, given, region) is Certainty.YES


def feeds_itself(site: CallSite, path: Path) -> bool:
    """Whether what the model is given in an iteration rests on what it gave the iteration
    before.
    """
    loop, way = path
    return feedback.feeds_back(loop, (*way, site)[0])
