"""One PyTorch layer holds nearly all of a model, or has kernels or maps far larger than usual."""

from __future__ import annotations

import functools
import math
import sys
import time
import weakref
from collections.abc import Iterable, Iterator
from types import FrameType
from typing import Any

from deepperf.dynamic.diagnosis import Diagnosis, Weight, share_of_memory, share_of_seconds, told_at
from deepperf.dynamic.frameworks.torch_compiling import before_compiling
from deepperf.dynamic.recording.frame_variables import own_variables
from deepperf.dynamic.recording.places import DEEPEST, Place
from deepperf.dynamic.recording.tape import Tape
from deepperf.dynamic.recording.trace import Observation, Trace
from deepperf.dynamic.recording.unseen import standing_for

NAME = "torch-layers"
RULES = ("oversized-dense", "oversized-kernel", "wide-early-conv")
DENSE, KERNEL, WIDE = f"{NAME} dense", f"{NAME} kernel", f"{NAME} wide"
MOST = 0.8
"""Share of a model's numbers that one weight may hold: of VGG, the largest holds 74 %."""
MANY = 4_000_000
"""Numbers of a weight, or of a map of one image, that no device minds: 16 MB. The widest map of VGG
has 3.2 million."""
LARGE = 9
"""Sides of kernels from which on stacks of small ones see as far for a part of the work."""
LARGE_ON_IMAGES = 12
"""In the layer that sees the image, where 7x7 and 11x11 are known to be good."""
COLOURS = 4
STEPS = 3
"""A kernel this many strides wide overlaps no more than the 7x7 and 11x11 stems do."""
USUAL = 64
"""As many channels as VGG, U-Net and ResNet have before they make their maps smaller."""
TIMED = 16
"""Calls of a layer that are timed."""
MOST_CALLS = 4000
"""Calls of modules after which none is looked at: a layer that was made is used by then."""
PASSES = 3
"""Forward, and backward to the inputs and to the weights."""
CALLS = "torch/nn/modules/module.py"
HOMES = {
    "torch.nn.modules.linear": ("Linear",),
    "torch.nn.modules.conv": ("Conv2d", "Conv3d"),
}
FLATTENS = ("View", "Reshape", "UnsafeView")
"""How the operations begin that autograd knows to have flattened something."""


def watch(tape: Tape) -> None:
    """Learn where layers that stand out are made, and look at their first calls."""
    looks = _Looks(tape)
    for home, names in HOMES.items():
        tape.imports.after(home, functools.partial(_watch, looks, names))
    before_compiling(tape, looks.stop)


def _watch(looks: _Looks, names: tuple[str, ...], module: Any) -> None:
    for name in names:
        _wrap(looks, getattr(module, name))


def _wrap(looks: _Looks, cls: Any) -> None:
    make = cls.__init__

    @standing_for(make)
    def made(self: Any, *arguments: Any, **named: Any) -> None:
        make(self, *arguments, **named)
        if type(self) is cls and looks.is_on() and _stands_out(self):
            looks.follow(self, sys._getframe(1))

    cls.__init__ = made


def _stands_out(layer: Any) -> bool:
    weight = getattr(layer, "weight", None)
    if weight is None or not hasattr(layer, "kernel_size"):
        return bool(weight is not None and weight.dim() == 2 and weight.numel() >= MANY)
    is_wide = layer.in_channels <= COLOURS and layer.out_channels > USUAL and weight.dim() == 4
    return _is_oversized(layer) or bool(is_wide)


def _is_oversized(layer: Any) -> bool:
    sides = set(layer.kernel_size)
    side = max(sides)
    if len(sides) > 1 or side <= STEPS * max(layer.stride) or layer.out_channels <= COLOURS:
        return False
    dense = layer.in_channels // layer.groups
    if layer.groups > 1 and dense == 1:
        # A depthwise convolution of large kernels is how some known networks see far.
        return False
    return bool(side >= (LARGE_ON_IMAGES if layer.in_channels <= COLOURS else LARGE))


class _Looks:
    """Listens to modules from when a layer that stands out is made, until it was seen at work.

    The layers themselves get no hooks: these would be saved and copied with them.
    """

    def __init__(self, tape: Tape) -> None:
        self._tape = tape
        self._places: weakref.WeakKeyDictionary[Any, Place] = weakref.WeakKeyDictionary()
        self._calls: weakref.WeakKeyDictionary[Any, int] = weakref.WeakKeyDictionary()
        self._handles: tuple[Any, ...] = ()
        self._left = MOST_CALLS
        self._begin = 0.0

    def is_on(self) -> bool:
        """Whether layers are still looked for."""
        return self._tape.active and self._left > 0

    def follow(self, layer: Any, frame: FrameType) -> None:
        """Look at the first calls of a layer."""
        place = self._tape.code.place(frame)
        if place is None:
            return
        self._places[layer] = place
        if not self._handles:
            modules = sys.modules["torch.nn.modules.module"]
            self._handles = (
                modules.register_module_forward_pre_hook(self._before),
                modules.register_module_forward_hook(self._after),
            )

    def stop(self) -> None:
        """Look at nothing any more."""
        self._left = 0
        self._rest()

    def _before(self, layer: Any, _arguments: Any) -> None:
        if layer in self._places:
            self._begin = time.perf_counter()

    def _after(self, layer: Any, arguments: Any, made: Any) -> None:
        self._left -= 1
        place = self._places.get(layer)
        if place is not None and sys.modules["torch"]._C._get_tracing_state() is None:
            seconds = time.perf_counter() - self._begin
            frame = sys._getframe(1)
            note = functools.partial(self._note, place, layer, arguments[0], made, seconds, frame)
            self._tape.guarded(NAME, note)
            self._calls[layer] = self._calls.get(layer, 0) + 1
            if self._calls[layer] >= TIMED:
                del self._places[layer]
        if self._left <= 0 or not self._places:
            self._tape.guarded(NAME, self._rest)

    def _rest(self) -> None:
        for handle in self._handles:
            handle.remove()
        self._handles = ()

    def _note(
        self, place: Place, layer: Any, given: Any, made: Any, seconds: float, frame: FrameType
    ) -> None:
        passes = PASSES if made.requires_grad else 1
        weight = layer.weight
        if not hasattr(layer, "kernel_size"):
            if layer not in self._calls and _is_flattened(given):
                total = _size_of_model(frame) or weight.numel()
                detail = {"shape": list(weight.shape), "total": total}
                copies = 2 if made.requires_grad else 1
                self._tape.note(DENSE, place, size=4 * weight.numel() * copies, detail=detail)
            return
        detail = {"kernel": list(layer.kernel_size), "made": list(made.shape)}
        if _is_oversized(layer):
            self._tape.note(KERNEL, place, seconds=seconds * passes, detail=detail)
        elif made[0].numel() >= MANY:
            self._tape.note(WIDE, place, size=4 * made.numel(), detail=detail)


def _is_flattened(given: Any) -> bool:
    """Whether an input is made of maps that were laid out in one row."""
    base = given._base
    if given.dim() != 2:
        return False
    if base is not None and base.dim() > 2:
        return True
    return given.grad_fn is not None and given.grad_fn.name().startswith(FLATTENS)


def _size_of_model(frame: FrameType | None) -> int:
    """The numbers of the outermost module that is being called."""
    model: Any = None
    for _ in range(DEEPEST):
        if frame is None:
            break
        if frame.f_code.co_filename.replace("\\", "/").endswith(CALLS):
            model = own_variables(frame).get("self", model)
        frame = frame.f_back
    return 0 if model is None else sum(one.numel() for one in model.parameters())


def diagnose(trace: Trace) -> Iterator[Diagnosis]:
    """The lines that made such layers."""
    peak = trace.peak
    for seen in trace.observations:
        if seen.kind == DENSE:
            yield from _of_dense(seen, peak)
        elif seen.kind == KERNEL:
            yield _of_kernel(trace, seen)
        elif seen.kind == WIDE:
            yield _of_wide(seen, peak)


def _of_dense(seen: Observation, peak: int) -> Iterable[Diagnosis]:
    count, total = math.prod(seen.detail["shape"]), seen.detail["total"]
    if count < MOST * total:
        return
    outgoing, incoming = seen.detail["shape"]
    yield told_at(
        seen,
        signal=NAME,
        cause="inefficient-model-structure",
        message=f"this layer holds {count / total:.0%} of the model",
        evidence=(
            f"{incoming:,} x {outgoing:,} weights of {total:,}, after flattened feature maps; "
            f"{seen.bytes / 1e6:,.0f} MB with the gradient, and as much for each of an optimizer's "
            "moments"
        ),
        remedy=(
            "pool the feature maps before flattening, with `nn.AdaptiveAvgPool2d` or strides, or "
            "make the layer narrower"
        ),
        weight=Weight.MEMORY,
        share=share_of_memory(seen.bytes, peak),
        rule="oversized-dense",
    )


def _of_kernel(trace: Trace, seen: Observation) -> Diagnosis:
    side = seen.detail["kernel"][0]
    return told_at(
        seen,
        signal=NAME,
        cause="improper-model-parameter",
        message=f"kernels of {side}x{side} take {round(side**2 / 9)} times the work of 3x3",
        evidence=(
            f"{seen.count:,} sampled calls took {seen.seconds:.2f} s, with an estimate "
            "for going backward"
        ),
        remedy="stack 3x3 convolutions, with pooling or strides between them",
        share=share_of_seconds(trace, (1.0 - 9.0 / side**2) * seen.seconds),
        rule="oversized-kernel",
    )


def _of_wide(seen: Observation, peak: int) -> Diagnosis:
    made = seen.detail["made"]
    held = seen.bytes // max(1, seen.count)
    return told_at(
        seen,
        signal=NAME,
        cause="improper-model-parameter",
        message=f"has {made[1]} output channels on an image that is still large",
        evidence=f"{' x '.join(map(str, made))} numbers, {held / 1e6:,.0f} MB for a batch",
        remedy="use fewer channels here, and more after pooling or strides",
        weight=Weight.MEMORY,
        share=share_of_memory(held, peak),
        rule="wide-early-conv",
    )
