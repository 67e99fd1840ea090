"""Arithmetic and parts of tensors that a session is told to run: operators add nodes, too."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from deepperf.knowledge.schema import Trait
from deepperf.semantics.calls import callgraph
from deepperf.semantics.execution import graphs, session_runs
from deepperf.semantics.files.analysis import Analysis
from deepperf.semantics.names.flow import Binding
from deepperf.semantics.names.scopes import CallSite, Scope
from deepperf.semantics.text import tree
from deepperf.semantics.values import values
from deepperf.semantics.values.terms import Display, Instance, Literal

_TENSOR = "tensorflow.Tensor"
_OF_NUMBERS = (ast.Sub, ast.Div, ast.FloorDiv, ast.Pow, ast.MatMult)
"""Operators that neither lists nor texts have; a session runs no bare numbers and no sets."""
_DEEPEST = 3


def operations(analysis: Analysis, path: str) -> Iterator[tuple[CallSite, ast.expr]]:
    """Calls of a file that have a session run arithmetic, and that arithmetic."""
    module = analysis.module(path)
    for site in module.calls_of(analysis.project.trigger_names(frozenset((Trait.RUNS_SESSION,)))):
        for name in _names_run(analysis, site):
            part = _bound_in_turn(analysis, name, site)
            if part is not None and _is_of_tensors(analysis, part, site.scope):
                yield site, part
    for site in module.scopes.call_sites.values():
        written = [part for part in _candidates(site.node) if _computes(part)]
        if not written:
            continue
        found = _run_by(analysis, site, _DEEPEST)
        for part in written:
            if any(part is one for one in found) and _is_of_tensors(analysis, part, site.scope):
                yield site, part
                break


def _names_run(analysis: Analysis, site: CallSite) -> Iterator[ast.Name]:
    """The names of what a call itself has a session run."""
    if any(isinstance(part, ast.Name) for part in _candidates(site.node)):
        for part in _run_by(analysis, site, 0):
            if isinstance(part, ast.Name):
                yield part


def _computes(node: ast.expr) -> bool:
    """Whether, by its text, an expression makes one tensor of others."""
    return isinstance(node, ast.BinOp) or _is_negated(node) or _is_part_of_tensor(node)


def _is_negated(node: ast.expr) -> bool:
    """Whether it is the opposite of something: no list, dict or text has one."""
    return isinstance(node, ast.UnaryOp) and isinstance(node.op, (ast.USub, ast.Invert))


def _is_part_of_tensor(node: ast.expr) -> bool:
    """Whether it takes a part along several axes: no list has them, nor a dict such keys."""
    return (
        isinstance(node, ast.Subscript)
        and isinstance(node.slice, ast.Tuple)
        and any(isinstance(index, ast.Slice) for index in node.slice.elts)
    )


def _bound_in_turn(analysis: Analysis, name: ast.Name, site: CallSite) -> ast.expr | None:
    """The arithmetic that a name is bound to in the same turn, if no call in it adds nodes."""
    definitions = values.definitions_of(analysis, name, site.scope)
    only = definitions[0] if len(definitions) == 1 else None
    if only is None or only.binding is not Binding.ASSIGNED or only.unpacking:
        return None
    turns = tuple(id(frame.node) for frame in site.loops)
    if only.scope is not site.scope or only.loops != turns:
        return None
    value = only.value
    if value is None or not _computes(value):
        return None
    inside = [one for one in site.scope.calls if any(one.node is p for p in tree.walk(value))]
    return None if any(graphs.adds_nodes(analysis, one) for one in inside) else value


def _candidates(call: ast.Call) -> Iterator[ast.expr]:
    """What a call may have run, by the text alone."""
    for given in tree.arguments(call):
        yield from _listed(given)
    if isinstance(call.func, ast.Attribute) and call.func.attr == "eval":
        yield call.func.value


def _listed(node: ast.expr) -> Iterator[ast.expr]:
    """The parts of lists and dicts that a session is told to run, joined ones included."""
    if isinstance(node, (ast.List, ast.Tuple)):
        for part in node.elts:
            yield from _listed(part)
    elif isinstance(node, ast.Dict):
        # What is fetched has names; what is fed stands beside the tensors it is fed to.
        if all(isinstance(key, ast.Constant) for key in node.keys):
            for part in node.values:
                yield from _listed(part)
    elif isinstance(node, ast.BinOp) and _has_list(node):
        yield from _listed(node.left)
        yield from _listed(node.right)
    else:
        yield node


def _has_list(node: ast.expr) -> bool:
    if isinstance(node, ast.BinOp):
        return _has_list(node.left) or _has_list(node.right)
    if isinstance(node, ast.Call):
        return isinstance(node.func, ast.Name) and node.func.id in ("list", "sorted", "tuple")
    return isinstance(node, (ast.List, ast.Tuple, ast.ListComp))


def _run_by(analysis: Analysis, site: CallSite, deepest: int) -> tuple[ast.expr, ...]:
    """What a call has a session run, as its arguments write it, in functions it calls too."""
    call = site.node
    if session_runs.runs_session(analysis, site):
        if isinstance(call.func, ast.Attribute) and call.func.attr == "eval":
            # `tensor.eval()`, and `K.eval(tensor)`; what `tensor.eval` is given is fed.
            given = [part for part in call.args[:1] if not isinstance(part, ast.Dict)]
            return tuple(one for part in (call.func.value, *given) for one in _listed(part))
        if _is_given_values(analysis, site):
            return ()
        named = (k.value for k in call.keywords if k.arg == "fetches")
        fetched = next(iter(call.args), None) or next(named, None)
        return () if fetched is None else tuple(_listed(fetched))
    if not deepest:
        return ()
    found: list[ast.expr] = []
    for target in callgraph.targets(analysis, site):
        for name, bound in callgraph.bound_arguments(call, target).items():
            if _runs(analysis, target.function, name, deepest - 1):
                found.extend(_listed(bound))
    return tuple(found)


def _is_given_values(analysis: Analysis, site: CallSite) -> bool:
    """Whether a call that runs a session is given arrays: for variables, or for a function."""
    held = callgraph.callee(analysis, site)
    fact = callgraph.fact_of(analysis, held)
    if fact is not None:
        return Trait.WRITES_STATE in fact.traits
    return any(session_runs.has_call_trait(analysis, term, Trait.RUNS_SESSION) for term in held)


def _runs(analysis: Analysis, function: Scope, name: str, deepest: int) -> bool:
    """Whether a function has a session run what it is given as `name`."""

    def find() -> bool:
        analysis.module_of(function)
        return any(
            isinstance(part, ast.Name) and part.id == name
            for site in function.calls
            if name in tree.names_in(site.node)
            for part in _run_by(analysis, site, deepest)
        )

    return analysis.remember(("has run", function, name, deepest), find, otherwise=False)


def _is_of_tensors(analysis: Analysis, node: ast.expr, scope: Scope) -> bool:
    """Whether arithmetic that a session runs is of tensors, and not of lists or texts."""
    if not isinstance(node, ast.BinOp):
        return _is_negated(node) or _is_part_of_tensor(node)
    operands = (node.left, node.right)
    if any(isinstance(part, (ast.JoinedStr, ast.List, ast.Tuple)) for part in operands):
        return False
    if any(_is_of_tensors(analysis, part, scope) for part in operands):
        return True
    held = [values.evaluate(analysis, part, scope) for part in operands]
    if any(_is_tensor(analysis, term) for value in held for term in value):
        return True
    if any(
        isinstance(term, Display) or (isinstance(term, Literal) and isinstance(term.value, str))
        for value in held
        for term in value
    ):
        return False
    if isinstance(node.op, _OF_NUMBERS):
        return True
    # Lists are multiplied by whole numbers only, and added to lists.
    numbers = [part.value for part in operands if isinstance(part, ast.Constant)]
    if isinstance(node.op, ast.Mult):
        return not numbers or isinstance(numbers[0], float)
    return isinstance(node.op, ast.Add) and bool(numbers) and not isinstance(numbers[0], str)


def _is_tensor(analysis: Analysis, term: object) -> bool:
    return isinstance(term, Instance) and analysis.knowledge.is_subtype(term.type, _TENSOR)
