"""One dense or recurrent layer holds nearly all of a model's many weights."""

from __future__ import annotations

import math
from collections.abc import Iterator

from deepperf.knowledge.schema import Trait
from deepperf.records import Finding, Level
from deepperf.rules.rule import Rule, on_call
from deepperf.semantics.view import Call, Layer

rule = Rule(
    module=__name__,
    cause="inefficient-model-structure",
    symptoms=("out-of-memory", "slow-execution"),
    stage="model-building",
    level=Level.NOTE,
    frameworks=("tensorflow", "keras", "torch"),
)
MANY_BEHIND_MAP = 16_000_000
"""More than the first dense layer of a network whose maps were pooled to a few places."""
MANY = 64_000_000
WIDE_INPUT = 32_768
"""Wider than what VGG flattens, 7x7x512."""
WIDE = 8_192
PLACES = 100
"""Known networks flatten maps of 6x6 or 7x7; one of 10x10 was not reduced to the end."""
SHARE = 0.75
BYTES = 4  # of a number in the usual precision
_SMALLER_MAP = (
    "shrink the feature map before flattening, with pooling or strided convolutions, or replace "
    "flattening by global average pooling; then fewer units suffice, too"
)
_NARROWER = "use fewer units, or shrink the input with pooling or a smaller layer before it"


@on_call(Trait.PROJECTS)
def check(call: Call) -> Iterator[Finding]:
    layer = call.layer if call.may_tell_size else None
    if layer is None or layer.weights is None or layer.weights < MANY_BEHIND_MAP:
        return
    weights, beside = layer.weights, max(layer.weights_beside, layer.weights)
    if weights < SHARE * beside:
        return
    places = _places(layer)
    if places is not None and places >= PLACES:
        given, remedy = f"a feature map of {_sides(layer)}", _SMALLER_MAP
    elif places is None and _is_wide(layer):
        given, remedy = f"{layer.inputs:,} inputs", _NARROWER
    else:
        return
    share = f", {weights / beside:.0%} of the model's" if beside > weights else ""
    yield rule.finding(
        call,
        f"`{call.called}` has {weights:,} weights ({_size(weights)}{share}): "
        f"{_units(layer)} on {given}",
        remedy,
    )


def _places(layer: Layer) -> int | None:
    """How many places the map had that was flattened for the layer."""
    flattened = layer.flattened
    if flattened is None or len(flattened) < 2:
        return None
    return math.prod(size or 1 for size in flattened[:-1])


def _is_wide(layer: Layer) -> bool:
    """Whether it is wide beyond what known networks need, wherever its input comes from."""
    inputs, units, weights = layer.inputs, layer.units, layer.weights
    if weights is None or weights < MANY or inputs is None or units is None:
        return False
    return inputs >= WIDE_INPUT or min(inputs, units) >= WIDE


def _units(layer: Layer) -> str:
    return f"{layer.units:,} units" if layer.units is not None else "its units"


def _sides(layer: Layer) -> str:
    return "x".join(str(size) for size in layer.flattened or ())


def _size(weights: int) -> str:
    size = weights * BYTES
    return f"{size / 1e9:.1f} GB" if size >= 1e9 else f"{size / 1e6:.0f} MB"
