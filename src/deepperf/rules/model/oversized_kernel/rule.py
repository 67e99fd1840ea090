"""A convolution's kernels are far larger than the stacks of small ones that replace them."""

from __future__ import annotations

from collections.abc import Iterator

from deepperf.knowledge.schema import Trait
from deepperf.records import Finding, Level
from deepperf.rules.rule import Rule, on_call
from deepperf.semantics.view import Call, Layer

rule = Rule(
    module=__name__,
    cause="improper-model-parameter",
    symptoms=("slow-execution",),
    stage="model-building",
    level=Level.WARNING,
    frameworks=("tensorflow", "keras", "torch", "jax"),
)
LARGE = 9
LARGE_ON_IMAGES = 11
"""In the layer that sees the image, which has few channels."""
COLOURS = 4
STEPS = 3
"""A kernel this many strides wide overlaps no more than the 7x7 and 11x11 stems do."""


@on_call(Trait.CONVOLVES)
def check(call: Call) -> Iterator[Finding]:
    layer = call.layer
    if layer is None or layer.is_grouped:
        return
    side = _side(layer)
    if side is None or side < LARGE or _is_stem(layer, side):
        return
    if _maps_to_little(layer) or _sees_everything(layer, side):
        return
    kernel = "x".join(str(size) for size in layer.kernel or ())
    times = round(side**2 / 9)
    yield rule.finding(
        call,
        f"`{call.called}` has {kernel} kernels: {times} times the computation and weights of 3x3",
        f"stack 3x3 convolutions: {(side - 1) // 2} of them have the receptive field of one "
        f"{side}x{side}, and pooling or strides between them double it",
    )


def _side(layer: Layer) -> int | None:
    """The side of a square kernel; long narrow ones are cheap, and follow what they look at."""
    kernel, stride = layer.kernel, layer.stride
    if kernel is None or stride is None or len(kernel) < 2 or None in stride:
        return None
    height, width = kernel[-2:]
    if height is None or height != width:
        return None
    # The places of a strided kernel hardly overlap, or not at all, as in patches.
    step = max(size for size in stride[-2:] if size is not None)
    return height if height > STEPS * step else None


def _is_stem(layer: Layer, side: int) -> bool:
    sees_image = layer.inputs is None or layer.inputs <= COLOURS
    return sees_image and side < LARGE_ON_IMAGES


def _maps_to_little(layer: Layer) -> bool:
    """Whether it makes an image or a mask: few filters, so little work in a large kernel."""
    return layer.units is None or layer.units <= COLOURS


def _sees_everything(layer: Layer, side: int) -> bool:
    """Whether the kernel covers the whole map, in place of a dense layer.

    What looks at single places after it does so in place of further ones.
    """
    if layer.leaves_points:
        return True
    return layer.takes is not None and any(
        size is not None and size <= side for size in layer.takes[-3:-1]
    )
