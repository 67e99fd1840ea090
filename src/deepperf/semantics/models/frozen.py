"""Models that answer the same whenever they are asked the same: told to evaluate, and not trained.

A model is told apart from other things by what it is made with, or because it is told to evaluate.
Dropout makes the answers of one that was not told so differ.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from deepperf.knowledge import members
from deepperf.knowledge.schema import Trait, has
from deepperf.semantics.calls import callgraph, effects
from deepperf.semantics.calls.effects import Effect
from deepperf.semantics.execution import contexts
from deepperf.semantics.files.analysis import Analysis
from deepperf.semantics.loops.regions import Region, last_name, sites_of
from deepperf.semantics.models import chance, evaluating, freezing, gradients, identity
from deepperf.semantics.names.scopes import AttributeWrite, CallSite, Scope
from deepperf.semantics.text import tree
from deepperf.semantics.values import classes, values
from deepperf.semantics.values.terms import (
    Argument,
    Instance,
    Object,
    Unknown,
)

_TORCH, _KERAS = "torch.nn.Module", "keras.Model"
_SEQUENTIAL = "torch.nn.Sequential"
_EVALUATING = frozenset(
    ("sentence_transformers.SentenceTransformer", "transformers.PreTrainedModel")
)
"""Types of models that are told to evaluate when they are read."""
_FITS = frozenset((Trait.FITS,))
_FITTING = _FITS | {Trait.STEPS_TRAINING, Trait.RECORDS_GRADIENT}
_TRAINING = freezing.LISTINGS | {
    "fit",
    "fit_generator",
    "train",
    "train_on_batch",
    "load_state_dict",
}
_ALTERING = frozenset((Effect.WRITES_STATE, Effect.TRAINS, Effect.UNKNOWN))
_LEAVING = members.ASKINGS | members.EMBEDDINGS
_LEAVING |= frozenset(("children", "cpu", "cuda", "eval", "modules", "requires_grad_", "to"))


def asked(analysis: Analysis, site: CallSite) -> ast.expr | None:
    """The model that a call asks, if it answers the same for the same while nothing trains it."""
    return analysis.remember(("asked", site.node), lambda: _asked(analysis, site), None)


def may_ask(site: CallSite) -> bool:
    """Whether a call may ask a model, by its text: most callables that are written so do not."""
    function = site.node.func
    given = site.node.args or site.node.keywords
    return bool(given) and isinstance(function, (ast.Name, ast.Attribute))


def _asked(analysis: Analysis, site: CallSite) -> ast.expr | None:
    function = site.node.func
    if not may_ask(site) or _is_told_to_train(site.node):
        return None
    if isinstance(function, ast.Attribute) and function.attr in members.EMBEDDINGS:
        held = callgraph.callee(analysis, site)
        unknown = all(isinstance(term, (Argument, Unknown)) for term in held)
        return function.value if unknown else None
    if isinstance(function, ast.Attribute) and evaluating.asks_by_method(analysis, site):
        return function.value
    if isinstance(function, ast.Attribute) and function.attr in members.ASKINGS:
        model: ast.expr = function.value
    else:
        model = function
    held = values.evaluate(analysis, model, site.scope)
    known = [term for term in held if isinstance(term, (Instance, Object))]
    if held and all(isinstance(term, Argument) for term in held):
        return model if _is_module(analysis, model, site) else None
    if not known or any(not isinstance(t, (Instance, Object, Argument, Unknown)) for t in held):
        return None
    return model if all(_answers_alike(analysis, model, site, one) for one in known) else None


def _is_module(analysis: Analysis, model: ast.expr, site: CallSite) -> bool:
    """Whether something unknown is told what only models are: to evaluate, or not to train."""
    name = last_name(site)
    if name in members.PREDICTIONS and model is not site.node.func:
        return _is_frozen(analysis, model, site.scope)
    is_told = evaluating.is_told_before(site, model)
    return is_told or _is_told_to_evaluate(analysis, model, site.scope)


def _is_told_to_train(call: ast.Call) -> bool:
    return any(
        keyword.arg == "training"
        and not (isinstance(keyword.value, ast.Constant) and not keyword.value.value)
        for keyword in call.keywords
    )


def _answers_alike(
    analysis: Analysis, model: ast.expr, site: CallSite, term: Instance | Object
) -> bool:
    types = classes.instance_type(analysis, term)
    if isinstance(term, Object):
        # Whether it draws lies in all that it calls, and is asked last.
        return (
            (
                _KERAS in types
                or (_TORCH in types and _is_class_evaluated(analysis, model, site, term.cls))
            )
            and (run := callgraph.run_method(analysis, term.cls)) is not None
            and not chance.draws(analysis, run)
            and not evaluating.remembers(analysis, run)
        )
    if _KERAS in types:
        return True
    if not _EVALUATING.isdisjoint(types):
        return not _is_trained(analysis, model, site.scope, frozenset(("train",)))
    if term.type and _TORCH not in types:
        return False
    # The parts of a model evaluate with it.
    is_part = isinstance(model, ast.Attribute) and not classes.is_of_own_object(model, site.scope)
    whole = model.value if isinstance(model, ast.Attribute) and is_part else model
    for one in {model, whole}:
        if evaluating.is_told_before(site, one) or _is_told_to_evaluate(analysis, one, site.scope):
            return True
    if _TORCH in types and _is_frozen(analysis, model, site.scope):
        return True
    return _is_of_such_parts(analysis, model, site.scope)


def _is_of_such_parts(analysis: Analysis, model: ast.expr, scope: Scope) -> bool:
    """Whether it is made of models that answer so, one after the other, and of plain arithmetic."""

    def find() -> bool:
        made = [
            site
            for site in identity.made_by(analysis, model, scope)
            if callgraph.external_names(callgraph.callee(analysis, site)) == (_SEQUENTIAL,)
        ]
        parts = [(site, part) for site in made for part in site.node.args]
        return bool(parts) and all(_is_such_part(analysis, part, site) for site, part in parts)

    # It may be lengthened by itself: `model = nn.Sequential(model, more)`.
    return analysis.remember(("of such parts", model), find, otherwise=False)


def _is_such_part(analysis: Analysis, part: ast.expr, site: CallSite) -> bool:
    held = values.evaluate(analysis, part, site.scope)
    return (
        bool(held)
        and all(
            (isinstance(term, Object) and _is_arithmetic(analysis, term))
            or (isinstance(term, Instance) and chance.has_no_modes(analysis, term))
            or (isinstance(term, Instance) and _answers_alike(analysis, part, site, term))
            for term in held
        )
        and not _is_trained(analysis, part, site.scope, _TRAINING)
    )


def _is_arithmetic(analysis: Analysis, term: Object) -> bool:
    """Whether a module of the project draws nothing, remembers nothing, and has no layers."""
    run = callgraph.run_method(analysis, term.cls)
    if run is None or chance.draws(analysis, run) or evaluating.remembers(analysis, run):
        return False
    makers = (site for method in classes.methods_of(term.cls).values() for site in method.calls)
    return not any(
        isinstance(held, Object) or has(callgraph.fact_at(analysis, site), Trait.CREATES_LAYER)
        for site in makers
        for held in values.evaluate(analysis, site.node, site.scope)
    )


def _is_class_evaluated(analysis: Analysis, model: ast.expr, site: CallSite, cls: Scope) -> bool:
    """Whether a model of a class of the project is told to evaluate, by the class or elsewhere."""
    return (
        _is_within(cls, _evaluating_calls(analysis, cls.module_path))
        or freezing.freezes_itself(cls)
        or evaluating.is_told_before(site, model)
        or _is_told_to_evaluate(analysis, model, site.scope)
    )


# Told to evaluate


def _evaluating_calls(analysis: Analysis, path: str) -> Iterator[CallSite]:
    for site in analysis.module(path).calls_named("eval"):
        if not site.node.args and not site.node.keywords:
            yield site


def _is_told_to_evaluate(analysis: Analysis, model: ast.expr, scope: Scope) -> bool:
    """Whether it is, somewhere in the files that it is made and asked in, and not to train."""
    files = identity.files_of(analysis, model, scope)
    is_told = any(
        identity.is_same(analysis, site, model, scope)
        for path in files
        for site in _evaluating_calls(analysis, path)
    )
    return (
        is_told
        and not any(evaluating.trains_parts(analysis, path) for path in files)
        and not _is_trained(analysis, model, scope, frozenset(("train",)))
    )


def _is_within(cls: Scope, sites: Iterator[CallSite]) -> bool:
    return any(classes.enclosing_class(site.scope) is cls for site in sites)


# Not trained


def is_left_untrained(analysis: Analysis, site: CallSite, region: Region) -> bool:
    """Whether no step of a training in the region can change the model that a call asks."""
    model = asked(analysis, site)
    if model is None:
        return False
    scope = site.scope
    if _is_trained(analysis, model, scope, _TRAINING):
        return False
    if _is_frozen(analysis, model, scope):
        return True
    if _is_handed_on(analysis, model, scope):
        return False
    if _KERAS in identity.types(analysis, model, scope):
        fitting = _FITS if gradients.names_variables(analysis, region) else _FITTING
        return not any(
            has(callgraph.fact_at(analysis, other), *fitting) for other in sites_of(region)
        )
    if contexts.is_gradient_free(analysis, site):
        return True
    # A part of a module is trained with the whole.
    cls = classes.enclosing_class(scope)
    return not (
        isinstance(model, ast.Attribute)
        and cls is not None
        and classes.inherits(analysis, cls, _TORCH)
    )


def asks_keras(analysis: Analysis, site: CallSite) -> bool:
    """Whether a call asks a model of Keras, which in graph mode adds nodes and computes nothing."""
    model = asked(analysis, site)
    return model is not None and _KERAS in identity.types(analysis, model, site.scope)


def is_kept_frozen(analysis: Analysis, node: ast.expr, scope: Scope) -> bool:
    """Whether an expression holds a model that the program says is not to be trained."""
    types = identity.types(analysis, node, scope)
    may_be_model = not types or not types.isdisjoint((_TORCH, _KERAS))
    return may_be_model and _is_frozen(analysis, node, scope)


def _is_trained(analysis: Analysis, model: ast.expr, scope: Scope, names: frozenset[str]) -> bool:
    """Whether the files that it is made and asked in train it, by methods of these names."""
    for path in identity.files_of(analysis, model, scope):
        module = analysis.module(path)
        for site in module.calls_of(names):
            if last_name(site) == "train" and freezing.is_off(site.node.args):
                continue
            if last_name(site) == "load_state_dict" and _is_read_once(site):
                continue
            if identity.is_same(analysis, site, model, scope) and not freezing.only_freezes(site):
                return True
    return False


def _is_handed_on(analysis: Analysis, model: ast.expr, scope: Scope) -> bool:
    """Whether a model is given to what may make an optimizer for it, or train it, elsewhere."""
    chain = tree.chain_of(model)
    for site in scope.calls:
        if all(tree.chain_of(given) != chain for given in tree.arguments(site.node)):
            continue
        targets = callgraph.targets(analysis, site)
        if any(target.function.module_path != scope.module_path for target in targets):
            return True
        if not targets and callgraph.fact_at(analysis, site) is None:
            return True
    return False


def _is_read_once(site: CallSite) -> bool:
    """Whether a model is given parameters from a file, and not, turn by turn, those of another."""
    parts = (part for given in tree.arguments(site.node) for part in tree.walk(given))
    is_of_other = any(getattr(part, "attr", "") == "state_dict" for part in parts)
    return not site.loops and not is_of_other


def _is_frozen(analysis: Analysis, model: ast.expr, scope: Scope) -> bool:
    """Whether its parameters are said to need no gradients."""
    held = values.evaluate(analysis, model, scope)
    objects = [term for term in held if isinstance(term, Object)]
    if objects and all(freezing.freezes_itself(term.cls) for term in objects):
        return True
    for path in identity.files_of(analysis, model, scope):
        module = analysis.module(path)
        for site in module.calls_named("requires_grad_"):
            if freezing.is_off(site.node.args) and identity.is_same(analysis, site, model, scope):
                return True
        for site in module.calls_of(freezing.LISTINGS):
            if not identity.is_same(analysis, site, model, scope):
                continue
            loop = freezing.looped_over(site)
            if loop is not None and freezing.sets_off(loop):
                return True
        said = [
            freezing.is_false(write.value)
            for inner in module.all_scopes
            for write in inner.attribute_writes
            if write.attribute == "trainable" and _is_written_to(analysis, write, model, scope)
        ]
        if said and all(said):
            return True
    return False


def _is_written_to(
    analysis: Analysis, write: AttributeWrite, model: ast.expr, scope: Scope
) -> bool:
    """Whether an attribute is set of a model, by the same name, or by another where it is made."""
    if tree.dotted(model) == write.base:
        return True
    if write.base not in write.scope.bound:
        return False
    definitions = analysis.module_of(write.scope).flow(write.scope).all.get(write.base, ())
    made = identity.makers(analysis, model, scope)
    return any(id(one.value) in made for one in definitions)


def is_given_no_variable(analysis: Analysis, node: ast.expr, site: CallSite) -> bool:
    """Whether a call is made without gradients, and not known to be given what is trained."""
    held = values.evaluate(analysis, node, site.scope)
    is_free = last_name(site) in members.PREDICTIONS or contexts.is_gradient_free(analysis, site)
    return is_free and all(isinstance(term, (Argument, Unknown)) for term in held)


# In a region


def is_altered(analysis: Analysis, model: ast.expr, region: Region) -> bool:
    """Whether a region may give a model other parameters, or have it trained, by its text."""
    chain = tree.chain_of(model)
    if chain is None:
        return True
    for access in region.accesses.get(chain[0], ()):
        if access.chain != chain:
            continue
        name = last_name(access.site)
        if access.on_it:
            if name in _LEAVING or freezing.only_freezes(access.site):
                continue
            # A method of the project's own may do no more than read.
            if not effects.of_call(analysis, access.site).isdisjoint(_ALTERING):
                return True
        elif callgraph.fact_at(analysis, access.site) is None:
            return True
    return False
