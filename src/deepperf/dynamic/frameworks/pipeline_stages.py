"""The stages of a tf.data pipeline as it stands: where each was made, and what is wrong with it."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from types import ModuleType
from typing import Any

from deepperf.dynamic.recording.places import DEEPEST, Place, place_in
from deepperf.dynamic.recording.tape import Tape
from deepperf.dynamic.recording.unseen import standing_for

MADE_AT = "_deepperf_made_at"
DEEPEST_PIPELINE = 60
"""Stages of a pipeline that are looked at."""
PASSES = ("Shuffle", "Repeat", "Prefetch", "Take", "Skip", "Cache", "Options", "Shard", "Concat")
"""Stages between a map and a batch that hand on what they get."""
HEAVY = ("PyFunc", "EagerPyFunc", "Decode", "ReadFile", "Parse", "Resize", "Crop", "StringSplit")
SLEEPY = ("PyFunc", "EagerPyFunc")
MAPS = ("MapDataset", "ParallelMapDataset")
"""Stages that make an element of each element: what makes several, or reads files, takes no
batches."""
ONE_AT_A_TIME = (
    "PyFunc",
    "EagerPyFunc",
    "DecodeJpeg",
    "DecodePng",
    "DecodeImage",
    "DecodeBmp",
    "DecodeWav",
    "DecodeAnd",
    "ReadFile",
    "Random",
    "Stateless",
    "SampleDistorted",
    "Where",
    "If",
    "While",
    "StringSplit",
    "Ragged",
    "Sparse",
    "Unique",
    "PartitionedCall",
    "StatefulPartitionedCall",
)


def remember_places(tape: Tape, what: str, module: ModuleType) -> None:
    """Have each stage remember where it was made: `dataset_ops` is the module of their class."""
    cls: Any = module.DatasetV2
    make = cls.__init__

    @standing_for(make)
    def watched(self: Any, *arguments: Any, **named: Any) -> None:
        make(self, *arguments, **named)
        if tape.active:
            frame = sys._getframe(1)
            tape.guarded(what, lambda: _remember(tape, self, frame))

    cls.__init__ = watched


def _remember(tape: Tape, dataset: Any, frame: Any) -> None:
    for _ in range(DEEPEST):
        if frame is None or "keras" in frame.f_code.co_filename:
            return
        path = tape.code.path_of(frame.f_code.co_filename)
        if path:
            place = place_in(path, frame)
            # Datasets keep what is set on them for saving; this is not for it.
            object.__setattr__(dataset, MADE_AT, place)
            return
        frame = frame.f_back


def place_of(stage: Any) -> Place | None:
    """The user's line that made a stage."""
    place: Place | None = getattr(stage, MADE_AT, None)
    return place


def stages_of(dataset: Any) -> Iterator[Any]:
    """The stages of a pipeline, the last first; of several inputs, the first's."""
    for _ in range(DEEPEST_PIPELINE):
        inner = getattr(dataset, "_dataset", None)
        if inner is not None and type(dataset).__name__ == "DatasetV1Adapter":
            place = getattr(dataset, MADE_AT, None)
            if not hasattr(inner, MADE_AT) and place is not None:
                object.__setattr__(inner, MADE_AT, place)
            dataset = inner
            continue
        yield dataset
        inputs = dataset._inputs()
        if not inputs:
            return
        dataset = inputs[0]


def faults(stages: list[Any]) -> Iterator[tuple[str, Any, list[str]]]:
    """What is wrong with a pipeline, at which stage, and what the function of that runs.

    "serial" for a heavy map on one core, "order" for one that could take batches, "prefetch"
    where the next batch is made when it is asked for.
    """
    is_tuned = _is_tuned(stages)
    batch_after = False
    is_prefetched = False
    for number, stage in enumerate(stages):
        name = type(stage).__name__
        if "Prefetch" in name:
            is_prefetched = True
        if "Batch" in name:
            batch_after = True
        elif "Map" in name and hasattr(stage, "_map_func"):
            kinds = _kinds(stage)
            is_serial = name.lstrip("_") == "MapDataset"
            if is_serial and _has(kinds, HEAVY) and not (is_tuned and not _is_stateful(stage)):
                yield "serial", stage, _told(kinds)
            if batch_after and name.lstrip("_") in MAPS and _takes_batches(kinds):
                yield "order", stage, _told(kinds)
            batch_after = False
        elif not any(word in name for word in PASSES):
            batch_after = False
        last = number == len(stages) - 1
        if last and not is_prefetched and not is_tuned and len(stages) > 1:
            root = next((one for one in stages if "Options" not in type(one).__name__), stage)
            yield "prefetch", root, []


def _takes_batches(kinds: set[str]) -> bool:
    return bool(kinds) and not _has(kinds, ONE_AT_A_TIME)


def sizes_of_same(stages: list[Any]) -> Mapping[Place, int]:
    """The maps that make the same of the same elements whenever a pipeline is gone through, and
    the bytes of all that each makes; none where any is cached, or that is not known."""
    found: dict[Place, int] = {}
    for stage in reversed(stages):
        name = type(stage).__name__
        if "Cache" in name or "Generator" in name:
            return {}
        if not hasattr(stage, "_map_func"):
            continue
        if _is_stateful(stage):
            break
        place, size = place_of(stage), _bytes_of(stage)
        if name.lstrip("_") in MAPS and place is not None and size:
            found[place] = size
    return found


def bytes_of_element(stage: Any) -> int:
    """The bytes of an element, 0 where these are not known before it is made."""
    flatten: Any = sys.modules["tensorflow.python.data.util.nest"].flatten
    each = 0
    for spec in flatten(stage.element_spec):
        numbers = getattr(getattr(spec, "shape", None), "num_elements", lambda: None)()
        if not numbers or not spec.dtype.size:
            return 0
        each += numbers * spec.dtype.size
    return each


def _bytes_of(stage: Any) -> int:
    """The bytes of all elements of a stage; 0 where that is not known before they are made."""
    return max(0, int(stage.cardinality().numpy())) * bytes_of_element(stage)


def _is_tuned(stages: list[Any]) -> bool:
    """Whether TensorFlow may make maps parallel and add a prefetch by itself, as it does."""
    for stage in stages:
        options = getattr(stage, "_options_attr", None)
        if options is None:
            continue
        best = options.experimental_optimization
        if options.autotune.enabled is False or best.apply_default_optimizations is False:
            return False
    return True


def _kinds(stage: Any) -> set[str]:
    graph = stage._map_func.function.graph
    return {str(operation.type) for operation in graph.get_operations()} - {
        "Placeholder",
        "Identity",
        "Const",
        "NoOp",
    }


def _is_stateful(stage: Any) -> bool:
    graph = stage._map_func.function.graph
    return any(
        operation.op_def is not None and operation.op_def.is_stateful
        for operation in graph.get_operations()
        if operation.type not in ("Placeholder", "NoOp")
    )


def _has(kinds: set[str], starts: tuple[str, ...]) -> bool:
    return any(kind.startswith(starts) for kind in kinds)


def _told(kinds: set[str]) -> list[str]:
    heavy = sorted(kind for kind in kinds if kind.startswith(HEAVY))
    return [*heavy, *sorted(kinds - set(heavy))][:5]
