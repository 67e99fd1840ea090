"""What one layer makes of the shape of its input, and how many weights it holds.

Arithmetic on sizes alone. Sizes are those of one example, the spatial ones first and the
channels last, whatever the framework keeps. Unknown stays unknown.
"""

from __future__ import annotations

import math

from msgspec import Struct

from deepperf.knowledge.layer_forms import LayerForm, LayerKind
from deepperf.semantics.sizes.dimensions import Sizes

# Of several inputs, the sizes are those that they have together.
_SAME = (LayerKind.SAME, LayerKind.NORMALIZATION, LayerKind.MERGING, LayerKind.CONCATENATION)


class Settings(Struct, frozen=True):
    """A layer as its constructor was called; None where the text does not tell.

    `padding` is "same", "valid", or what is added at both ends of each axis. `inner` is the
    layer that a wrapper applies.
    """

    form: LayerForm
    units: int | None = None
    kernel: Sizes | None = None
    stride: Sizes | None = None
    dilation: Sizes | None = None
    padding: str | Sizes | None = None
    groups: int | None = None
    inputs: int | None = None
    multiplier: int | None = None
    words: int | None = None
    numbers: Sizes | None = None  # the target of a reshape, the size of adaptive pooling, …
    has_bias: bool | None = None
    gives_sequences: bool | None = None
    rounds_up: bool | None = None
    inner: Settings | None = None

    @property
    def rank(self) -> int:
        return self.form.rank or (len(self.kernel) if self.kernel is not None else 0)


def output(layer: Settings, sizes: Sizes) -> Sizes | None:
    """The sizes that a layer gives for an input of these sizes; None where it is not known."""
    kind = layer.form.kind
    if kind in _SAME:
        return sizes
    if kind is LayerKind.DENSE:
        return (*sizes[:-1], layer.units)
    if kind is LayerKind.FLATTEN:
        return (product(sizes),)
    if kind is LayerKind.RESHAPE:
        return _reshaped(layer.numbers, sizes)
    if kind is LayerKind.EMBEDDING:
        return (*sizes, layer.units)
    if kind is LayerKind.REPEAT and layer.numbers:
        return (layer.numbers[0], *sizes)
    if kind is LayerKind.RECURRENT and sizes and layer.gives_sequences is not None:
        return (sizes[0], layer.units) if layer.gives_sequences else (layer.units,)
    if kind is LayerKind.BOTH_WAYS and layer.inner is not None:
        one = output(layer.inner, sizes)
        return None if not one or one[-1] is None else (*one[:-1], 2 * one[-1])
    if kind is LayerKind.PER_STEP and layer.inner is not None and len(sizes) > 1:
        step = output(layer.inner, sizes[1:])
        return None if step is None else (sizes[0], *step)
    if kind is LayerKind.RECURRENT_CONVOLUTION:
        return _recurrent_convolution(layer, sizes)
    if len(sizes) != layer.rank + 1:
        return None
    spatial, channels = sizes[:-1], sizes[-1]
    if kind is LayerKind.GLOBAL_POOLING:
        return (channels,)
    if kind is LayerKind.ADAPTIVE_POOLING and layer.numbers is not None:
        return (*layer.numbers, channels)
    if kind is LayerKind.POOLING:
        reduced = windows(layer, spatial)
        return None if reduced is None else (*reduced, channels)
    if kind in (LayerKind.CONVOLUTION, LayerKind.SEPARABLE):
        reduced = windows(layer, spatial)
        return None if reduced is None else (*reduced, layer.units)
    if kind is LayerKind.DEPTHWISE:
        reduced = windows(layer, spatial)
        if reduced is None or channels is None or layer.multiplier is None:
            return None
        return (*reduced, channels * layer.multiplier)
    return _enlarged(layer, spatial, channels)


def _recurrent_convolution(layer: Settings, sizes: Sizes) -> Sizes | None:
    if len(sizes) != layer.rank + 2 or layer.gives_sequences is None:
        return None
    reduced = windows(layer, sizes[1:-1])
    if reduced is None:
        return None
    step = (*reduced, layer.units)
    return (sizes[0], *step) if layer.gives_sequences else step


def _enlarged(layer: Settings, spatial: Sizes, channels: int | None) -> Sizes | None:
    kind, stride, amount = layer.form.kind, layer.stride, layer.numbers
    if kind is LayerKind.UPSAMPLING and stride is not None:
        return (*_each_times(spatial, stride), channels)
    if kind is LayerKind.TRANSPOSED:
        larger = _transposed(layer, spatial)
        return None if larger is None else (*larger, layer.units)
    if kind in (LayerKind.PADDING, LayerKind.CROPPING) and amount is not None:
        sign = 1 if kind is LayerKind.PADDING else -1
        if len(amount) != len(spatial):
            return None
        sums = tuple(
            None if n is None or a is None else n + sign * a
            for n, a in zip(spatial, amount, strict=True)
        )
        return (*sums, channels)
    return None


def _each_times(sizes: Sizes, factors: Sizes) -> Sizes:
    return tuple(
        None if n is None or f is None else n * f for n, f in zip(sizes, factors, strict=True)
    )


def windows(layer: Settings, spatial: Sizes) -> Sizes | None:
    """How many places a kernel has on each axis."""
    kernel, stride = layer.kernel, layer.stride
    dilation = layer.dilation or (1,) * len(spatial)
    if kernel is None or stride is None or layer.padding is None:
        return None
    found: list[int | None] = []
    for axis, n in enumerate(spatial):
        k, s, d = kernel[axis], stride[axis], dilation[axis]
        if n is None or k is None or s is None or d is None or s < 1:
            found.append(None)
            continue
        if layer.padding == "same":
            count = -(-n // s)
        else:
            added = 0 if isinstance(layer.padding, str) else layer.padding[axis]
            if added is None:
                found.append(None)
                continue
            room = n + 2 * added - d * (k - 1) - 1
            count = (-(-room // s) if layer.rounds_up else room // s) + 1
        if count < 1:
            return None
        found.append(count)
    return tuple(found)


def _transposed(layer: Settings, spatial: Sizes) -> Sizes | None:
    kernel, stride = layer.kernel, layer.stride
    if kernel is None or stride is None or layer.padding is None:
        return None
    found: list[int | None] = []
    for axis, n in enumerate(spatial):
        k, s = kernel[axis], stride[axis]
        if n is None or k is None or s is None:
            found.append(None)
        elif layer.padding == "same":
            found.append(n * s)
        elif layer.padding == "valid":
            found.append(n * s + max(k - s, 0))
        else:
            added = layer.padding[axis]
            assert not isinstance(added, str)
            more = layer.numbers[axis] if layer.numbers is not None else 0
            if added is None or more is None:
                found.append(None)
            else:
                found.append((n - 1) * s - 2 * added + k + more)
    return tuple(found)


def _reshaped(target: Sizes | None, sizes: Sizes) -> Sizes | None:
    if target is None or target.count(-1) > 1:
        return None
    if -1 not in target:
        return target
    whole = product(sizes)
    rest = product(tuple(size for size in target if size != -1))
    return tuple((whole // rest if whole and rest else None) if n == -1 else n for n in target)


def product(sizes: Sizes) -> int | None:
    """All sizes multiplied; None where one is not known."""
    if any(size is None for size in sizes):
        return None
    return math.prod(size for size in sizes if size is not None)


# Weights


def parameters(layer: Settings, sizes: Sizes | None) -> int | None:
    """How many weights a layer holds, counters of its statistics included.

    `sizes` are those of its input, where they are known.
    """
    kind = layer.form.kind
    channels = layer.inputs or (sizes[-1] if sizes else None)
    units = layer.units
    if kind is LayerKind.EMBEDDING:
        return layer.words * units if layer.words is not None and units is not None else None
    if kind in (LayerKind.PER_STEP, LayerKind.BOTH_WAYS):
        step = sizes[1:] if sizes and kind is LayerKind.PER_STEP else sizes
        inside = parameters(layer.inner, step) if layer.inner is not None else None
        return inside if inside is None or kind is LayerKind.PER_STEP else 2 * inside
    if kind is LayerKind.NORMALIZATION:
        # Of torch's layers the table tells no number where arguments decide.
        return layer.form.weights * channels if layer.form.weights and channels else None
    if kind is LayerKind.DENSE:
        return _with_bias(layer, channels * units if channels and units else None)
    if kind is LayerKind.RECURRENT:
        return _recurrent(layer, channels)
    if kind in (LayerKind.CONVOLUTION, LayerKind.TRANSPOSED):
        area = product(layer.kernel) if layer.kernel is not None else None
        if not area or not channels or not units or not layer.groups:
            return None
        return _with_bias(layer, area * (channels // layer.groups) * units)
    if kind in (LayerKind.DEPTHWISE, LayerKind.SEPARABLE):
        return _depthwise(layer, channels)
    if kind is LayerKind.RECURRENT_CONVOLUTION:
        area = product(layer.kernel) if layer.kernel is not None else None
        if not area or not channels or not units:
            return None
        bias = units if layer.has_bias else 0
        return layer.form.weights * (area * (channels + units) * units + bias)
    return 0


def _with_bias(layer: Settings, matrix: int | None) -> int | None:
    if matrix is None or layer.units is None or layer.has_bias is None:
        return matrix
    return matrix + layer.units * layer.has_bias


def _recurrent(layer: Settings, inputs: int | None) -> int | None:
    units = layer.units
    if not inputs or not units:
        return None
    # The gated recurrent unit has a second bias in its default, cuDNN-compatible form.
    biases = 2 if layer.form.weights == 3 else 1
    return layer.form.weights * (units * (inputs + units) + biases * units)


def _depthwise(layer: Settings, channels: int | None) -> int | None:
    area = product(layer.kernel) if layer.kernel is not None else None
    if not area or not channels or not layer.multiplier:
        return None
    inner = area * channels * layer.multiplier
    if layer.form.kind is LayerKind.DEPTHWISE:
        return inner + (channels * layer.multiplier if layer.has_bias else 0)
    if not layer.units:
        return None
    return _with_bias(layer, inner + channels * layer.multiplier * layer.units)
