"""Which framework's array or tensor an expression holds: by what made it, or by its use."""

from __future__ import annotations

import ast

from deepperf.knowledge import members
from deepperf.knowledge.schema import Fact, Trait, has
from deepperf.semantics.calls import callgraph
from deepperf.semantics.files.analysis import Analysis
from deepperf.semantics.names.flow import Binding
from deepperf.semantics.names.scopes import COMPREHENSIONS, CallSite, Scope, last_name
from deepperf.semantics.text import tree
from deepperf.semantics.values import classes, given, values
from deepperf.semantics.values.terms import (
    Argument,
    Display,
    Instance,
    Literal,
    Object,
    Term,
    Unknown,
)

SOME = "array"
"""The framework of arrays that are known only by the way they are used."""
_FRAMEWORKS = {
    "tensorflow.Tensor": "tensorflow",
    "tensorflow.Variable": "tensorflow",
    "torch.Tensor": "torch",
    "torch.nn.Parameter": "torch",
    "jax.Array": "jax",
    "numpy.ndarray": "numpy",
}
MODELS = frozenset(("keras.Layer", "keras.Model", "torch.nn.Module"))


def framework_of(analysis: Analysis, node: ast.expr, scope: Scope) -> str:
    """The framework of the array that `node` holds; `SOME` of one, "" if it may be none."""
    held = values.evaluate(analysis, node, scope)
    found = ""
    for term in held:
        if isinstance(term, (Instance, Object)):
            known = classes.instance_type(analysis, term)
            here = next((_FRAMEWORKS[name] for name in known if name in _FRAMEWORKS), "")
            if here:
                found = found or here
            elif known and any(known):
                return ""
        elif isinstance(term, Display) or not isinstance(term, (Argument, Unknown, Literal)):
            return ""
    if found:
        return found
    if held and all(isinstance(term, Literal) for term in held):
        return ""
    name = tree.dotted(node)
    return SOME if name and name in used_as_arrays(analysis, scope) else ""


def told_lists(scope: Scope, place: ast.AST) -> frozenset[str]:
    """The references, dotted, of which tests around a place say that they are lists there."""
    line = getattr(place, "lineno", 0)
    return frozenset(
        tree.dotted(part.args[0])
        for branch in tree.walk(scope.node)
        if isinstance(branch, ast.If)
        and any(one.lineno <= line <= (one.end_lineno or 0) for one in branch.body)
        for part in _claims(branch.test)
        if isinstance(part, ast.Call)
        and isinstance(part.func, ast.Name)
        and part.func.id == "isinstance"
        and len(part.args) == 2
        and _names_lists(part.args[1])
    )


def _claims(test: ast.expr) -> list[ast.expr]:
    """What holds where a test does."""
    if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And):
        return [claim for part in test.values for claim in _claims(part)]
    return [test]


def _names_lists(node: ast.expr) -> bool:
    kinds = node.elts if isinstance(node, ast.Tuple) else [node]
    return all(isinstance(kind, ast.Name) and kind.id in ("list", "tuple") for kind in kinds)


def is_open(analysis: Analysis, node: ast.expr, scope: Scope) -> bool:
    """Whether nothing is known of what an expression holds."""
    return all(
        isinstance(term, (Argument, Unknown))
        or (isinstance(term, Instance) and not term.type)
        or (isinstance(term, Literal) and term.value is None)
        for term in values.evaluate(analysis, node, scope)
    )


def used_as_arrays(analysis: Analysis, scope: Scope) -> frozenset[str]:
    """The references, dotted, that a scope uses as only arrays can be used."""

    def find() -> frozenset[str]:
        found: set[str] = set()
        others: set[str] = set()
        inner: set[str] = set()
        for part in tree.walk(scope.node):
            if isinstance(part, ast.Attribute):
                if part.attr in members.ARRAY_MEMBERS:
                    found.add(tree.dotted(part.value))
                elif part.attr in members.FRAME_MEMBERS:
                    others.add(tree.dotted(part.value))
            elif isinstance(part, ast.Subscript) and _takes_slices(part.slice):
                found.add(tree.dotted(part.value))
            elif isinstance(part, COMPREHENSIONS):
                # Of a name that several comprehensions bind, each means something of its own.
                names = tree.names_in(*(generator.target for generator in part.generators))
                others |= names & inner
                inner |= names
        asking = analysis.project.trigger_names(frozenset((Trait.TELLS_SHAPE,)))
        for site in scope.calls:
            function, name = site.node.func, last_name(site.node.func)
            if isinstance(function, ast.Attribute) and name in members.ARRAY_QUESTIONS:
                found.add(tree.dotted(function.value))
            if name in asking and site.node.args:
                fact = callgraph.fact_at(analysis, site)
                if has(fact, Trait.TELLS_SHAPE):
                    found.add(tree.dotted(site.node.args[0]))
        return frozenset(found - others - {""})

    return analysis.remember(("used as arrays", scope), find, frozenset())


def method_fact(analysis: Analysis, site: CallSite) -> Fact | None:
    """What is known of a method of an array that is known only by its use.

    The framework is the one that its function calls most, of those whose arrays have the method.
    """
    function = site.node.func
    if not isinstance(function, ast.Attribute) or not _reads_used(analysis, function, site.scope):
        return None
    known = analysis.knowledge
    methods = {_FRAMEWORKS[kind]: known.method(kind, function.attr) for kind in values.ARRAY_TYPES}
    facts = {of: known.fact(name) for of, name in methods.items() if name is not None}
    company: dict[str, int] = {}
    for other in site.scope.calls:
        fact = callgraph.fact_at(analysis, other)
        if fact is not None and facts.get(fact.framework) is not None:
            company[fact.framework] = company.get(fact.framework, 0) + 1
    if company:
        return facts[max(company, key=lambda of: company[of])]
    text = analysis.project.sources[site.scope.module_path].text
    named = [of for of in facts if of in text]
    return facts[named[0]] if len(named) == 1 else None


def _reads_used(analysis: Analysis, function: ast.Attribute, scope: Scope) -> bool:
    """Whether a method is one of parts of things that are used as arrays, and unknown else."""
    used = used_as_arrays(analysis, scope)
    if not used or not is_open(analysis, function.value, scope):
        return False
    for part in tree.walk(function.value):
        if isinstance(part, ast.Attribute) and part.attr in members.FRAME_INDEXERS:
            return False
    roots = [part for part in tree.walk(function.value) if isinstance(part, ast.Subscript)]
    return bool(roots) and all(tree.dotted(tree.container_of(part)) in used for part in roots)


def _takes_slices(index: ast.expr) -> bool:
    return isinstance(index, ast.Tuple) and any(isinstance(i, ast.Slice) for i in index.elts)


def is_array(analysis: Analysis, node: ast.expr, scope: Scope) -> bool:
    """Whether an expression is known to be an array, by its type or by how it is used."""
    held = values.evaluate(analysis, node, scope)
    known = [t for t in held if not isinstance(t, Argument) and not _is_guess(analysis, t)]
    if known and not any(_says_nothing(term) for term in known):
        return all(
            isinstance(term, (Instance, Object))
            and not set(values.ARRAY_TYPES).isdisjoint(classes.instance_type(analysis, term))
            for term in known
        )
    return tree.dotted(node) in used_as_arrays(analysis, scope) or _is_said_to_be(
        analysis, node, scope
    )


def _is_said_to_be(analysis: Analysis, node: ast.expr, scope: Scope) -> bool:
    """Whether it is a parameter that its annotation says to be an array, and nothing else."""
    if not isinstance(node, ast.Name):
        return False
    definitions = values.definitions_of(analysis, node, scope)
    if len(definitions) != 1 or definitions[0].binding is not Binding.PARAMETER:
        return False
    said = given.annotated_value(analysis, definitions[0])
    return bool(said) and all(
        isinstance(term, Instance) and term.type in values.ARRAY_TYPES for term in said
    )


def _says_nothing(term: Term) -> bool:
    return isinstance(term, Unknown) or (isinstance(term, Instance) and not term.type)


def _is_guess(analysis: Analysis, term: Term) -> bool:
    """Whether a term is what some model gave, or the first or last of it: that may be a list."""
    seen: set[Term] = set()
    pending = [term]
    while pending:
        one = pending.pop()
        if not isinstance(one, Instance) or one in seen:
            continue
        seen.add(one)
        if isinstance(one.site, ast.Subscript) and isinstance(one.site.slice, ast.Slice):
            pending += values.evaluate(analysis, one.site.value, one.scope)
        elif isinstance(one.site, ast.Call):
            models = values.evaluate(analysis, one.site.func, one.scope)
            if any(isinstance(m, Object) or getattr(m, "type", "") in MODELS for m in models):
                return True
    return False
