"""Matrix products on an accelerator are computed more exactly than its fastest units can.

What is told is a note: what the faster units save, nobody has measured, nor what they change.
"""

from __future__ import annotations

from collections.abc import Iterable

from deepperf.dynamic.diagnosis import Diagnosis, Weight, told_at
from deepperf.dynamic.frameworks.device_use import DeviceUse, uses_of
from deepperf.dynamic.frameworks.torch_transfers import MULTIPLIED
from deepperf.dynamic.recording.accelerators import accelerators_of
from deepperf.dynamic.recording.tape import Tape
from deepperf.dynamic.recording.trace import Trace

NAME = "device-precision"
RULES: tuple[str, ...] = ()
SYMPTOMS = ("slow-execution",)
TENSOR_CORES = (7, 0)
"""The first generation with units for products of half precision."""
ROUNDED = (8, 0)
"""The first whose units take float32, rounded to TF32."""
FEWEST = 32
"""Products that were heard."""
MOSTLY = 0.5
"""Part of them that gave float32, from which on the training computes so."""
SINGLE = "float32"
EXACT = "highest"
"""What PyTorch calls float32 that is not rounded; it is the default."""


def watch(_tape: Tape) -> None:
    """Nothing: operations are heard for several signals."""


def diagnose(trace: Trace) -> Iterable[Diagnosis]:
    """The line whose steps leave the device's units for products unused."""
    there = accelerators_of(trace)
    uses = [use for use in uses_of(trace) if use.used]
    if there is None or not uses:
        return
    use = uses[0]
    generation = min(device.generation for device in there.devices)
    if generation < TENSOR_CORES:
        return
    rounds = generation >= ROUNDED
    if use.framework == "PyTorch":
        yield from _of_torch(trace, use, [EXACT] if rounds else [EXACT, "high", "medium"])
    elif use.precision == SINGLE + " exact" or (use.precision == SINGLE and not rounds):
        yield _diagnosis(
            use,
            f"the model's policy is {SINGLE}"
            + (", and rounding to TF32 is switched off" if rounds else ""),
            '`keras.mixed_precision.set_dtype_policy("mixed_bfloat16")`, or "mixed_float16" on '
            "devices before Ampere; compare the losses",
        )


def _of_torch(trace: Trace, use: DeviceUse, exact: list[str]) -> Iterable[Diagnosis]:
    heard: dict[str, int] = {}
    for seen in trace.observations:
        if seen.kind == MULTIPLIED:
            heard = dict(seen.detail)
    count, single = sum(heard.values()), heard.get(SINGLE, 0)
    if count >= FEWEST and single >= MOSTLY * count and use.precision in exact:
        yield _diagnosis(
            use,
            f"{single:,} of the {count:,} observed matrix products gave {SINGLE}, at the "
            f'precision "{use.precision}", outside of autocast',
            '`torch.set_float32_matmul_precision("high")` where the device knows TF32, or '
            '`torch.autocast("cuda", dtype=torch.bfloat16)` around the forward pass (float16 with '
            "a `GradScaler` on devices before Ampere); compare the losses",
        )


def _diagnosis(use: DeviceUse, evidence: str, remedy: str) -> Diagnosis:
    return told_at(
        use.at,
        signal=NAME,
        cause="improper-configuration",
        message="matrix products do not use the GPU's fast units",
        evidence=evidence,
        remedy=remedy,
        weight=Weight.HINT,
    )
