"""A convolution makes very many channels of an image that is still as large as it came."""

from __future__ import annotations

import math
from collections.abc import Iterator

from deepperf.knowledge.schema import Trait
from deepperf.records import Finding, Level
from deepperf.rules.rule import Rule, on_call
from deepperf.semantics.view import Call, Layer

rule = Rule(
    module=__name__,
    cause="improper-model-parameter",
    symptoms=("out-of-memory", "slow-execution"),
    stage="model-building",
    level=Level.WARNING,
    frameworks=("tensorflow", "keras", "torch"),
)
USUAL = 64
"""As many channels as VGG, U-Net and ResNet have before they make their maps smaller."""
MANY = 4_000_000
"""Numbers for one image; the widest map of VGG has 3.2 million."""
COLOURS = 16
"""An input with more channels is no image, but the map of another model."""
EARLY = 3.0
"""Where the sides have been divided by more, the layer is no early one."""
BORDER = 1.05
"""Layers that add no border make maps a little smaller without being asked to."""
BYTES = 4  # of a number in the usual precision


@on_call(Trait.CONVOLVES)
def check(call: Call) -> Iterator[Finding]:
    layer = call.layer
    if layer is None or layer.units is None or layer.units <= USUAL:
        return
    gives, reduction = layer.gives, _reduction(layer)
    if gives is None or None in gives or reduction is None or reduction > EARLY:
        return
    if layer.units <= USUAL * reduction * BORDER:
        return
    numbers = math.prod(size or 1 for size in gives)
    if numbers < MANY or layer.is_of_pyramid:
        return
    places = "x".join(str(size) for size in gives[:-1])
    yield rule.finding(
        call,
        f"`{call.called}` has {layer.units} output channels of {places}: {numbers:,} activations "
        f"({numbers * BYTES / 1e6:.0f} MB) for each image, {_before(reduction)} downsampling",
        "use fewer channels here, and more after pooling or strides: halving both sides leaves "
        "room for four times the channels",
    )


def _reduction(layer: Layer) -> float | None:
    """By how much the sides of the image were divided, where they were smallest on the way."""
    image, gives, smallest = layer.image, layer.gives, layer.smallest
    if image is None or gives is None or smallest is None or None in image:
        return None
    if len(image) < 3 or (image[-1] or 0) > COLOURS:
        return None
    places = math.prod(size or 1 for size in image[:-1])
    own = math.prod(size or 1 for size in gives[:-1])
    return math.pow(places / min(smallest, own), 1 / (len(image) - 1))


def _before(reduction: float) -> str:
    return "before any" if reduction < 1 + 1 / 2 else "after little"
