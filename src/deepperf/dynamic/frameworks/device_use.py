"""What the frameworks that a program has loaded say of the devices that its steps run on.

Asked only where there is an accelerator, and only once a framework has made steps: being asked
earlier, it would take hold of the device for the program.
"""

from __future__ import annotations

import itertools
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from types import FrameType
from typing import Any

from deepperf.dynamic.frameworks import cuda_window
from deepperf.dynamic.frameworks.keras_calls import ModelCall, listen
from deepperf.dynamic.frameworks.torch_compiling import after_optimizer_steps
from deepperf.dynamic.recording import accelerators
from deepperf.dynamic.recording.places import Place
from deepperf.dynamic.recording.tape import Tape
from deepperf.dynamic.recording.trace import (
    BATCHES,
    JITTED_CALLS,
    OPTIMIZER_STEPS,
    TRAINING_CALLS,
    Observation,
    Trace,
)

USE = "device use"
DEVICE_MEMORY = "device memory"
FIRST_LOOK = 4
"""Steps before the first look; each next one comes after twice as many."""
LOOK_EVERY = 20
"""Samples between two looks at JAX."""
CPU = "cpu"


@dataclass(frozen=True, slots=True)
class DeviceUse:
    """How the steps of one line use devices.

    `used` says whether the framework holds one in this process, `is_built` whether it could,
    `is_found` whether it sees one (None where asking would take hold of it), `is_hidden` whether
    the program told it to leave them alone. `precision` is how exact it computes, in its words.
    """

    at: Observation
    framework: str
    used: bool
    is_built: bool
    is_found: bool | None
    is_hidden: bool
    precision: str


def follow(tape: Tape) -> None:
    """Ask the frameworks now and then, where there is an accelerator."""
    memory = _Looks()
    after_optimizer_steps(tape, lambda _: _memory_of_torch(tape, memory))
    cuda_window.follow(tape)
    if not accelerators.follow(tape):
        return
    looks = _Looks()
    after_optimizer_steps(tape, lambda optimizer: _of_torch(tape, looks, optimizer))
    tape.after_steps(lambda clock: _of_tensorflow(tape, looks, clock))
    listen(tape, USE, ("fit",), lambda call: _of_fit(tape, call))
    samples = itertools.count(1)
    tape.now_and_then(USE, lambda frame: _of_jax(tape, samples, frame))


class _Looks:
    __slots__ = ("_next", "_steps")

    def __init__(self) -> None:
        self._steps = 0
        self._next = FIRST_LOOK

    def is_due(self) -> bool:
        self._steps += 1
        if self._steps < self._next:
            return False
        self._next *= 2
        return True


def _of_torch(tape: Tape, looks: _Looks, optimizer: Any) -> None:
    if tape.active and looks.is_due():
        frame = sys._getframe(1)
        tape.guarded(USE, lambda: _ask_torch(tape, optimizer, tape.code.place(frame)))


def _ask_torch(tape: Tape, optimizer: Any, place: Place | None) -> None:
    torch: Any = sys.modules["torch"]
    kinds = {one.device.type for group in optimizer.param_groups for one in group["params"]}
    # What starts CUDA, such as asking whether it is available, is left to the program.
    _note(
        tape,
        place,
        framework="PyTorch",
        used=bool(kinds - {CPU}) or torch.cuda.is_initialized(),
        built=bool(torch.version.cuda or torch.version.hip),
        precision=torch.get_float32_matmul_precision(),
    )


def _memory_of_torch(tape: Tape, looks: _Looks) -> None:
    if tape.active and looks.is_due():
        frame = sys._getframe(1)
        tape.guarded(DEVICE_MEMORY, lambda: _ask_memory(tape, tape.code.place(frame)))


def _ask_memory(tape: Tape, place: Place | None) -> None:
    cuda: Any = sys.modules["torch"].cuda
    if place is None or not cuda.is_initialized():
        return
    told = cuda.memory_stats()
    tape.note(DEVICE_MEMORY, place)
    tape.detail(DEVICE_MEMORY, place).update(
        reserved=told.get("reserved_bytes.all.peak", 0),
        allocated=told.get("allocated_bytes.all.peak", 0),
        left_over=told.get("inactive_split_bytes.all.peak", 0),
        retries=told.get("num_alloc_retries", 0),
        whole=cuda.get_device_properties(cuda.current_device()).total_memory,
    )


def _of_tensorflow(tape: Tape, looks: _Looks, clock: str) -> None:
    if clock in (TRAINING_CALLS, OPTIMIZER_STEPS) and looks.is_due():
        frame = sys._getframe(1)
        tape.guarded(USE, lambda: _ask_tensorflow(tape, tape.code.place(frame), ""))


def _of_fit(tape: Tape, call: ModelCall) -> None:
    # What Keras computes with may be another framework.
    if "tensorflow" in sys.modules and tape.ticks_of(BATCHES) and _runs_tensorflow():
        policy = getattr(call.model, "dtype_policy", None)
        _ask_tensorflow(tape, call.place, str(getattr(policy, "name", "")))


def _runs_tensorflow() -> bool:
    keras: Any = sys.modules.get("keras")
    return keras is None or not hasattr(keras, "backend") or keras.backend.backend() == "tensorflow"


def _ask_tensorflow(tape: Tape, place: Place | None, policy: str) -> None:
    tensorflow: Any = sys.modules["tensorflow"]
    # In a session's graph there is no runtime of this kind, and asking would start one.
    if not tensorflow.executing_eagerly():
        return
    config = tensorflow.config
    build = tensorflow.sysconfig.get_build_info()
    there = config.list_physical_devices("GPU")
    is_exact = not config.experimental.tensor_float_32_execution_enabled()
    _note(
        tape,
        place,
        framework="TensorFlow",
        used=bool(config.list_logical_devices("GPU")),
        built=bool(build.get("is_cuda_build") or build.get("is_rocm_build")),
        found=bool(there),
        hidden=bool(there) and not config.get_visible_devices("GPU"),
        precision=policy + (" exact" if policy and is_exact else ""),
    )


def _of_jax(tape: Tape, samples: Iterator[int], frame: FrameType) -> None:
    """Runs in the sampler's thread."""
    jax: Any = sys.modules.get("jax")
    if jax is None or next(samples) % LOOK_EVERY:
        return
    # Once something has run that it compiled, its devices are known, and asking starts none.
    steps = tape.ticks_of(JITTED_CALLS)
    if "tensorflow" not in sys.modules:
        steps += tape.ticks_of(TRAINING_CALLS)
    if steps >= FIRST_LOOK:
        wished = str(getattr(jax.config, "jax_platforms", None) or "")
        backend = jax.default_backend()
        _note(
            tape,
            tape.code.place(frame),
            framework="JAX",
            used=backend != CPU,
            built=backend != CPU,
            hidden=wished.split(",", maxsplit=1)[0] == CPU,
            precision="",
        )


def _note(tape: Tape, place: Place | None, **told: Any) -> None:
    if place is not None:
        tape.note(USE, place)
        detail = tape.detail(USE, place)
        # A device that was once used stays one.
        told["used"] = told["used"] or detail.get("used", False)
        detail.update(told)


def uses_of(trace: Trace) -> tuple[DeviceUse, ...]:
    """What a trace tells of it, line by line; the line that was seen most often comes first."""
    found = [seen for seen in trace.observations if seen.kind == USE]
    return tuple(
        DeviceUse(
            at=seen,
            framework=seen.detail["framework"],
            used=seen.detail["used"],
            is_built=seen.detail["built"],
            is_found=seen.detail.get("found"),
            is_hidden=seen.detail.get("hidden", False),
            precision=seen.detail["precision"],
        )
        for seen in sorted(found, key=lambda seen: -seen.count)
    )
