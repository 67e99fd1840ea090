"""Which values are one text, and which calls give a language model the tokens of one."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from deepperf.knowledge import members
from deepperf.semantics.calls import callgraph
from deepperf.semantics.files.analysis import Analysis
from deepperf.semantics.names.flow import Binding
from deepperf.semantics.names.scopes import CallSite, Scope
from deepperf.semantics.text import tree
from deepperf.semantics.values import classes, filled, values
from deepperf.semantics.values.terms import Display, Instance, Literal, Object, Value

TENSORS = "return_tensors"
"""What only tokenizers and processors of Hugging Face are asked for."""
_TOKENIZER = "transformers.PreTrainedTokenizerBase"
_MODELS = ("transformers.PreTrainedModel", "torch.nn.Module")
_FARTHEST = 4
"""Names from a model's input back to the tokenizer: moved to a device, taken out of a mapping."""


def calls_with_one_text(analysis: Analysis, path: str) -> Iterator[CallSite]:
    """The calls of a file that hand one text's tokens to a model, or have it go on from there."""
    module = analysis.module(path)
    if TENSORS not in module.source.text:
        return
    for site in module.scopes.call_sites.values():
        function = site.node.func
        if not isinstance(function, (ast.Name, ast.Attribute)):
            continue
        given = tree.arguments(site.node)
        if any(_is_one_text(analysis, value, site.scope, _FARTHEST) for value in given) and (
            generates(site) or _is_model(analysis, site)
        ):
            yield site


def generates(site: CallSite) -> bool:
    """Whether a model is asked to write, which records no gradients."""
    return isinstance(site.node.func, ast.Attribute) and site.node.func.attr == "generate"


def is_one(analysis: Analysis, node: ast.expr, scope: Scope) -> bool:
    """Whether a value is one text, or a list of a single one."""
    for term in values.evaluate(analysis, node, scope):
        if isinstance(term, Literal) and isinstance(term.value, str):
            return True
        if isinstance(term, Instance) and term.type == "builtins.str":
            return True
        if isinstance(term, Display) and isinstance(term.node, ast.List):
            return len(term.node.elts) == 1 and not filled.is_filled(analysis, term)
    if isinstance(node, ast.JoinedStr):
        return True
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        return node.func.attr in members.TEXT_METHODS
    if not isinstance(node, ast.Name):
        return False
    for definition in values.definitions_of(analysis, node, scope):
        value = definition.value
        if isinstance(value, ast.JoinedStr):
            return True
        if isinstance(value, ast.Call) and isinstance(value.func, (ast.Attribute, ast.Name)):
            name = getattr(value.func, "attr", getattr(value.func, "id", ""))
            if definition.binding is Binding.ITERATED and name in members.TEXT_SPLITS:
                return True
            if definition.binding is Binding.ASSIGNED and name in members.TEXT_METHODS:
                return True
    return False


def _is_one_text(analysis: Analysis, node: ast.expr, scope: Scope, steps: int) -> bool:
    """Whether a value is, or is a part of, what a tokenizer made of one text."""
    node = _whole(node)
    if isinstance(node, ast.Call):
        return _tokenizes_one(analysis, node, scope)
    if not isinstance(node, ast.Name) or not steps:
        return False
    made = [
        definition.value
        for definition in values.definitions_of(analysis, node, scope)
        if definition.binding is Binding.ASSIGNED and definition.value is not None
    ]
    return bool(made) and all(_is_one_text(analysis, one, scope, steps - 1) for one in made)


def _whole(node: ast.expr) -> ast.expr:
    """What a part was taken from, wherever it was moved."""
    while True:
        if isinstance(node, (ast.Attribute, ast.Subscript)):
            node = node.value
        elif isinstance(node, ast.DictComp) and _goes_over_items(node):
            node = node.generators[0].iter
        elif (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and (node.func.attr in members.CONVERSIONS or node.func.attr == "items")
        ):
            node = node.func.value
        else:
            return node


def _goes_over_items(node: ast.DictComp) -> bool:
    over = node.generators[0].iter
    return (
        isinstance(over, ast.Call)
        and isinstance(over.func, ast.Attribute)
        and over.func.attr == "items"
    )


def _tokenizes_one(analysis: Analysis, call: ast.Call, scope: Scope) -> bool:
    named = {keyword.arg: keyword.value for keyword in call.keywords}
    if TENSORS not in named:
        return False
    text = tree.argument(call, 0, "text")
    if text is None:
        return False
    # Of a text that is written out there is no other to put beside it.
    held = values.evaluate(analysis, text, scope)
    if len(held) == 1 and isinstance(held[0], Literal):
        return False
    if not _is_tokenizer(analysis, call, scope):
        # A processor takes images, too, or sounds.
        is_alone = len(call.args) <= 1 and named.keys().isdisjoint(members.BESIDE_TEXTS)
        return is_alone and _is_text(analysis, text, scope)
    if is_one(analysis, text, scope):
        return True
    if any(isinstance(term, Display) for term in held):
        return False
    # Texts of several lengths make no tensor unless they are padded to one.
    padding = named.get("padding")
    is_padded = padding is not None and not (
        isinstance(padding, ast.Constant) and padding.value is False
    )
    return not is_padded and None not in named


def _is_text(analysis: Analysis, node: ast.expr, scope: Scope) -> bool:
    """Whether a value is known to be one text, or a list that has one and nothing else."""
    if isinstance(node, ast.List) and len(node.elts) == 1:
        node = node.elts[0]
    return is_one(analysis, node, scope)


def _is_tokenizer(analysis: Analysis, call: ast.Call, scope: Scope) -> bool:
    function = call.func
    if isinstance(function, ast.Attribute) and function.attr in ("encode", "encode_plus"):
        function = function.value
    held = values.evaluate(analysis, function, scope)
    # What is picked from a table may be made by another of its classes: a retriever, a model.
    is_unclear = any(isinstance(term, Instance) and not term.type for term in held)
    return not is_unclear and _is_a(analysis, held, _TOKENIZER)


def _is_model(analysis: Analysis, site: CallSite) -> bool:
    held = callgraph.callee(analysis, site)
    return any(_is_a(analysis, held, kind) for kind in _MODELS)


def _is_a(analysis: Analysis, held: Value, kind: str) -> bool:
    return any(
        isinstance(term, (Instance, Object)) and kind in classes.instance_type(analysis, term)
        for term in held
    )
