"""Work that a method does again in each step, which a framework calls in a loop of its own."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from deepperf.knowledge import members
from deepperf.semantics.calls import hooks
from deepperf.semantics.files.analysis import Analysis
from deepperf.semantics.files.outline import is_defined
from deepperf.semantics.invariance import steady, varying
from deepperf.semantics.invariance.steadiness import AROUND, Needs
from deepperf.semantics.loops import regions
from deepperf.semantics.loops.regions import Region
from deepperf.semantics.models import constant
from deepperf.semantics.names.scopes import (
    AttributeWrite,
    Branch,
    CallSite,
    Frame,
    Scope,
    last_name,
)
from deepperf.semantics.repetition import in_training, inner_work, operations, repetition
from deepperf.semantics.repetition.repetition import Repeated
from deepperf.semantics.sizes import numbers
from deepperf.semantics.text import tree
from deepperf.semantics.values import classes, values
from deepperf.semantics.values.terms import NONE, Argument, Instance, Literal, Object
from deepperf.semantics.writes import attributes

_EARLY = ("__init__", "__post_init__")
_MODULE = "torch.nn.Module"
_MOST_FILES = 48


def step_hooks(analysis: Analysis, path: str) -> tuple[Frame, ...]:
    """The methods in a file that a framework calls again and again, each as a loop.

    It does for each step, for each item of a data set, for each epoch, or whenever a module is
    called.
    """
    return analysis.reuse(("step hooks", path), lambda: tuple(_step_hooks(analysis, path)))


def _step_hooks(analysis: Analysis, path: str) -> Iterator[Frame]:
    named = analysis.project.trigger_names(hooks.AGAIN)
    for scope in analysis.module(path).all_scopes:
        is_hook = scope.name in named and hooks.runs_again(analysis, scope)
        is_hook = is_hook or _is_closure(analysis, scope)
        if is_hook or hooks.runs_each_pass(analysis, scope):
            yield Frame(scope.node, Branch.BODY, scope)


def _is_closure(analysis: Analysis, function: Scope) -> bool:
    """Whether an optimizer runs the function, once or more in each step: `optimizer.step(f)`."""
    return (
        isinstance(function.node, ast.FunctionDef)
        and function.parent is not None
        and any(
            site.scope is function.parent
            and [getattr(one, "id", "") for one in tree.arguments(site.node)] == [function.name]
            for site in analysis.module_of(function).calls_named("step")
        )
    )


def repeated_work(analysis: Analysis, hook: Frame) -> tuple[Repeated, ...]:
    """What a hook does in each step, of what its object has held since it was made.

    What several hooks of an object do is told of the first of them.
    """
    function = hook.scope
    told: set[int] = set()
    for other in step_hooks(analysis, function.module_path):
        if other.scope is function:
            break
        if other.scope.parent is function.parent:
            told.update(id(work.operation.node) for work in _repeated(analysis, other.scope))
    found = _repeated(analysis, function)
    return tuple(work for work in found if id(work.operation.node) not in told)


def _repeated(analysis: Analysis, function: Scope) -> tuple[Repeated, ...]:
    return analysis.reuse(("done in hook", function), lambda: _find_repeated(analysis, function))


def _find_repeated(analysis: Analysis, function: Scope) -> tuple[Repeated, ...]:
    is_closure = _is_closure(analysis, function)
    # What a generator does it does as it is gone through, which may be seldom or never.
    if function.yields:
        return ()
    # Of what an epoch does little is felt beside its steps.
    if hooks.is_each_epoch(analysis, Frame(function.node, Branch.BODY, function)):
        return ()
    if not is_closure and classes.receiver_name(function) is None:
        return ()
    if (
        not is_closure
        and hooks.runs_each_pass(analysis, function)
        and not _may_keep(analysis, function)
    ):
        return ()
    found: dict[int, Repeated] = {}
    is_of_pass = hooks.runs_each_pass(analysis, function)
    works = inner_work.work_of(analysis, function, varying.given_to(function))
    # Of what stands in one statement, what takes longest is told.
    for inner in sorted(works, key=lambda one: -operations.weight(analysis, one.operation)):
        # What a framework gives it may be of another class each time.
        if inner.objects:
            continue
        if not inner_work.is_of(analysis, inner, classes.enclosing_class(function)):
            continue
        if is_closure and not (
            in_training.stays_in_training(analysis, inner.operation)
            or in_training.given_stays(analysis, inner)
        ):
            continue
        lasts = all_last(analysis, function, inner.needed)
        places = (*inner.way, inner.operation)
        if lasts and is_of_pass and _is_told_by_loop(analysis, function, places[0]):
            continue
        if lasts and not inner.demands.given and not inner.demands.absent:
            way = inner.way[1:]
            own = Repeated(places[0], way, inner.operation, is_of_pass)
            found.setdefault(id(places[0].statement), own)
    return tuple(found.values())


def _may_keep(analysis: Analysis, function: Scope) -> bool:
    """Whether a pass may compute something of what its module keeps alone, by its text.

    Most do nothing but call the layers that they have: what these repeat is told of them.
    """
    cls = classes.enclosing_class(function)
    methods = classes.methods_of(cls) if cls is not None else {}
    named, path = operations.names(analysis), function.module_path
    asking = named | members.ASKINGS | members.EMBEDDINGS
    for site in inner_work.sites(analysis, function):
        name = last_name(site.node.func) or ""
        is_own = isinstance(site.node.func, ast.Name) and is_defined(analysis, path, name)
        is_own = is_own or name in methods or not isinstance(site.node, ast.Call)
        if (
            (is_own or name in asking)
            and _rests_on_own(
                tree.written(site.node), regions.region_of_function(analysis, function)
            )
            and (not is_own or inner_work.may_be_project(analysis, site))
        ):
            return True
    return False


def _rests_on_own(node: ast.expr, region: Region) -> bool:
    """Whether an expression is made of nothing that a pass is given, but for where that lies."""
    receiver = classes.receiver_name(region.scope)
    node_of = region.scope.node
    assert not isinstance(node_of, (ast.Module, ast.ClassDef))
    given = {one.arg for one in tree.walk(node_of.args) if isinstance(one, ast.arg)}
    pending: list[ast.AST] = [node]
    followed: set[str] = set()
    while pending:
        part = pending.pop()
        if steady.is_of_kind(part):
            continue
        if isinstance(part, ast.Name) and part.id not in followed:
            followed.add(part.id)
            if part.id in given and part.id != receiver:
                return False
            if part.id in region.bound:
                value = region.bound[part.id]
                if value is None:
                    return False
                pending.append(value)
        pending += tree.children(part)
    return True


def _is_told_by_loop(analysis: Analysis, function: Scope, place: CallSite) -> bool:
    """Whether a loop, in a file that knows of the module, repeats what a call in it does."""
    known = classes.enclosing_class(function) or function
    around = analysis.few_importers(known.module_path, known.name, _MOST_FILES) or ()
    parts = {id(part) for part in tree.walk(place.node)}
    return any(
        any(id(step.node) in parts for step in (*work.way, work.operation))
        for path in (known.module_path, *around)
        for scope in analysis.module(path).all_scopes
        for loop in scope.loops
        for work in repetition.repeated_work(analysis, loop)
    )


def all_last(analysis: Analysis, hook: Scope, needs: Needs) -> bool:
    """Whether all that a method needs is what its object has held since it was made."""
    if _is_closure(analysis, hook):
        return all(chain[0] == AROUND for chain in needs)
    cls = classes.enclosing_class(hook)
    receiver = classes.receiver_name(hook)
    if hooks.gives_items(analysis, hook):
        asked = [_is_left]
    else:
        is_each_pass = hooks.runs_each_pass(analysis, hook)
        asked = [_is_kept, _is_left] if is_each_pass else [_lasts]
    return cls is not None and all(
        (
            len(chain) > 1
            and chain[0] == receiver
            and all(lasts(analysis, cls, chain[1]) for lasts in asked)
        )
        or (chain[1:] == ("device",) and asked[0] is _is_kept and _has_parts(analysis, cls))
        for chain in needs
    )


def _lasts(analysis: Analysis, cls: Scope, name: str) -> bool:
    """Whether an object is given an attribute before all steps, and none of them changes that.

    A step trains: models and parameters are not the same in the next.
    """
    found = classes.attribute_writes(analysis, cls, name)
    return bool(found) and all(
        _is_early(analysis, write.scope)
        and (value := _written(write) or write.value) is not None
        and (_is_buffer(value, write.scope) or constant.is_constant(analysis, value, write.scope))
        for write in found
    )


def _is_left(analysis: Analysis, cls: Scope, name: str) -> bool:
    """Whether an object is given an attribute where it is made, and its methods leave it alone."""
    found = classes.attribute_writes(analysis, cls, name)
    return bool(found) and all(
        method.name in _EARLY or name not in attributes.touched(analysis, method)
        for method in classes.methods_of(cls).values()
    )


def _is_early(analysis: Analysis, method: Scope) -> bool:
    return method.name in _EARLY or hooks.runs_before_steps(analysis, method)


def _written(write: AttributeWrite) -> ast.expr | None:
    """What an attribute is given, of several things side by side its own; None if that is open."""
    value: ast.expr | None = write.value
    for index in write.unpacking:
        parts = value.elts if isinstance(value, (ast.Tuple, ast.List)) else []
        value = parts[index] if index < len(parts) else None
    return value


def _is_kept(analysis: Analysis, cls: Scope, name: str) -> bool:
    """The same, of what a module keeps: nothing sets it from outside, and numbers are told so."""
    if _lasts(analysis, cls, name):
        return not _is_set_elsewhere(analysis, cls, name)
    writes = classes.attribute_writes(analysis, cls, name)
    return (
        bool(writes)
        and all(write.scope.name in _EARLY and _is_setting(analysis, write) for write in writes)
        and not _is_set_elsewhere(analysis, cls, name)
    )


def _has_parts(analysis: Analysis, cls: Scope) -> bool:
    """Whether objects are made with modules or buffers, beside which all they are given lies."""
    constructor = classes.method_of(analysis, cls, "__init__")
    if not isinstance(constructor, Scope):
        return False
    analysis.module_of(constructor)
    if any(last_name(s.node.func) == members.BUFFER_REGISTRATION for s in constructor.calls):
        return True
    return any(
        isinstance(term, (Instance, Object)) and _MODULE in classes.instance_type(analysis, term)
        for write in constructor.attribute_writes
        if isinstance(write.value, ast.Call)
        for term in values.evaluate(analysis, write.value, constructor)
    )


def _is_setting(analysis: Analysis, write: AttributeWrite) -> bool:
    """Whether an attribute is given a number, a word, or a model that is not to be trained."""
    value = _written(write)
    if value is None:
        return False
    if numbers.is_number(analysis, value, write.scope):
        return True
    own = ast.Attribute(ast.Name(write.base, ast.Load()), write.attribute, ast.Load())
    if constant.is_size(analysis, own, write.scope):
        return True
    held = [t for t in values.evaluate(analysis, value, write.scope) if not isinstance(t, Argument)]
    return bool(held) and all(isinstance(term, Literal) and term != NONE for term in held)


def _is_set_elsewhere(analysis: Analysis, cls: Scope, name: str) -> bool:
    """Whether code that is no method of the class sets an attribute of this name on something."""
    around = analysis.few_importers(cls.module_path, cls.name, _MOST_FILES)
    return around is None or any(
        write.attribute == name and classes.class_around(write.scope) is not cls
        for path in (cls.module_path, *around)
        for scope in analysis.module(path).all_scopes
        for write in scope.attribute_writes
        if write.base != "self"
    )


def _is_buffer(value: ast.expr, scope: Scope) -> bool:
    """Whether a module of PyTorch is given an array to keep that is no parameter of it."""
    return any(
        last_name(site.node.func) == members.BUFFER_REGISTRATION and value in site.node.args
        for site in scope.calls
    )
