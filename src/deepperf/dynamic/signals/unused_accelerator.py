"""A training runs on the processor, though an accelerator is there that it could use.

What is told is a note: how much faster the device would be, nobody has measured.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from deepperf.dynamic.diagnosis import Diagnosis, Weight, told_at
from deepperf.dynamic.frameworks.device_use import DeviceUse, uses_of
from deepperf.dynamic.recording.accelerators import Accelerators, accelerators_of
from deepperf.dynamic.recording.tape import Tape
from deepperf.dynamic.recording.trace import Trace

NAME = "unused-accelerator"
RULES: tuple[str, ...] = ()
SYMPTOMS = ("unused-gpu",)
FEWEST_STEPS = 32
"""Steps from which on a run is more than a trial."""
LONG = 2.0
"""Seconds that they take together: what is over sooner need not be faster."""
SLOW = 0.005
"""Seconds of a step from which on a device may help: to start the kernels of a small model takes a
millisecond or two."""
OTHERS = 0.5
"""Part of the time that a device works for other programs from which on it is theirs."""
WISHED = re.compile(r"(?:^|[-_=:])cpu(?:$|[-_:])|no[-_]?(?:cuda|gpu)", re.IGNORECASE)
"""How an argument of the program says that it is not to be used."""


@dataclass(frozen=True, slots=True)
class _Way:
    """How one framework comes to its device."""

    build: str
    place: str
    missed: str


WAYS = {
    "PyTorch": _Way(
        "install a PyTorch build for this GPU's driver, as the selector on pytorch.org says",
        'move the model and each batch to it: `model.to("cuda")`, `batch.to("cuda")`',
        "where `torch.cuda.is_available()` says no, the driver is too old for this build",
    ),
    "TensorFlow": _Way(
        "install a TensorFlow for the device: `pip install tensorflow[and-cuda]`",
        "let the device be chosen by TensorFlow, or ask for it by `tf.device`",
        "what it writes at its start says which library it did not find",
    ),
    "JAX": _Way(
        "install JAX with its plugin for the device's driver, such as `jax[cuda13]`",
        "let the device be chosen by JAX",
        "",
    ),
}


def watch(_tape: Tape) -> None:
    """Nothing: devices are looked at for several signals."""


def diagnose(trace: Trace) -> Iterable[Diagnosis]:
    """The line that steps on the processor."""
    there = accelerators_of(trace)
    uses = uses_of(trace)
    if there is None or not uses or not _is_worth_it(trace) or _is_wished(trace):
        return
    is_others = (there.busy or 0.0) >= OTHERS
    if not is_others and not any(use.used or use.is_hidden for use in uses):
        yield _diagnosis(trace, there, uses[0])


def _is_wished(trace: Trace) -> bool:
    return any(WISHED.search(word) for word in trace.command[2:])


def _is_worth_it(trace: Trace) -> bool:
    clock = trace.clock
    if clock is None or clock.count < FEWEST_STEPS:
        return False
    seconds = clock.last - clock.first
    return seconds >= max(LONG, SLOW * (clock.count - 1))


def _diagnosis(trace: Trace, there: Accelerators, use: DeviceUse) -> Diagnosis:
    way = WAYS[use.framework]
    there_is = f"this machine has a GPU: {there.devices[0].name}"
    clock = trace.clock
    assert clock is not None
    each = (clock.last - clock.first) / (clock.count - 1)
    if not use.is_built:
        cause, remedy = "hardware-library-mismatch", way.build
        message = f"{use.framework} is a CPU-only build, and {there_is}"
    elif use.is_found is False:
        cause, remedy = "hardware-library-mismatch", way.missed
        message = f"{use.framework} finds no GPU, and {there_is}"
    else:
        cause = "hardware-code-mismatch"
        remedy = "; ".join(filter(None, [way.place, way.missed]))
        message = f"training runs on the CPU, and {there_is}"
    return told_at(
        use.at,
        signal=NAME,
        cause=cause,
        message=message,
        evidence=(
            f"{clock.count:,} {clock.name} of {1000 * each:,.0f} ms, and this process held no "
            "device"
        ),
        remedy=remedy,
        weight=Weight.HINT,
    )
