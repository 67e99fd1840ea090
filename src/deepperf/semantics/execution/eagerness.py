"""Whether the operations in a loop run in each iteration, or are traced into a graph once."""

from __future__ import annotations

import ast

from deepperf.knowledge.schema import ParameterRole, Trait, has
from deepperf.semantics.calls import callbacks, callers, callgraph
from deepperf.semantics.execution import contexts
from deepperf.semantics.files.analysis import Analysis
from deepperf.semantics.loops import loops, passes
from deepperf.semantics.names.scopes import CallSite, Frame, Scope, ScopeKind, last_name
from deepperf.semantics.text import tree
from deepperf.semantics.values import classes, values
from deepperf.semantics.values.terms import Instance, Term

_OF_GRAPHS = frozenset((Trait.OPENS_SESSION, Trait.RUNS_SESSION, Trait.DISABLES_EAGER))
_OF_GRAPHS |= frozenset((Trait.ENTERS_GRAPH, Trait.RESETS_GRAPH, Trait.CREATES_GRAPH))
_ON_THE_HOST = frozenset((Trait.PRINTS, Trait.READS_FILE, Trait.SYNCS_HOST, Trait.TRAINS))
_ON_THE_HOST |= frozenset((Trait.RECORDS_GRADIENT, Trait.WRITES_STATE))
_NEVER_TRACED = frozenset((Trait.PRINTS, Trait.READS_FILE, Trait.SYNCS_HOST, Trait.TRAINS))
_READING = frozenset((Trait.PRINTS, Trait.SYNCS_HOST))
_GRAPH_ITERABLES = frozenset(("tensorflow.Tensor", "tensorflow.data.Dataset"))
_TENSORS = frozenset(("tensorflow.Tensor", "jax.Array"))
_KINDS = _TENSORS | frozenset(("numpy.ndarray", "tensorflow.Variable", "torch.Tensor"))
_FARTHEST = 3


def is_traced_once(analysis: Analysis, scope: Scope) -> bool:
    """Whether code of the scope is known to run only while a framework traces it."""
    return scope.kind is ScopeKind.FUNCTION and (
        contexts.is_traced(analysis, scope) or contexts.is_keras_call(analysis, scope)
    )


def turns_in_the_graph(analysis: Analysis, loop: Frame) -> bool:
    """Whether the loop is one that TensorFlow turns itself, inside a traced function.

    AutoGraph makes such loops of `for` over a tensor or dataset.
    """
    iterable = loops.iterable_of(loop)
    if not isinstance(loop.node, ast.For) or iterable is None:
        return False
    return any(
        not _GRAPH_ITERABLES.isdisjoint(classes.instance_type(analysis, term))
        for term in values.evaluate(analysis, iterable, loop.scope)
        if isinstance(term, Instance)
    )


def builds_graphs(analysis: Analysis, path: str) -> bool:
    """Whether a file is written for TensorFlow's graph mode: sessions, `compat.v1`."""

    def find() -> bool:
        module = analysis.module(path)
        for statement in module.scopes.imports.values():
            named = [alias.name for alias in statement.names]
            if isinstance(statement, ast.ImportFrom):
                named.append(statement.module or "")
            if any("compat.v1" in name or name == "v1" for name in named):
                return True
        return any(callgraph.sites_with(analysis, path, _OF_GRAPHS))

    return analysis.remember(("builds graphs", path), find, otherwise=True)


def suits_either_mode(analysis: Analysis, site: CallSite) -> bool:
    """Whether code asks in which mode it runs, which is mostly the eager one then.

    So does a condition around a call that asks whether arrays or tensors came in.
    """
    wanted = analysis.project.trigger_names(frozenset((Trait.TELLS_EAGER,)))
    return any(
        last_name(other.node.func) in wanted
        and has(callgraph.fact_at(analysis, other), Trait.TELLS_EAGER)
        for other in site.scope.calls
    ) or any(_asks_for_kind(analysis, test, site.scope) for test in contexts.guards(site.frames))


def _asks_for_kind(analysis: Analysis, test: ast.expr, scope: Scope) -> bool:
    return any(
        _tells_kind(analysis, part, scope) for part in tree.walk(test) if isinstance(part, ast.Call)
    )


def _tells_kind(analysis: Analysis, node: ast.Call, scope: Scope) -> bool:
    """Whether a call says whether its argument is an array or a tensor."""
    if getattr(node.func, "id", None) != "isinstance" or len(node.args) != 2:
        return has(callgraph.fact_of_call(analysis, node, scope), Trait.TELLS_KIND) or _gives_kind(
            analysis, node, scope
        )
    asked = node.args[1]
    classes_asked = asked.elts if isinstance(asked, ast.Tuple) else [asked]
    return any(
        not _KINDS.isdisjoint(callgraph.external_names(values.evaluate(analysis, one, scope)))
        for one in classes_asked
    )


def _gives_kind(analysis: Analysis, node: ast.Call, scope: Scope) -> bool:
    """Whether a function of the project, of one line, says that for a call."""
    site = analysis.site_of(node, scope)
    targets = callgraph.targets(analysis, site) if site is not None else ()
    for function in (target.function for target in targets):
        analysis.module_of(function)
        answers = [part for part in function.returns if isinstance(part, ast.Call)]
        if len(function.returns) != 1 or not answers or len(function.calls) != 1:
            return False
        if not _tells_kind(analysis, answers[0], function):
            return False
    return bool(targets)


def turns_untraced(analysis: Analysis, loop: Frame) -> bool:
    """Whether no tracer of JAX can turn the loop, which unrolls nearly any other.

    Unlike TensorFlow's it traces what calls compiled functions, counts epochs or changes lists.
    """
    scope = loop.scope
    if is_traced_once(analysis, scope):
        return False
    if passes.over(analysis, loop) is loops.LoopOver.BATCHES:
        return True
    if scope.yields and scope.kind is ScopeKind.FUNCTION:
        return True
    wanted = analysis.project.trigger_names(_NEVER_TRACED)
    for site in loops.sites_in(analysis, loop):
        if last_name(site.node.func) in wanted:
            fact = callgraph.fact_at(analysis, site)
            if has(fact, *_NEVER_TRACED) and not (
                fact.framework == "jax" and Trait.PRINTS in fact.traits
            ):
                return True
        if isinstance(site.node.func, ast.Name) and _reads_number(analysis, site):
            return True
    runs = runs_in_python(analysis, scope) or _is_begun(analysis, scope, _FARTHEST)
    return runs or _decides_by_array(analysis, loop)


def _is_begun(analysis: Analysis, scope: Scope, farther: int) -> bool:
    """Whether a function of a file that takes nothing leads to it: there is nothing to trace."""
    node = scope.node
    if isinstance(node, ast.FunctionDef) and not node.decorator_list:
        given = node.args
        parts = (*given.posonlyargs, *given.args, *given.kwonlyargs, given.vararg, given.kwarg)
        is_top = scope.parent is not None and scope.parent.kind is ScopeKind.MODULE
        if is_top and not any(parts):
            return True
    return bool(farther) and any(
        _is_begun(analysis, site.scope, farther - 1)
        for site in callers.callers(analysis, scope)
        if site.scope is not scope and not is_traced_once(analysis, site.scope)
    )


def _decides_by_array(analysis: Analysis, loop: Frame) -> bool:
    """Whether an array of JAX decides on an iteration, or in it: it has no truth while it is
    traced.
    """
    pending: list[ast.AST] = [loop.node]
    while pending:
        part = pending.pop()
        if isinstance(part, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)):
            continue
        if isinstance(part, (ast.If, ast.While)):
            test = part.test
            sides = [test.left, *test.comparators] if isinstance(test, ast.Compare) else [test]
            if any(_is_array_of_jax(analysis, side, loop.scope) for side in sides):
                return True
        pending += tree.children(part)
    return False


def _is_array_of_jax(analysis: Analysis, node: ast.expr, scope: Scope) -> bool:
    return any(
        isinstance(term, Instance) and "jax.Array" in classes.instance_type(analysis, term)
        for term in values.evaluate(analysis, node, scope)
    )


def reads_from_device(analysis: Analysis, scope: Scope) -> bool:
    """Whether the code prints or makes a Python number of a tensor, which no tracer could do."""
    wanted = analysis.project.trigger_names(_READING)
    return any(
        (last_name(site.node.func) in wanted and has(callgraph.fact_at(analysis, site), *_READING))
        or (isinstance(site.node.func, ast.Name) and _reads_number(analysis, site))
        for site in scope.calls
    )


def may_read_from_device(analysis: Analysis, scope: Scope) -> bool:
    """Whether, by names alone, the code prints, or makes a Python number."""
    wanted = analysis.project.trigger_names(_READING) | {"float", "int"}
    return any(last_name(site.node.func) in wanted for site in scope.calls)


def _reads_number(analysis: Analysis, site: CallSite) -> bool:
    """Whether it makes a Python number of a tensor: no tracer can."""
    if last_name(site.node.func) not in ("float", "int") or not site.node.args:
        return False
    return any(
        not _TENSORS.isdisjoint(classes.instance_type(analysis, term))
        for term in values.evaluate(analysis, site.node.args[0], site.scope)
        if isinstance(term, Instance)
    )


def enters_compiled(analysis: Analysis, site: CallSite, function: Scope) -> bool:
    """Whether a call runs a function only by what compiles it: `run` of `run = jax.jit(f)`."""
    ways = [
        term
        for term in callgraph.callee(analysis, site)
        if any(target.function is function for target in callgraph.targets_of(analysis, (term,)))
    ]
    return bool(ways) and all(_is_compiled(analysis, term) for term in ways)


def _is_compiled(analysis: Analysis, term: Term) -> bool:
    """Whether a value is what a call that compiles gives, perhaps in wrappers."""
    for _ in range(_FARTHEST):
        if not isinstance(term, Instance) or not isinstance(term.site, ast.Call):
            return False
        fact = callgraph.fact_of_call(analysis, term.site, term.scope)
        if has(fact, Trait.COMPILES):
            return True
        inner = callgraph.role_argument(term.site, fact, ParameterRole.FUNCTION) if fact else None
        held = values.evaluate(analysis, inner, term.scope) if inner is not None else ()
        if len(held) != 1:
            return False
        term = held[0]
    return False


def runs_in_python(analysis: Analysis, scope: Scope, farther: int = _FARTHEST) -> bool:
    """Whether the module itself runs the code, or calls that start there lead to it."""
    if scope.kind is ScopeKind.MODULE:
        return True
    if scope.kind is not ScopeKind.FUNCTION or is_traced_once(analysis, scope):
        return False
    if classes.enclosing_class(scope) is not None and farther < _FARTHEST:
        return False
    return bool(farther) and any(
        runs_in_python(analysis, site.scope, farther - 1)
        for site in callers.callers(analysis, scope)
        if site.scope is not scope and not _runs_for_graphs(analysis, site, scope)
    )


def _runs_for_graphs(analysis: Analysis, site: CallSite, scope: Scope) -> bool:
    """Whether a call stands in another file, which is written for TensorFlow's graph mode."""
    path = site.scope.module_path
    return path != scope.module_path and builds_graphs(analysis, path)


def may_run_in_python(analysis: Analysis, scope: Scope) -> bool:
    """Whether, by names alone, the module may run the code; asked before what costs.

    What another file may call, and what is called by names that are not its own, may be run.
    """
    if scope.kind is not ScopeKind.FUNCTION:
        return scope.kind is ScopeKind.MODULE
    home = scope.module_path
    module, project = analysis.module(home), analysis.project
    nothing: tuple[tuple[Scope, frozenset[str | None]], ...] = ()
    table = analysis.remember(
        ("calling", home), lambda: _names_by_function(analysis, home), nothing
    )
    level = [scope]
    for _ in range(_FARTHEST):
        if any(
            function.name == "<lambda>"
            or function.name in callgraph.CALLED_AS
            or function.name == "__init__"
            or callbacks.is_handed_over(analysis, function)
            for function in level
        ):
            return True
        names = {function.name for function in level}
        names.update(*(module.renamings.get(name, ()) for name in tuple(names)))
        analysis.asked.update(names)
        if any(
            project.importers_naming(home, name) or project.neighbours_naming(home, name)
            for name in names
        ):
            return True
        callers_by_name = [function for function, called in table if not called.isdisjoint(names)]
        if any(function.kind is ScopeKind.MODULE for function in callers_by_name):
            return True
        level = [f for f in callers_by_name if f.kind is ScopeKind.FUNCTION]
        if not level:
            return False
    return False


def _names_by_function(
    analysis: Analysis, path: str
) -> tuple[tuple[Scope, frozenset[str | None]], ...]:
    """The scopes of a file, each with the last names of what it calls itself."""
    return tuple(
        (scope, frozenset(last_name(site.node.func) for site in scope.calls))
        for scope in analysis.module(path).all_scopes
    )
