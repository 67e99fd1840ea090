"""Which operands no training changes: data that is read or written out, and sizes.

Asked of a function's operand, the answer may be that it depends on what the function is given.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable

from deepperf.knowledge import members
from deepperf.knowledge.schema import Fact, Trait, has
from deepperf.semantics.calls import callers, callgraph, effects
from deepperf.semantics.files.analysis import Analysis
from deepperf.semantics.loops.regions import last_name
from deepperf.semantics.names.flow import Binding
from deepperf.semantics.names.scopes import COMPREHENSIONS, CallSite, Scope
from deepperf.semantics.text import tree
from deepperf.semantics.text.tree import Chain
from deepperf.semantics.values import arrays, classes, filled, values
from deepperf.semantics.values.terms import (
    UNKNOWN,
    Argument,
    ClassTerm,
    Display,
    External,
    FunctionTerm,
    Instance,
    Literal,
    Object,
    Term,
    Unknown,
)

_CARRIERS = ("numpy.ndarray", "jax.Array", "builtins.int", "builtins.float", "builtins.str")

_DATA = frozenset((Trait.CREATES_ARRAY, Trait.DECODES, Trait.READS_SAMPLE))
_DATA |= frozenset((Trait.LOADS_SAMPLE, Trait.LOADS_ARRAY))
"""What is read or written out, and trained by nobody."""
_SIZED = frozenset(("arange", "empty", "eye", "linspace", "ones", "range", "xrange", "zeros"))
_MAKES_PARAMETERS = (Trait.CREATES_LAYER, Trait.CREATES_VARIABLE)
_PARTS = members.MODEL_PARTS | members.MODEL_LISTINGS
_LAYERS = ("BatchNorm", "Conv", "Dense", "Embedding", "GRU", "LSTM", "LayerNorm", "Linear")
"""How the names of layers begin that are told of how many numbers they are."""
_Chains = frozenset[Chain]
_NONE: _Chains = frozenset()


def is_constant(analysis: Analysis, node: ast.expr, scope: Scope) -> bool:
    """Whether an operand is known to hold no trained parameter, nor to be made from one.

    What is made from itself, turn by turn, is no parameter for that.
    """
    return _rests(analysis, node, scope, None) is not None


def is_passed_constant(analysis: Analysis, node: ast.expr, scope: Scope) -> bool:
    """The same, or all that the project's calls of the function pass for it are."""
    if is_constant(analysis, node, scope):
        return True
    needed = given_for(analysis, node, scope)
    return bool(needed) and all(
        len(chain) == 1 and _is_passed(analysis, scope, chain[0]) for chain in needed or ()
    )


def _is_passed(analysis: Analysis, function: Scope, name: str) -> bool:
    passed = callers.arguments_for(analysis, function, name)
    return bool(passed) and all(is_constant(analysis, node, at) for node, at in passed)


def given_for(analysis: Analysis, node: ast.expr, scope: Scope) -> frozenset[Chain] | None:
    """What a function must be given that is constant, for an operand in it to be; None if never."""
    return _rests(analysis, node, scope, scope)


def _all(answers: Iterable[_Chains | None]) -> _Chains | None:
    found = _NONE
    for answer in answers:
        if answer is None:
            return None
        found |= answer
    return found


def _rests(
    analysis: Analysis, node: ast.expr, scope: Scope, within: Scope | None
) -> _Chains | None:
    nothing: _Chains | None = _NONE
    return analysis.remember(
        ("constant data", node, within), lambda: _find(analysis, node, scope, within), nothing
    )


def _find(analysis: Analysis, node: ast.expr, scope: Scope, within: Scope | None) -> _Chains | None:
    if isinstance(node, ast.Call):
        fact = callgraph.fact_of_call(analysis, node, scope)
        if fact is not None:
            return _made(analysis, node, fact, scope, within)
        # What is detached has a gradient, and still shows what a step makes of it.
        if isinstance(node.func, ast.Attribute) and node.func.attr == "detach":
            return _rests(analysis, node.func.value, scope, within)
        if (made := _of_function(analysis, node, scope, within)) is not None:
            return made
    elif (
        isinstance(node, ast.Attribute)
        and (of_whole := _rests(analysis, node.value, scope, None)) is not None
    ):
        return of_whole
    elif isinstance(node, (ast.BinOp, ast.UnaryOp, ast.Subscript, ast.Compare, ast.Starred)):
        parts = [part for part in tree.children(node) if isinstance(part, ast.expr)]
        return _all(_rests(analysis, part, scope, within) for part in parts)
    elif isinstance(node, (ast.Constant, ast.Slice, ast.JoinedStr)):
        return _NONE
    elif isinstance(node, COMPREHENSIONS):
        return None if _may_hold_parameters(analysis, node, scope) else _NONE
    elif isinstance(node, (ast.Tuple, ast.List)):
        return _all(_rests(analysis, part, scope, within) for part in node.elts)
    elif isinstance(node, (ast.Name, ast.Attribute)) and is_size(analysis, node, scope):
        return _NONE
    if within is scope and (chain := _given(analysis, node, scope)) is not None:
        return frozenset((chain,))
    held = values.evaluate(analysis, node, scope)
    bound = _bound(analysis, node, scope)
    made = _of_function(analysis, bound, scope, within) if isinstance(bound, ast.Call) else None
    if made is not None:
        return made
    if bound is not None and held == (UNKNOWN,):
        return _rests(analysis, bound, scope, within)
    # What callers pass is taken to be like what is known of it.
    known = [term for term in held if not isinstance(term, Argument)]
    if isinstance(node, ast.Attribute):
        whole = values.evaluate(analysis, node.value, scope)
        if any(isinstance(term, Argument) for term in whole):
            known = [term for term in known if not isinstance(term, Unknown)]
    return _all(_of_term(analysis, term, within) for term in known) if known else None


def _bound(analysis: Analysis, node: ast.expr, scope: Scope) -> ast.expr | None:
    """What a name of a function is bound to as it is, once."""
    if not isinstance(node, ast.Name):
        return None
    definitions = values.definitions_of(analysis, node, scope)
    one = definitions[0] if len(definitions) == 1 else None
    is_plain = one is not None and one.binding is Binding.ASSIGNED and not one.unpacking
    return one.value if one is not None and is_plain and one.scope is scope else None


def _of_function(
    analysis: Analysis, call: ast.Call, scope: Scope, within: Scope | None
) -> _Chains | None:
    """What a function of the project makes of what it is given, and of nothing that is trained."""
    held = values.evaluate(analysis, call.func, scope)
    run = held[0].scope if len(held) == 1 and isinstance(held[0], FunctionTerm) else None
    if run is None or callgraph.has_unpacked_arguments(call):
        return None
    analysis.module_of(run)
    if not run.returns or run.yields:
        return None
    needed = _all(given_for(analysis, one, run) for one in run.returns)
    passed = callgraph.bound_arguments(call, callgraph.Target(run, None, 0))
    read: list[ast.expr] = []
    for chain in sorted(needed or ()):
        part = passed.get(chain[0])
        if part is None:
            return None
        for name in chain[1:]:
            part = ast.Attribute(part, name, ast.Load())
        read.append(part)
    return None if needed is None else _all(_rests(analysis, one, scope, within) for one in read)


def _may_hold_parameters(analysis: Analysis, node: ast.expr, scope: Scope) -> bool:
    """Whether an expression reads what a model is made of, or makes such things."""
    for part in tree.walk(node):
        if isinstance(part, ast.Call):
            fact = callgraph.fact_of_call(analysis, part, scope)
            if has(fact, *_MAKES_PARAMETERS) or _wants_gradients(part):
                return True
        elif isinstance(part, (ast.Name, ast.Attribute)):
            if isinstance(part, ast.Attribute) and part.attr in _PARTS:
                return True
            held = values.evaluate(analysis, part, scope)
            if any(_is_trained(analysis, term) for term in held):
                return True
    return False


def _is_trained(analysis: Analysis, term: Term) -> bool:
    if not isinstance(term, (Instance, Object)):
        return False
    types = classes.instance_type(analysis, term)
    is_model = not arrays.MODELS.isdisjoint(types)
    return is_model or (isinstance(term, Instance) and effects.is_variable(analysis, term))


def _is_off(given: list[ast.expr]) -> bool:
    """Whether a method is given nothing but False."""
    return len(given) == 1 and isinstance(given[0], ast.Constant) and given[0].value is False


def _is_made_trainable(analysis: Analysis, site: ast.expr, scope: Scope) -> bool:
    """Whether a function says, of what it has a name for, that it needs gradients."""

    def find() -> set[int]:
        names = {
            write.base for write in scope.attribute_writes if write.attribute == "requires_grad"
        }
        found: set[int] = set()
        for one in scope.calls:
            function = one.node.func
            if last_name(one) == "requires_grad_" and not _is_off(one.node.args):
                assert isinstance(function, (ast.Attribute, ast.Name))
                whole = getattr(function, "value", function)
                names.add(tree.dotted(whole))
                found |= {id(one.node), id(whole)}
        every = analysis.module_of(scope).flow(scope).all if names else {}
        return found | {id(one.value) for name in names for one in every.get(name, ())}

    nothing: set[int] = set()
    return id(site) in analysis.remember(("made trainable", scope), find, nothing)


def _given(analysis: Analysis, node: ast.expr, scope: Scope) -> Chain | None:
    """The names of what a function is given, or of what that has, if an expression reads it."""
    chain, root = tree.chain_of(node), tree.owner_of(node)
    if chain is None or not isinstance(root, ast.Name):
        return None
    definitions = values.definitions_of(analysis, root, scope)
    is_given = all(one.binding is Binding.PARAMETER and one.scope is scope for one in definitions)
    return chain if definitions and is_given else None


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


def _made(
    analysis: Analysis, node: ast.Call, fact: Fact, scope: Scope, within: Scope | None
) -> _Chains | None:
    if _wants_gradients(node):
        return None
    if fact.framework == "python":
        return None if _may_hold_parameters(analysis, node, scope) else _NONE
    if fact.framework == "numpy" or not _DATA.isdisjoint(fact.traits):
        return _NONE
    if isinstance(node.func, ast.Attribute) and node.func.attr in members.CONVERSIONS:
        return _rests(analysis, node.func.value, scope, within)
    if fact.traits.isdisjoint((Trait.COMPUTES, Trait.VIEWS)) and fact.traits:
        return None
    operands = tree.arguments(node)
    if isinstance(node.func, ast.Attribute):
        held = values.evaluate(analysis, node.func.value, scope)
        if not held or not all(isinstance(term, External) for term in held):
            operands.append(node.func.value)
    return _all(_rests(analysis, operand, scope, within) for operand in operands)


def _wants_gradients(call: ast.Call) -> bool:
    return any(keyword.arg == "requires_grad" for keyword in call.keywords)


def _of_term(analysis: Analysis, term: Term, within: Scope | None) -> _Chains | None:
    if isinstance(term, (Literal, External, ClassTerm)):
        return _NONE
    if isinstance(term, Display):
        written = term.node.elts if isinstance(term.node, (ast.List, ast.Tuple)) else []
        if written and not filled.is_filled(analysis, term):
            return _all(_rests(analysis, part, term.scope, within) for part in written)
        return _NONE if is_collected(analysis, term) or _is_of_texts(term) else None
    if isinstance(term, Object) or not isinstance(term, Instance):
        return None
    # Tensors of TensorFlow are never written to: what is trained is variables.
    if term.type == "tensorflow.Tensor":
        return _NONE
    if any(name in _CARRIERS for name in classes.instance_type(analysis, term)):
        return _NONE
    if term.site is not None and _is_made_trainable(analysis, term.site, term.scope):
        return None
    if isinstance(term.site, ast.Attribute):
        return _rests(analysis, term.site.value, term.scope, within)
    if isinstance(term.site, (ast.Call, ast.BinOp, ast.UnaryOp, ast.Subscript)):
        return _rests(analysis, term.site, term.scope, within)
    return None


def _is_of_texts(term: Display) -> bool:
    """Whether a list is made of texts, one for each thing gone over: f"a photo of {name}"."""
    return isinstance(term.node, (ast.ListComp, ast.SetComp)) and _is_text(term.node.elt)


def _is_text(node: ast.expr) -> bool:
    """Whether an expression puts a text together, by what is written of it."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Add, ast.Mod)):
        return _is_text(node.left) or (isinstance(node.op, ast.Add) and _is_text(node.right))
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        return node.func.attr == "format" or (
            node.func.attr == "join" and _is_text(node.func.value)
        )
    is_written = isinstance(node, ast.Constant) and isinstance(node.value, str)
    return is_written or isinstance(node, ast.JoinedStr)


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
