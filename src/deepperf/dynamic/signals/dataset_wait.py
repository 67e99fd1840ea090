"""Steps wait for the elements of a tf.data pipeline, in a loop or in `fit`: for which stage."""

from __future__ import annotations

import atexit
import os
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterable, Sequence
from types import FrameType, ModuleType
from typing import Any

from deepperf.dynamic.diagnosis import Diagnosis, told_at
from deepperf.dynamic.frameworks.pipeline_model import kind_of
from deepperf.dynamic.frameworks.pipeline_stages import place_of, sizes_of_same, stages_of
from deepperf.dynamic.frameworks.pipeline_waits import (
    IN_LOOP,
    IN_MODEL,
    PYTHON,
    WATCHED,
    Wait,
    waits_in,
)
from deepperf.dynamic.frameworks.pipeline_window import Seen, Window
from deepperf.dynamic.recording.cost import Purse
from deepperf.dynamic.recording.frames import frames_of_others
from deepperf.dynamic.recording.places import DEEPEST, Place
from deepperf.dynamic.recording.tape import Tape
from deepperf.dynamic.recording.trace import Trace
from deepperf.dynamic.recording.unseen import standing_for

NAME = "dataset-wait"
BY_LOOKS = True
RULES: tuple[str, ...] = ()
SYMPTOMS = ("slow-execution", "abnormal-gpu-utilization")
TRAINERS = (
    os.path.join("keras", "src", "backend", "tensorflow", "trainer.py"),
    os.path.join("tf_keras", "src", "engine", "training.py"),
)
METHODS = ("fit", "evaluate", "predict")
TRACING = ("func_graph_from_py_func", "_symbolic_build")
ITERATORS = os.path.join("data", "ops", "iterator_ops.py")
CALLERS = ("script_ops.py", "py_dataset_adapter.py")
"""Where TensorFlow and Keras call the Python functions that make elements, in their own threads."""
FIRST_LOOKS = 25
"""Looks that found a line waiting, or in `fit`, before a window is opened: half a second."""
LATER = 4
"""How many times as many looks come before the next window."""
SHORTEST, LONGEST, TURNS = 0.1, 1.5, 8
"""Seconds of a window, and steps after which it is closed in between: on a busy machine some of
them are over before the window is open."""
FIRST_SECONDS = 0.12
"""What the first window was measured to take of the processor, mostly to collect what was seen."""
MOST_CHAINS = 4
HANDS_ON = ("Prefetch",)
"""How the runtime calls stages that compute nothing."""

AGAIN = f"{NAME} again"
"""What is noted of pipelines that are gone through again."""
EPOCHS = 3
"""Times that a pipeline is gone through from one line: what two give is paid back by one."""
KEPT = 2_000_000_000
"""Bytes up to which all elements of a stage may be kept in memory, on machines that train."""
CACHE = "put `cache()` after it, followed by what changes from epoch to epoch, such as shuffling"
MAKE_BATCHES = (
    "prepare whole batches with NumPy or TensorFlow operations, and once for all epochs "
    "(`cache()`, or before training); do the rest ahead of the steps"
)
MAKE_CHEAPER = (
    "make the stage cheaper: on whole batches, `num_parallel_calls=tf.data.AUTOTUNE`, and "
    "`cache()` in front of what changes from epoch to epoch"
)

Chain = tuple[tuple[str, Place | None], ...]


def watch(tape: Tape) -> None:
    """Look where the main thread is once TensorFlow's pipelines are there."""
    tape.imports.after(
        "tensorflow.python.data.ops.iterator_ops", lambda module: _Watch(tape).begin(module)
    )


class _Watch:
    """Looks, and takes note of new iterators."""

    def __init__(self, tape: Tape) -> None:
        self._tape = tape
        self._window = Window()
        self._lock = threading.Lock()
        self._chains: dict[Place, list[Chain]] = {}
        self._begun: Counter[tuple[Place, Chain]] = Counter()
        self._looks: dict[Place, int] = {}
        self._due: dict[Place, int] = {}
        self._place: Place | None = None
        self._opened = 0.0
        self._ticks = 0
        self._purse = Purse(tape.budget, FIRST_SECONDS)
        self._main = threading.get_ident()

    def begin(self, module: ModuleType) -> None:
        cls: Any = module.OwnedIterator
        create = cls._create_iterator

        @standing_for(create)
        def created(iterator: Any, dataset: Any) -> Any:
            if self._tape.active:
                frame = sys._getframe(1)
                self._tape.guarded(NAME, lambda: self._take(dataset, frame))
            return create(iterator, dataset)

        cls._create_iterator = created
        self._tape.imports.after("tensorflow.python.profiler.profiler_v2", self._give_way)
        self._tape.at_samples(NAME, self._look)
        atexit.register(self._close)

    def _take(self, dataset: Any, frame: FrameType | None) -> None:
        place = self._tape.code.place(frame)
        if place is None:
            return
        chains = self._chains.setdefault(place, [])
        stages = list(stages_of(dataset))
        chain = tuple((kind_of(type(stage).__name__), place_of(stage)) for stage in stages)
        begun = self._begun[place, chain] = self._begun[place, chain] + 1
        if begun == EPOCHS:
            again = self._tape.detail(AGAIN, place).setdefault("sizes", [])
            again += [[*made[:2], size] for made, size in sizes_of_same(stages).items()]
        if chain not in chains and len(chains) < MOST_CHAINS:
            chains.append(chain)

    def _give_way(self, module: Any) -> None:
        """There is one profiler in a process: the program's own comes first."""
        start = module.start

        @standing_for(start)
        def started(*arguments: Any, **named: Any) -> Any:
            self._tape.guarded(NAME, self._close)
            return start(*arguments, **named)

        module.start = started

    def _look(self, frame: FrameType | None) -> None:
        kind, place, is_tracing = self._whereabouts(frame)
        if self._window.is_open:
            self._perhaps_close(place)
        if place is None or is_tracing:
            return
        tape, ticks = self._tape, self._tape.ticks
        tape.note(kind, place)
        detail = tape.detail(kind, place)
        detail.setdefault("first", ticks)
        detail["last"] = ticks
        looks = self._looks[place] = self._looks.get(place, 0) + 1
        self._look_at_other_threads()
        is_due = looks >= self._due.setdefault(place, FIRST_LOOKS) and not self._window.is_open
        if is_due and self._purse.is_left() and self._window.open():
            self._due[place] = looks * LATER
            self._place, self._opened, self._ticks = place, time.perf_counter(), ticks

    def _whereabouts(self, frame: FrameType | None) -> tuple[str, Place | None, bool]:
        """Whether the main thread is in a method of a model, or waits for an iterator itself."""
        path_of = self._tape.code.path_of
        is_tracing = False
        kind = ""
        for _ in range(DEEPEST):
            if frame is None:
                return kind, None, is_tracing
            code = frame.f_code
            if code.co_name in TRACING:
                is_tracing = True
            elif code.co_name == "__next__" and code.co_filename.endswith(ITERATORS):
                kind = IN_LOOP
            elif code.co_name in METHODS and code.co_filename.endswith(TRAINERS):
                # A model that runs eagerly waits in its own loop.
                kind = kind or IN_MODEL
            elif path_of(code.co_filename):
                place = self._tape.code.place(frame) if kind else None
                return kind, place, is_tracing
            frame = frame.f_back
        return kind, None, is_tracing

    def _look_at_other_threads(self) -> None:
        """Note the lines at which Python functions of a pipeline are."""
        code = self._tape.code
        for thread, frame in frames_of_others().items():
            if thread == self._main:
                continue
            place = code.place(frame)
            outer: FrameType | None = frame
            while place is not None and outer is not None:
                if outer.f_code.co_filename.endswith(CALLERS):
                    self._tape.note(PYTHON, place)
                    break
                outer = outer.f_back

    def _perhaps_close(self, place: Place | None) -> None:
        passed = time.perf_counter() - self._opened
        steps = self._tape.ticks - self._ticks
        has_left = place != self._place and passed >= SHORTEST
        if has_left or passed >= LONGEST or (passed >= SHORTEST and steps >= TURNS):
            self._close()

    def _close(self) -> None:
        # A look may interrupt the main thread in here.
        if not self._lock.acquire(blocking=False):
            return
        try:
            begin = time.thread_time()
            place, seen = self._place, self._window.close()
            if seen is not None:
                self._purse.charge(time.thread_time() - begin)
        finally:
            self._lock.release()
        if place is not None and seen is not None and seen.turns:
            self._note(place, seen)

    def _note(self, place: Place, seen: Seen) -> None:
        self._tape.note(WATCHED, place, seconds=seen.seconds)
        detail = self._tape.detail(WATCHED, place)
        for name, value in (
            ("turns", seen.turns),
            ("waited", seen.waited),
            ("python", seen.python),
            ("executed", seen.executed),
        ):
            detail[name] = detail.get(name, 0) + value
        path = seen.slowest
        if path:
            detail["slowest"] = path[-1]
            detail["own"] = detail.get("own", 0.0) + seen.stages[path]
            chain = max(self._chains.get(place, [()]), key=lambda chain: _matches(chain, path)[0])
            made = _matches(chain, path)[1]
            detail["made"] = list(made) if made is not None else None


def _matches(chain: Chain, path: Sequence[str]) -> tuple[int, Place | None]:
    """How many of a path's stages are among those of a pipeline, in order; where the last of them
    was made. The runtime adds stages of its own, and joins some."""
    at = count = 0
    found: Place | None = None
    for part in path:
        kinds = ("batch", "map") if part.startswith("MapAndBatch") else (kind_of(part),)
        for kind in kinds:
            later = [n for n, (known, _) in enumerate(chain) if n >= at and known == kind]
            if later:
                at, count, found = later[0] + 1, count + 1, chain[later[0]][1] or found
        if "[" in part:
            # Another input than the first, of which nothing is known.
            break
    return count, found


def diagnose(trace: Trace) -> Iterable[Diagnosis]:
    """The loops and trainings that wait, told at the stage that is slow."""
    for wait in waits_in(trace):
        is_stage_known = any(
            (o.file, o.line) == (wait.made.file, wait.made.line)
            for o in trace.observations
            if o.kind.startswith("data-pipeline ") and wait.made is not None
        )
        # A stage that only hands on what is ready waits for the processor, and not for its input.
        is_idle = wait.stage in HANDS_ON and not wait.is_python
        # What is wrong with that stage is told by another signal.
        if not is_stage_known and not is_idle:
            yield _diagnosis(wait, _size_of_same(trace, wait))


def _size_of_same(trace: Trace, wait: Wait) -> int:
    """The bytes of all that the slow stage makes, if it makes the same in each epoch and they can
    be kept; 0 otherwise."""
    if wait.made is None:
        return 0
    sizes = (
        size
        for seen in trace.observations
        if seen.kind == AGAIN and (seen.file, seen.line) == wait.asked[:2]
        for *made, size in seen.detail["sizes"]
        if tuple(made) == wait.made[:2]
    )
    size = max(sizes, default=0)
    return size if size <= KEPT else 0


def _diagnosis(wait: Wait, same: int) -> Diagnosis:
    place = wait.slow
    what = f"; its slowest stage is `{wait.stage}`" if wait.stage else ""
    if wait.is_python:
        what = "; most of it goes to the Python code that produces the elements"
    return told_at(
        place,
        signal=NAME,
        cause="inefficient-data-preprocessing",
        message=(
            "training steps wait for their input"
            + (", which is produced here" if place != wait.asked else "")
            + (" again in every epoch" if same else "")
        ),
        evidence=(
            f"{wait.part:.0%} of the time of the steps at line {wait.asked.line} is waiting "
            f"{wait.basis}{what}"
            + (f"; all that it makes, the same each time, is {same / 1e6:,.1f} MB" if same else "")
        ),
        remedy=CACHE if same else MAKE_BATCHES if wait.is_python else MAKE_CHEAPER,
        share=wait.share,
    )
