"""The machine's accelerators, as NVIDIA's management library tells of them where it is there.

Its bindings are the package `nvidia-ml-py`. Nothing is loaded on a machine without its driver.
"""

from __future__ import annotations

import contextlib
import ctypes
import importlib
import os
import time
from collections.abc import Sequence
from dataclasses import dataclass
from types import FrameType
from typing import Any

from deepperf.dynamic.recording.places import Place
from deepperf.dynamic.recording.tape import Tape
from deepperf.dynamic.recording.trace import Trace

SEEN = "accelerators"
LIBRARY = "libnvidia-ml.so.1"
"""What the driver brings, and the bindings load. To look for it in vain takes some microseconds,
to import the bindings in vain a tenth of a second."""
BINDINGS = "pynvml"
SETTING = "CUDA_VISIBLE_DEVICES"
PART = "MIG-"
"""How the identity of a part of a device begins."""
LOOK_EVERY = 1.0
"""Seconds between two looks at how busy they are: the library tells of the last second at most."""
BUDGET = 0.001
"""Part of the time that looking may take."""
WHOLE = Place("", 0, "")


@dataclass(frozen=True, slots=True)
class Accelerator:
    """A device: `generation` is what CUDA calls its compute capability."""

    name: str
    identity: str
    generation: tuple[int, int]


@dataclass(frozen=True, slots=True)
class Accelerators:
    """Those that a program might use, and the part of the time of its steps in which the busiest
    device of the machine was at work, for whichever program; None where nobody looked."""

    devices: tuple[Accelerator, ...]
    busy: float | None


def follow(tape: Tape) -> bool:
    """Note what accelerators there are and how busy they are; whether there are any."""
    library = tape.guarded(SEEN, _library)
    found = None if library is None else tape.guarded(SEEN, lambda: _devices(library))
    if not found:
        return False
    tape.now_and_then(SEEN, _Watch(tape, library, found).look)
    return True


def _library() -> Any:
    """The bindings, ready to be asked; None where they or the driver's library are not there."""
    with contextlib.suppress(OSError, ImportError):
        ctypes.CDLL(LIBRARY)
        bindings = importlib.import_module(BINDINGS)
        try:
            bindings.nvmlInit()
        except bindings.NVMLError:
            return None
        return bindings
    return None


def _devices(library: Any) -> list[tuple[Any, Accelerator]]:
    """What there is, with the handles by which the library is asked about it."""
    handles = [library.nvmlDeviceGetHandleByIndex(n) for n in range(library.nvmlDeviceGetCount())]
    return [
        (
            handle,
            Accelerator(
                _text(library.nvmlDeviceGetName(handle)),
                _text(library.nvmlDeviceGetUUID(handle)),
                tuple(library.nvmlDeviceGetCudaComputeCapability(handle)),
            ),
        )
        for handle in handles
    ]


def _text(told: str | bytes) -> str:
    """Older bindings tell bytes."""
    return told.decode() if isinstance(told, bytes) else told


def visible(found: Sequence[Accelerator], setting: str | None) -> tuple[Accelerator, ...]:
    """Those that a program may use by a setting of CUDA's: numbers, or how identities begin; what
    stands behind one that names none does not count."""
    if setting is None:
        return tuple(found)
    chosen: list[Accelerator] = []
    for word in (part.strip() for part in setting.split(",")):
        if word.startswith(PART):
            # Which device it is a part of, its name does not say.
            return tuple(found)
        named = found[int(word) : int(word) + 1] if word.isdigit() else _beginning(found, word)
        if len(named) != 1:
            break
        chosen += named
    return tuple(chosen)


def _beginning(found: Sequence[Accelerator], word: str) -> Sequence[Accelerator]:
    return [one for one in found if word and one.identity.startswith(word)]


class _Watch:
    """Runs in the sampler's thread."""

    def __init__(self, tape: Tape, library: Any, found: Sequence[tuple[Any, Accelerator]]) -> None:
        self._tape = tape
        self._library = library
        self._found = found
        self._ticks = 0
        self._next = 0.0
        self._since: list[float] = []

    def look(self, _frame: FrameType) -> None:
        now = time.perf_counter()
        ticks = self._tape.ticks
        if now < self._next or not ticks:
            return
        begin = time.thread_time()
        busiest = max(
            self._library.nvmlDeviceGetUtilizationRates(handle).gpu for handle, _ in self._found
        )
        self._since.append(busiest / 100)
        if ticks != self._ticks:
            self._note()
            self._ticks = ticks
        self._next = now + max(LOOK_EVERY, (time.thread_time() - begin) / BUDGET)

    def _note(self) -> None:
        """What was seen up to a step belongs to the steps; what comes after the last does not."""
        # The program itself may set what it can see.
        devices = visible([one for _, one in self._found], os.environ.get(SETTING))
        self._tape.note(SEEN, WHOLE, count=0)
        detail = self._tape.detail(SEEN, WHOLE)
        detail["devices"] = [[one.name, one.identity, *one.generation] for one in devices]
        # Before the first step was told, nobody knows for what they were busy.
        looks = self._since if self._ticks else []
        detail["looks"] = detail.get("looks", 0) + len(looks)
        detail["busy"] = detail.get("busy", 0.0) + sum(looks)
        self._since = []


def accelerators_of(trace: Trace) -> Accelerators | None:
    """What a trace tells of them; None where there are none that the program could use."""
    for seen in trace.observations:
        if seen.kind == SEEN and seen.detail.get("devices"):
            devices = tuple(
                Accelerator(name, identity, (major, minor))
                for name, identity, major, minor in seen.detail["devices"]
            )
            looks = seen.detail["looks"]
            return Accelerators(devices, seen.detail["busy"] / looks if looks else None)
    return None
