"""The process in which the program runs that is measured: its costs are told when it ends."""

from __future__ import annotations

import functools
import json
import os
import resource
import sys
import threading
import time
from array import array
from collections.abc import Callable, Collection
from pathlib import Path
from typing import Any

from deepperf.dynamic.child import record, run_for
from deepperf.dynamic.frameworks import step_hooks
from deepperf.dynamic.recording.clock import seconds_without_core
from deepperf.dynamic.recording.tape import Tape
from deepperf.dynamic.recording.trace import CLOCKS, SELDOM
from deepperf.prove import device_clock
from deepperf.prove.device_clock import DeviceClock, Paced
from deepperf.prove.guard import keep_out
from deepperf.prove.trajectory import Keeper
from deepperf.prove.trajectory import watch as watch_losses

MOST_MARKS = 100_000
"""Steps of which the times are kept: the first ones of a run that is longer."""


def main(words: list[str], began_with: Collection[str]) -> None:
    """Run what `words` say: a job in JSON, and `script.py arguments…` or `-m module arguments…`."""
    job = json.loads(words[0])
    _look_into_copy(job["root"], job["copy"])
    keep_out(job["protected"], job["allowed"])
    tape: Tape
    begin: Callable[[Tape], None] = record
    if job["trace"]:
        tape = _Noting(Path(job["trace"]), [sys.executable, *words[1:]], Path(job["result"]))
    else:
        tape = _Meter(Path(job["result"]), words[1:], job["root"], job["copy"])
        begin = functools.partial(_count, tape.losses)
    run_for(tape, words[1:], began_with, begin)


def _look_into_copy(root: str, copy: str) -> None:
    """Have what is installed from the project's own folder be imported from the copy."""
    top = os.path.join(root, "")
    own = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    sys.path[:] = [
        os.path.join(copy, path[len(top) :]) if f"{path}/".startswith(top) and path != own else path
        for path in sys.path
    ]


def _count(losses: Keeper, tape: Tape) -> None:
    tape.guarded("the step clock", lambda: step_hooks.watch(tape))
    tape.guarded("the losses", lambda: watch_losses(tape, losses))
    tape.start()


class _Noting(Tape):
    """A tape that also notes which modules were imported, so that further runs find them there."""

    def __init__(self, path: Path, command: list[str], result: Path) -> None:
        super().__init__(path, command)
        self._result = result

    def finish(self, ended: str = "exit") -> None:
        if os.getpid() == self._process:
            self._result.write_text(json.dumps([*sys.modules]), encoding="utf-8")
        super().finish(ended)


class _Meter(Tape):
    """A tape that takes nothing down but when steps ended, what the process cost, and losses."""

    def __init__(self, path: Path, command: list[str], root: str, copy: str) -> None:
        super().__init__(path, command)
        self._result = path
        self.losses = Keeper()
        self._root, self._copy = os.path.join(root, ""), os.path.join(copy, "")
        self._marks: dict[str, tuple[array[float], array[float]]] = {}
        self._devices: dict[str, DeviceClock] = {}
        self._zero = 0.0, 0.0, 0.0

    def start(self, before: float = 0.0) -> None:  # noqa: ARG002 - as the tape has it
        self.imports.install()
        thread = threading.get_native_id()
        self._zero = time.perf_counter(), _cpu_seconds(), seconds_without_core(thread)

    def step(self, clock: str) -> None:
        if not self.active:
            return
        walls, cpus = self._marks.setdefault(clock, (array("d"), array("d")))
        if len(walls) < MOST_MARKS:
            walls.append(time.perf_counter())
            cpus.append(time.process_time())
        device = self._devices.setdefault(clock, DeviceClock())
        self.guarded("steps of the accelerator", device.tick)

    def finish(self, ended: str = "exit") -> None:
        if os.getpid() != self._process or not self.active:
            return
        self.active = False
        self.guarded("the accelerator", device_clock.wait)
        wall, cpu, coreless = self._zero
        whole = time.perf_counter() - wall
        work = whole - self.imports.seconds
        told = {
            "wall": work,
            "cpu": _cpu_seconds() - cpu - self.imports.cpu_seconds,
            # What of it fell into the imports, nobody tells.
            "coreless": (seconds_without_core(threading.get_native_id()) - coreless) * work / whole,
            "steps": self._steady(),
            "strangers": self._strangers(),
            "accelerated": bool(self.guarded("accelerators", _accelerated)),
            "held": int(self.guarded("memory of accelerators", _most_held) or 0),
            "ended": ended,
            "losses": self.guarded("the losses", self.losses.told),
        }
        self._result.write_text(json.dumps(told), encoding="utf-8")

    def _steady(self) -> dict[str, Any]:
        """Time per step in the second half of the steps, by the clock that tells them best."""
        often = max((len(walls) for walls, _ in self._marks.values()), default=0) / SELDOM
        names = [name for name in CLOCKS if len(self._marks.get(name, ((),))[0]) >= max(often, 4)]
        if not names:
            return {"count": 0, "wall": 0.0, "cpu": 0.0}
        walls, cpus = self._marks[names[0]]
        middle = len(walls) // 2
        steps = len(walls) - 1 - middle
        told = {
            "count": len(walls),
            "wall": (walls[-1] - walls[middle]) / steps,
            "cpu": (cpus[-1] - cpus[middle]) / steps,
        }
        paced: Paced | None = self.guarded("the device clock", self._devices[names[0]].paced)
        if paced is not None:
            told |= {"count": paced.count, "wall": paced.step, "paced": paced.rest}
        return told

    def _strangers(self) -> list[str]:
        """Modules of the project that were imported from elsewhere than the copy."""
        found = []
        for name, module in list(sys.modules.items()):
            path = getattr(module, "__file__", None) or ""
            is_own = name.partition(".")[0] in ("deepperf", "")
            is_real = isinstance(path, str) and path.startswith(self._root)
            if is_real and not is_own and not path.startswith(self._copy):
                found.append(name)
        return sorted(found)[:1]


def _accelerated() -> bool:
    """Whether a framework has an accelerator in use."""
    torch = sys.modules.get("torch")
    if torch is not None and torch.cuda.is_available() and torch.cuda.is_initialized():
        return True
    tensorflow = sys.modules.get("tensorflow")
    if tensorflow is not None and tensorflow.config.list_physical_devices("GPU"):
        return True
    known = getattr(sys.modules.get("jax._src.xla_bridge"), "_backends", {})
    return any(name not in ("cpu", "interpreter") for name in known)


def _most_held() -> int:
    """The bytes that a framework held at most on accelerators; 0 where it uses none."""
    torch = sys.modules.get("torch")
    if torch is not None and torch.cuda.is_available() and torch.cuda.is_initialized():
        return sum(map(torch.cuda.max_memory_allocated, range(torch.cuda.device_count())))
    tensorflow = sys.modules.get("tensorflow")
    if tensorflow is not None:
        held = tensorflow.config.experimental.get_memory_info
        gpus = tensorflow.config.list_physical_devices("GPU")
        return sum(held(f"GPU:{number}")["peak"] for number in range(len(gpus)))
    known = getattr(sys.modules.get("jax._src.xla_bridge"), "_backends", {})
    devices = [one for backend in known.values() for one in backend.local_devices()]
    told = (one.memory_stats() or {} for one in devices if one.platform != "cpu")
    return sum(stats.get("peak_bytes_in_use", 0) for stats in told)


def _cpu_seconds() -> float:
    """Of the processor's time, what this process and those that it waited for have had."""
    used = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(one.ru_utime + one.ru_stime for one in used)
