"""What TensorFlow itself knows of a tf.data pipeline at work: how long each stage has computed. It
measures that to tune the pipeline, and tells it in microseconds."""

from __future__ import annotations

import functools
import importlib
import sys
import time
import weakref
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from deepperf.dynamic.frameworks.step_hooks import CALLBACK_LISTS
from deepperf.dynamic.recording.places import Place
from deepperf.dynamic.recording.tape import Tape
from deepperf.dynamic.recording.unseen import standing_for

PARALLEL = ("Parallel", "MapAndBatch")
"""How stages are called that compute in several threads."""
AHEAD = ("Prefetch", *PARALLEL)
"""How stages are called that work while the steps do."""
ASKED_EVERY = 256
"""Batches of an iterator after which is asked again; before, it is ever more seldom."""

Chain = Sequence[tuple[str, Place | None]]
"""What the stages of a pipeline are, and where each was made, the last first."""
Faults = Sequence[tuple[str, Place]]
"""Kinds of observations about a pipeline, and the places of the stages that they are about."""


def kind_of(name: str) -> str:
    """What a stage is, by its class in Python or by what the runtime calls it."""
    plain = name.strip("_").lower()
    for kind in ("generator", "flatmap", "interleave", "map", "filter", "shuffle", "batch"):
        if kind in plain:
            return kind
    return plain.removesuffix("dataset").removeprefix("forever")


@dataclass(frozen=True, slots=True)
class StageTime:
    """A stage as the runtime has it, the seconds that it computed itself, and whether it, or one
    after it, works ahead of the steps."""

    name: str
    seconds: float
    is_ahead: bool


def stage_times(iterator: Any) -> tuple[StageTime, ...]:
    """The stages behind an iterator, the last first; of several inputs, the first's."""
    operations: Any = sys.modules["tensorflow.python.ops.gen_experimental_dataset_ops"]
    # Part of TensorFlow, which is loaded; brings in nothing else.
    messages: Any = importlib.import_module("tensorflow.core.framework.model_pb2")
    said = operations.iterator_get_model_proto(iterator._iterator_resource)
    model = messages.ModelProto.FromString(said.numpy())
    found: list[StageTime] = []
    number, is_ahead = model.output, False
    while number in model.nodes and len(found) <= len(model.nodes):
        node = model.nodes[number]
        is_ahead = is_ahead or node.name.startswith(AHEAD)
        found.append(StageTime(node.name, node.processing_time / 1e9, is_ahead))
        number = node.inputs[0] if node.inputs else 0
    return tuple(found)


def times_by_place(chain: Chain, times: Sequence[StageTime]) -> Mapping[Place, tuple[float, bool]]:
    """The seconds that the stages of each line computed, and whether ahead of the steps. The
    runtime adds stages of its own, and joins some."""
    found: dict[Place, tuple[float, bool]] = {}
    at = 0
    for time_of in times:
        kinds = ("batch", "map") if "MapAndBatch" in time_of.name else (kind_of(time_of.name),)
        for kind in kinds:
            later = [n for n, (known, _) in enumerate(chain) if n >= at and known == kind]
            if not later:
                continue
            at = later[0] + 1
            place = chain[later[0]][1]
            if place is not None and kind == kinds[-1]:
                seconds, was_ahead = found.get(place, (0.0, False))
                found[place] = (seconds + time_of.seconds, was_ahead or time_of.is_ahead)
    return found


class FitPipelines:
    """Asks now and then, at the end of a training's batch, about the pipeline that it takes."""

    def __init__(self, tape: Tape, what: str) -> None:
        self._tape = tape
        self._what = what
        self._iterator: weakref.ref[Any] | None = None
        self._chain: Chain = ()
        self._faults: Faults = ()
        self._batches = 0
        self._known: dict[Place, float] = {}
        self._total = self._serial = self._asked = 0.0
        for home, method in CALLBACK_LISTS.items():
            tape.imports.after(home, functools.partial(self._watch, method))

    def begin(self, iterator: Any, chain: Chain, faults: Faults) -> None:
        """Ask about this iterator from now on."""
        self._iterator = weakref.ref(iterator)
        self._chain, self._faults = chain, faults
        self._batches = 0
        self._known = {}
        self._total = self._serial = self._asked = 0.0

    def _watch(self, method: str, module: Any) -> None:
        cls = module.CallbackList
        end = getattr(cls, method)

        @standing_for(end)
        def ended(callbacks: Any, *arguments: Any, **named: Any) -> Any:
            count = self._batches = self._batches + 1
            is_due = not count & (count - 1) or count % ASKED_EVERY == 0
            if is_due and self._faults and self._tape.active:
                self._tape.guarded(self._what, self._ask)
            return end(callbacks, *arguments, **named)

        setattr(cls, method, ended)

    def _ask(self) -> None:
        iterator = None if self._iterator is None else self._iterator()
        if iterator is None:
            return
        times = stage_times(iterator)
        now = time.perf_counter()
        serial = sum(one.seconds for one in times if not one.name.startswith(PARALLEL))
        total = sum(one.seconds for one in times)
        if total < self._total:
            # Stages whose elements are used up are there no more.
            return
        by_place = times_by_place(self._chain, times)
        for kind, place in self._faults:
            is_root = self._chain and place == self._chain[0][1]
            seconds, is_ahead = by_place.get(place, (total if is_root else 0.0, False))
            detail = self._tape.detail(kind, place)
            detail["busy"] = detail.get("busy", 0.0) + seconds - self._known.get(place, 0.0)
            detail["ahead"] = detail.get("ahead", False) or is_ahead
            if self._asked:
                detail["serial"] = detail.get("serial", 0.0) + serial - self._serial
                detail["covered"] = detail.get("covered", 0.0) + now - self._asked
        self._known = {place: seconds for place, (seconds, _) in by_place.items()}
        self._total, self._serial, self._asked = total, serial, now
