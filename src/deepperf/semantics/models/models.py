"""Models as they are built: what goes into each layer, and what comes out.

A unit is a function or a module that calls layers, or a class whose methods make and call
them. Its calls are gone through in the order of the text, and shapes are handed from layer
to layer as far as they are known.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping

from msgspec import Struct, field
from msgspec.structs import replace

from deepperf.knowledge.layer_forms import LayerKind
from deepperf.knowledge.schema import Trait, has
from deepperf.semantics.calls import callgraph
from deepperf.semantics.files.analysis import Analysis
from deepperf.semantics.models import features, layers, model_inputs, shapes
from deepperf.semantics.models.features import Feature
from deepperf.semantics.models.shapes import Settings
from deepperf.semantics.names.flow import Binding
from deepperf.semantics.names.scopes import CallSite, Scope, ScopeKind
from deepperf.semantics.sizes import array_shapes, dimensions
from deepperf.semantics.values import classes, values
from deepperf.semantics.values.terms import Display

_SEQUENTIAL = ("keras.Sequential", "torch.nn.Sequential")
_MOST_CALLS = 600


class Placed(Struct, frozen=True):
    """A layer in a model; what goes in and comes out is None where it is not known.

    `model` is the same number for all layers of one model.
    """

    call: ast.Call
    scope: Scope
    settings: Settings
    before: Feature | None
    after: Feature | None
    parameters: int | None
    model: int


def placed(analysis: Analysis, site: CallSite) -> Placed | None:
    """The layer that a call makes, in the model it is part of."""
    unit = unit_of(site.scope)
    return layers_of(analysis, unit).get(id(site.node))


def layers_of(analysis: Analysis, unit: Scope) -> Mapping[int, Placed]:
    """The layers that a unit makes, by the id of the call that makes each."""
    nothing: dict[int, Placed] = {}
    return analysis.remember(("layers of", unit), lambda: _layers(analysis, unit), nothing)


def beside(analysis: Analysis, site: CallSite) -> tuple[Placed, ...]:
    """All layers of the model that a layer is in, itself among them."""
    found = layers_of(analysis, unit_of(site.scope))
    own = found.get(id(site.node))
    if own is None:
        return ()
    return tuple(layer for layer in found.values() if layer.model == own.model)


def unit_of(scope: Scope) -> Scope:
    """The class, function or module whose layers make one model."""
    return classes.enclosing_class(scope) or scope


def _layers(analysis: Analysis, unit: Scope) -> dict[int, Placed]:
    scopes = [unit]
    if unit.kind is ScopeKind.CLASS:
        methods = classes.methods_of(unit)
        first = [methods.pop(name) for name in ("__init__",) if name in methods]
        scopes = [*first, *methods.values()]
    sites = [site for scope in scopes for site in scope.calls]
    tracing = _Tracing(analysis, unit)
    for site in sites[:_MOST_CALLS]:
        tracing.note(site)
    for site in sites[:_MOST_CALLS]:
        tracing.follow(site)
    return tracing.found()


class _Made(Struct, frozen=True, eq=False):
    """A layer by the call that makes it."""

    call: ast.Call
    scope: Scope
    settings: Settings

    @property
    def kind(self) -> LayerKind:
        return self.settings.form.kind


class _Tracing(Struct):
    """One pass through a unit: the features found so far, and what each layer is given."""

    analysis: Analysis
    unit: Scope
    held: dict[int, Feature | None] = field(default_factory=dict)
    given: dict[int, Feature | None] = field(default_factory=dict)
    made: dict[int, _Made] = field(default_factory=dict)
    stacks: dict[int, tuple[ast.Call, Scope]] = field(default_factory=dict)
    added: dict[int, list[CallSite]] = field(default_factory=dict)
    models: dict[int, int] = field(default_factory=dict)

    def note(self, site: CallSite) -> None:
        """Remembers what a call makes or adds to, before anything is followed."""
        analysis, call, scope = self.analysis, site.node, site.scope
        settings = layers.settings_at(analysis, call, scope)
        if settings is not None:
            self.made[id(call)] = _Made(call, scope, settings)
            return
        if isinstance(call.func, ast.Attribute) and call.func.attr == "add" and call.args:
            model = layers.site_of(analysis, call.func.value, scope)
            if model is not None:
                self.added.setdefault(id(model[0]), []).append(site)
            return
        names = callgraph.external_names(values.evaluate(analysis, call.func, scope))
        if len(set(names)) == 1 and names[0] in _SEQUENTIAL:
            self.stacks[id(call)] = (call, scope)
        elif self.stacks and any(isinstance(given, ast.Name) for given in call.args):
            self._note_helper(site)

    def _note_helper(self, site: CallSite) -> None:
        """Remembers a function of the project that adds to a stack which it is given."""
        if not any(
            isinstance(inner.node.func, ast.Attribute) and inner.node.func.attr == "add"
            for target in callgraph.targets(self.analysis, site)
            for inner in target.function.calls
        ):
            return
        for given in site.node.args:
            model = layers.site_of(self.analysis, given, site.scope)
            if model is not None and id(model[0]) in self.stacks:
                self.added.setdefault(id(model[0]), []).append(site)

    def follow(self, site: CallSite) -> None:
        """Finds the features of a call's result, and of the layers on the way there."""
        if id(site.node) in self.stacks:
            start = model_inputs.of_stack(self.analysis, site.node, site.scope)
            if start is not None or site.node not in layers.nested(self.stacks):
                self._through_stack(site.node, start)
        elif id(site.node) not in self.made or self.made[id(site.node)].settings.form.is_applied:
            self.feature(site.node, site.scope)

    def found(self) -> dict[int, Placed]:
        found = {}
        in_order = sorted(self.made.values(), key=lambda made: _place(made.call))
        for made in in_order:
            key, settings = id(made.call), made.settings
            before = self.given.get(key)
            sizes = before.sizes if before is not None else None
            after = features.after(settings, before)
            count = shapes.parameters(settings, sizes)
            model = self.models.get(key, 0)
            found[key] = Placed(made.call, made.scope, settings, before, after, count, model)
        return found

    # Stacks of layers

    def _through_stack(self, stack: ast.Call, feature: Feature | None) -> Feature | None:
        scope = self.stacks[id(stack)][1]
        for node, at, is_certain in self._parts(stack, scope):
            after = self._through(node, at, feature)
            made = self._made(node, at)
            # The stacks that a class makes are parts of one model.
            if made is not None and self.unit.kind is not ScopeKind.CLASS:
                self.models[id(made.call)] = id(stack)
            keeps = made is not None and made.kind is LayerKind.SAME
            feature = after if is_certain or keeps else None
        return feature

    def _parts(self, stack: ast.Call, scope: Scope) -> list[tuple[ast.expr, Scope, bool]]:
        """The layers of a stack, and whether each is certain to be there, once."""
        found: list[tuple[ast.expr, Scope, bool]] = []
        for argument in stack.args:
            held = values.evaluate(self.analysis, argument, scope)
            if len(held) == 1 and isinstance(held[0], Display):
                display = held[0]
                if isinstance(display.node, (ast.List, ast.Tuple)):
                    found.extend((part, display.scope, True) for part in display.node.elts)
                else:
                    found.append((argument, scope, False))
            else:
                found.append((argument, scope, True))
        frames = self._frames(stack, scope)
        for site in self.added.get(id(stack), ()):
            certain = site.frames == frames or (site.scope is not scope and not site.frames)
            is_layer = getattr(site.node.func, "attr", "") == "add"
            # What a helper adds is not looked for.
            part = site.node.args[0] if is_layer else site.node.func
            found.append((part, site.scope, certain and is_layer))
        return found

    def _frames(self, call: ast.Call, scope: Scope) -> object:
        site = self.analysis.site_of(call, scope)
        return site.frames if site is not None else ()

    # One layer

    def _made(self, node: ast.expr, scope: Scope) -> _Made | None:
        site = layers.site_of(self.analysis, node, scope)
        return self.made.get(id(site[0])) if site is not None else None

    def _through(self, node: ast.expr, scope: Scope, feature: Feature | None) -> Feature | None:
        """What a layer, or a stack, makes of a feature."""
        made = self._made(node, scope)
        if made is not None:
            return self._apply(made, feature)
        site = layers.site_of(self.analysis, node, scope)
        if site is not None and id(site[0]) in self.stacks:
            return self._through_stack(site[0], feature)
        # A symbolic input that stands in a list of layers.
        if feature is None and isinstance(node, ast.Call):
            settings = layers.settings_at(self.analysis, node, scope)
            if settings is not None and settings.form.kind is LayerKind.INPUT:
                return self._input(node, scope, settings)
        return None

    def _apply(self, layer: _Made, feature: Feature | None) -> Feature | None:
        if feature is None:
            feature = self._input(layer.call, layer.scope, layer.settings)
        if layer.kind is LayerKind.INPUT:
            return feature
        known = self.given.get(id(layer.call))
        self.given[id(layer.call)] = known or feature
        if layer.kind is LayerKind.PER_STEP and feature is not None:
            self._give_inner(layer, features.step_of(feature))
        elif layer.kind is LayerKind.BOTH_WAYS:
            self._give_inner(layer, feature)
        return features.after(layer.settings, feature)

    def _give_inner(self, outer: _Made, feature: Feature | None) -> None:
        """Notes what the layer is given that a layer wraps."""
        form = layers.form_at(self.analysis, outer.call, outer.scope)
        node = layers.argument(outer.call, form, "layer") if form is not None else None
        inner = self._made(node, outer.scope) if node is not None else None
        if inner is not None and feature is not None:
            self.given.setdefault(id(inner.call), feature)

    def _input(self, call: ast.Call, scope: Scope, settings: Settings) -> Feature | None:
        """The input that a first layer declares."""
        form = settings.form
        shape = layers.argument(call, form, "shape")
        batched = layers.argument(call, form, "batch_shape")
        if batched is None and form.kind is LayerKind.INPUT:
            # Keras 2 named them as the other layers do.
            named = {k.arg: k.value for k in call.keywords}
            shape = shape or named.get("input_shape")
            batched = named.get("batch_input_shape")
        if batched is not None:
            sizes = dimensions.numbers(self.analysis, batched, scope)
            return features.fresh(sizes[1:]) if sizes else None
        if shape is not None:
            sizes = dimensions.numbers(self.analysis, shape, scope)
            return features.fresh(sizes) if sizes is not None else None
        width = layers.argument(call, form, "features")
        if width is not None and form.kind is not LayerKind.EMBEDDING:
            size = dimensions.number(self.analysis, width, scope)
            return features.fresh((size,)) if size is not None else None
        length = layers.argument(call, form, "length")
        if length is not None:
            return features.fresh((dimensions.number(self.analysis, length, scope),))
        return None

    # Expressions

    def feature(self, node: ast.expr, scope: Scope) -> Feature | None:
        """What an expression holds of a model's features."""
        if id(node) not in self.held:
            self.held[id(node)] = None  # the answer to circular questions
            self.held[id(node)] = self._feature(node, scope)
        return self.held[id(node)]

    def _feature(self, node: ast.expr, scope: Scope) -> Feature | None:
        if isinstance(node, ast.Name):
            return self._named(node, scope)
        if isinstance(node, ast.BinOp):
            left, right = self.feature(node.left, scope), self.feature(node.right, scope)
            return left if left is not None and right is not None and left == right else None
        if not isinstance(node, ast.Call):
            return None
        settings = layers.settings_at(self.analysis, node, scope)
        if settings is not None:
            return self._called(node, scope, settings)
        if self._made(node.func, scope) is not None or self._is_stack(node.func, scope):
            return self._through(node.func, scope, self._argument(node, scope))
        return self._rearranged(node, scope)

    def _is_stack(self, node: ast.expr, scope: Scope) -> bool:
        site = layers.site_of(self.analysis, node, scope)
        return site is not None and id(site[0]) in self.stacks

    def _called(self, node: ast.Call, scope: Scope, settings: Settings) -> Feature | None:
        if settings.form.kind is LayerKind.INPUT:
            return self._input(node, scope, settings)
        if not settings.form.is_applied:
            return None
        feature = self._argument(node, scope)
        self.given[id(node)] = feature
        return features.after(settings, feature)

    def _named(self, node: ast.Name, scope: Scope) -> Feature | None:
        found: set[Feature | None] = set()
        for definition in values.definitions_of(self.analysis, node, scope)[:4]:
            if definition.binding is Binding.PARAMETER:
                found.add(self._passed(node, scope))
            elif definition.binding is Binding.ASSIGNED and definition.value is not None:
                is_whole = not definition.unpacking
                found.add(self.feature(definition.value, definition.scope) if is_whole else None)
            else:
                found.add(None)
        return found.pop() if len(found) == 1 else None

    def _passed(self, node: ast.Name, scope: Scope) -> Feature | None:
        """What the methods of a model are called with; batches come first."""
        if self.unit.kind is not ScopeKind.CLASS:
            return None
        sizes = array_shapes.array_shape(self.analysis, node, scope)
        if sizes is None and scope.name == "call":
            sizes = model_inputs.of_class(self.analysis, self.unit)
        if sizes is None or len(sizes) < 2:
            return None
        if classes.inherits(self.analysis, self.unit, "torch.nn.Module"):
            return features.fresh((*sizes[2:], sizes[1]))
        is_layer = classes.inherits(self.analysis, self.unit, "keras.Layer")
        return features.fresh(sizes[1:]) if is_layer else None

    def _argument(self, node: ast.Call, scope: Scope) -> Feature | None:
        """The feature that a call is given first; of several, the one they make together."""
        given = model_inputs.first_argument(node)
        if isinstance(given, (ast.List, ast.Tuple)):
            parts = [self.feature(part, scope) for part in given.elts]
            return self._together(parts, node, scope)
        return self.feature(given, scope) if given is not None else None

    def _together(
        self, parts: list[Feature | None], node: ast.Call, scope: Scope
    ) -> Feature | None:
        known = [part for part in parts if part is not None]
        if not known or len(known) < len(parts):
            return None
        made = self._made(node.func, scope)
        settings = made.settings if made else layers.settings_at(self.analysis, node, scope)
        smallest = min((part.smallest or 0 for part in known), default=0)
        first = replace(known[0], smallest=smallest or None)
        if settings is None or settings.form.kind is not LayerKind.CONCATENATION:
            return first
        axis = layers.argument(made.call if made else node, settings.form, "axis")
        last = axis is None or dimensions.constant(self.analysis, axis, scope) in (
            -1,
            len(first.sizes),
        )
        channels = [part.channels for part in known]
        if not last or None in channels:
            return None
        return replace(first, sizes=(*first.sizes[:-1], sum(c for c in channels if c)))

    def _rearranged(self, node: ast.Call, scope: Scope) -> Feature | None:
        """Functions that keep a shape, or flatten what they are given."""
        held = values.evaluate(self.analysis, node.func, scope)
        names = set(callgraph.external_names(held))
        name = names.pop() if len(names) == 1 else ""
        if name == "torch.flatten":
            is_all = len(node.args) == 2 and getattr(node.args[1], "value", None) == 1
            feature = self.feature(node.args[0], scope) if is_all else None
            return features.flattened(feature)
        fact = self.analysis.knowledge.fact(name)
        is_method = isinstance(node.func, ast.Attribute) and not node.args
        if has(fact, Trait.ELEMENTWISE):
            if node.args:
                return self.feature(node.args[0], scope)
            if is_method and isinstance(node.func, ast.Attribute):
                return self.feature(node.func.value, scope)
        if isinstance(node.func, ast.Attribute) and node.func.attr in ("view", "reshape"):
            last = node.args[-1] if len(node.args) == 2 else None
            if isinstance(last, ast.UnaryOp) and getattr(last.operand, "value", None) == 1:
                return features.flattened(self.feature(node.func.value, scope))
        return None


def _place(call: ast.Call) -> tuple[int, int]:
    return call.lineno, call.col_offset
