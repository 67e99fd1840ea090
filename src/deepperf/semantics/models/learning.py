"""What training changes: steps of optimizers, and which operands they leave alone."""

from __future__ import annotations

import ast

from deepperf.knowledge import members
from deepperf.knowledge.schema import Fact, Trait
from deepperf.semantics.calls import callgraph, effects
from deepperf.semantics.files.analysis import Analysis
from deepperf.semantics.files.outline import may_call
from deepperf.semantics.loops.harmless import WRITING, harmless_names
from deepperf.semantics.loops.regions import Region, last_name, sites_of
from deepperf.semantics.models import frozen
from deepperf.semantics.names.scopes import COMPREHENSIONS, CallSite, Scope
from deepperf.semantics.text import tree
from deepperf.semantics.values import classes, filled, values
from deepperf.semantics.values.terms import (
    Argument,
    ClassTerm,
    Display,
    External,
    FunctionTerm,
    Instance,
    Literal,
    Method,
    Object,
    Term,
    Unknown,
    Value,
)

_CARRIERS = ("numpy.ndarray", "jax.Array", "builtins.int", "builtins.float", "builtins.str")

_DATA = frozenset((Trait.CREATES_ARRAY, Trait.DECODES, Trait.READS_SAMPLE))
_DATA |= frozenset((Trait.LOADS_SAMPLE, Trait.LOADS_ARRAY))
"""What is read or written out, and trained by nobody."""
_SIZED = frozenset(("arange", "empty", "eye", "linspace", "ones", "range", "xrange", "zeros"))
_LAYERS = ("BatchNorm", "Conv", "Dense", "Embedding", "GRU", "LSTM", "LayerNorm", "Linear")
"""How the names of layers begin that are told of how many numbers they are."""


def learns(analysis: Analysis, region: Region) -> bool:
    """Whether the region may change parameters of a model: a step of an optimizer, say."""

    def find() -> bool:
        return any(_learns_at(analysis, site) for site in sites_of(region))

    return analysis.remember(("learns", region.scope, region.loop), find, otherwise=False)


def _learns_at(analysis: Analysis, site: CallSite) -> bool:
    name = last_name(site)
    if name in learning_names(analysis):
        # Modules have methods that arrays have, too, where they change nothing: `float`, `to`.
        held = callgraph.callee(analysis, site)
        fact = callgraph.fact_of(analysis, held)
        if fact is not None or not _is_own(held):
            return fact is None or not WRITING.isdisjoint(fact.traits)
    elif name in harmless_names(analysis) or name in members.CHANGES:
        return False
    return may_call(analysis, site, learning_names(analysis))


def _is_own(held: Value) -> bool:
    """Whether a call is known to run functions of the project, and nothing else."""
    return bool(held) and all(
        isinstance(term.function if isinstance(term, Method) else term, FunctionTerm)
        for term in held
    )


def learning_names(analysis: Analysis) -> frozenset[str]:
    """The last names of what may change parameters, those apart that mostly mean other things.

    Drawing random numbers writes to a generator only.
    """

    def find() -> frozenset[str]:
        writing: set[str] = set()
        stepping: set[str] = set()
        harmless: set[str] = set()
        for name, fact in analysis.knowledge.facts.items():
            last = name.rpartition(".")[2]
            if WRITING.isdisjoint(fact.traits):
                harmless.add(last)
            elif fact.framework in ("python", "numpy") or name.endswith("_"):
                continue
            elif Trait.STEPS_TRAINING in fact.traits:
                stepping.add(last)
            elif Trait.RANDOM not in fact.traits:
                writing.add(last)
        return frozenset((writing - harmless) | stepping)

    return analysis.project.named("learning", find)


def reads_variable(analysis: Analysis, site: CallSite) -> bool:
    """Whether an operand of the call, as written, holds a variable or trained parameter."""
    return any(
        isinstance(term, Instance) and effects.is_variable(analysis, term)
        for operand in tree.walk(site.node)
        if isinstance(operand, (ast.Name, ast.Attribute))
        for term in values.evaluate(analysis, operand, site.scope)
    )


def is_constant_data(analysis: Analysis, node: ast.expr, scope: Scope) -> bool:
    """Whether an operand is known to hold no trained parameter, nor to be made from one.

    What is made from itself, turn by turn, is no parameter for that.
    """
    return analysis.remember(
        ("constant data", node), lambda: _is_constant_data(analysis, node, scope), otherwise=True
    )


def _is_constant_data(analysis: Analysis, node: ast.expr, scope: Scope) -> bool:
    if isinstance(node, ast.Call):
        fact = callgraph.fact_of_call(analysis, node, scope)
        if fact is not None:
            return _makes_constant(analysis, node, fact, scope)
        site = analysis.site_of(node, scope)
        if site is not None and frozen.asked(analysis, site) is not None:
            return is_asked_of_data(analysis, site)
    elif isinstance(node, ast.Attribute) and is_constant_data(analysis, node.value, scope):
        return True
    elif isinstance(node, (ast.BinOp, ast.UnaryOp, ast.Subscript, ast.Compare, ast.Starred)):
        return all(
            is_constant_data(analysis, part, scope)
            for part in tree.children(node)
            if isinstance(part, ast.expr)
        )
    elif isinstance(node, (ast.Constant, ast.Slice, ast.JoinedStr, *COMPREHENSIONS)):
        return True
    elif isinstance(node, (ast.Tuple, ast.List)):
        return all(is_constant_data(analysis, part, scope) for part in node.elts)
    elif isinstance(node, (ast.Name, ast.Attribute)) and is_size(analysis, node, scope):
        return True
    held = values.evaluate(analysis, node, scope)
    # What callers pass is taken to be like what is known of it.
    known = [term for term in held if not isinstance(term, Argument)]
    if isinstance(node, ast.Attribute):
        whole = values.evaluate(analysis, node.value, scope)
        if any(isinstance(term, Argument) for term in whole):
            known = [term for term in known if not isinstance(term, Unknown)]
    return bool(known) and all(_term_is_constant(analysis, term) for term in known)


def is_asked_of_data(analysis: Analysis, site: CallSite) -> bool:
    """Whether a call asks a model about what no training changes."""
    return all(
        is_constant_data(analysis, given, site.scope)
        or frozen.is_given_no_variable(analysis, given, site)
        for given in tree.arguments(site.node)
    )


def is_size(analysis: Analysis, node: ast.Name | ast.Attribute, scope: Scope) -> bool:
    """Whether the program counts up to it, or makes arrays or layers as long: it is a number then.

    What an object is made with it may use in another method.
    """
    name = tree.dotted(node)
    if _measures(name, scope):
        return True
    cls = classes.enclosing_class(scope)
    if not name or cls is None or not classes.is_of_own_object(node, scope):
        return False
    assert isinstance(node, ast.Attribute)
    return any(_measures(name, method) for method in classes.methods_of(cls).values()) or any(
        isinstance(write.value, ast.Name) and _measures(write.value.id, write.scope)
        for write in classes.attribute_writes(analysis, cls, node.attr)
    )


def _measures(name: str, scope: Scope) -> bool:
    return bool(name) and any(
        any(tree.dotted(given) == name for given in _sizes(site))
        for site in scope.calls
        if (last_name(site) in _SIZED or last_name(site).startswith(_LAYERS))
    )


def _sizes(site: CallSite) -> list[ast.expr]:
    shape = site.node.args[0] if site.node.args else None
    return [*site.node.args, *(shape.elts if isinstance(shape, (ast.Tuple, ast.List)) else [])]


def _makes_constant(analysis: Analysis, node: ast.Call, fact: Fact, scope: Scope) -> bool:
    if any(keyword.arg == "requires_grad" for keyword in node.keywords):
        return False
    if fact.framework in ("python", "numpy") or not _DATA.isdisjoint(fact.traits):
        return True
    if isinstance(node.func, ast.Attribute) and node.func.attr in members.CONVERSIONS:
        return is_constant_data(analysis, node.func.value, scope)
    if fact.traits.isdisjoint((Trait.COMPUTES, Trait.VIEWS)) and fact.traits:
        return False
    operands = tree.arguments(node)
    if isinstance(node.func, ast.Attribute):
        held = values.evaluate(analysis, node.func.value, scope)
        if not all(isinstance(term, External) for term in held):
            operands.append(node.func.value)
    return all(is_constant_data(analysis, operand, scope) for operand in operands)


def _term_is_constant(analysis: Analysis, term: Term) -> bool:
    if isinstance(term, (Literal, External, ClassTerm)):
        return True
    if isinstance(term, Display):
        return is_collected(analysis, term)
    if isinstance(term, Object) or not isinstance(term, Instance):
        return False
    # Tensors of TensorFlow are never written to: what is trained is variables.
    if term.type == "tensorflow.Tensor":
        return True
    if any(name in _CARRIERS for name in classes.instance_type(analysis, term)):
        return True
    if isinstance(term.site, ast.Attribute):
        return is_constant_data(analysis, term.site.value, term.scope)
    if isinstance(term.site, (ast.Call, ast.BinOp, ast.UnaryOp, ast.Subscript)):
        return is_constant_data(analysis, term.site, term.scope)
    return False


def is_collected(analysis: Analysis, term: Term) -> bool:
    """Whether a list is made empty, and what is put into it later is no parameter.

    Steps change parameters alone, in their place: what a model gave stays as it is.
    """
    if not isinstance(term, Display) or not isinstance(term.node, ast.List) or term.node.elts:
        return False
    put = filled.put_into(analysis, term.node, term.scope)
    held = [term for one in put for term in values.evaluate(analysis, one.value, one.scope)]
    return bool(put) and not any(
        isinstance(term, Instance) and effects.is_variable(analysis, term) for term in held
    )


def joins_collected(analysis: Analysis, site: CallSite) -> bool:
    """Whether a call is given an attribute with a list that was filled one by one."""
    given = [node for node in site.node.args if isinstance(node, ast.Attribute)]
    held = [term for node in given for term in values.evaluate(analysis, node, site.scope)]
    return any(is_collected(analysis, term) for term in held)
