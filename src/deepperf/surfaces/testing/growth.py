"""Counts the bytes that a test leaves allocated, by the line that allocated them."""

from __future__ import annotations

import gc
import sys
import tracemalloc
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from deepperf.dynamic.recording.places import Place, UserCode

FRAMES = 40


@contextmanager
def growth(code: UserCode) -> Iterator[Counter[Place]]:
    """What Python, NumPy, PyTorch and JAX were asked for meanwhile and still hold.

    Python does not tell who made a tensor: what tensors hold is shared out among the lines whose
    objects stay, by how many these are.
    """
    found: Counter[Place] = Counter()
    gc.collect()
    before = set(_storages())
    was_tracing = tracemalloc.is_tracing()
    if not was_tracing:
        tracemalloc.start(FRAMES)
    start = tracemalloc.take_snapshot()
    try:
        yield found
        gc.collect()
        held = sum(size for key, size in _storages().items() if key not in before)
        end = tracemalloc.take_snapshot()
    finally:
        if not was_tracing:
            tracemalloc.stop()
    objects: Counter[Place] = Counter()
    for change in end.compare_to(start, "traceback"):
        place = _place(code, change.traceback)
        if place is not None:
            found[place] += change.size_diff
            objects[place] += max(0, change.count_diff)
    for place, count in objects.items():
        found[place] += held * count // objects.total()


def _place(code: UserCode, trace: tracemalloc.Traceback) -> Place | None:
    """The innermost line of the user's; tracebacks end with what allocates."""
    for frame in reversed(trace):
        path = code.path_of(frame.filename)
        if path:
            return Place(path, frame.lineno, "")
    return None


def _storages() -> dict[int, int]:
    """The bytes of the tensors and arrays that are there, by what tells their memory apart."""
    found: dict[int, int] = {}
    torch: Any = sys.modules.get("torch")
    jax: Any = sys.modules.get("jax")
    if torch is not None:
        for one in gc.get_objects():
            if type(one) in (torch.Tensor, torch.nn.Parameter):
                storage = one.untyped_storage()
                found[storage.data_ptr()] = storage.nbytes()
    if jax is not None:
        found.update((id(one), one.nbytes) for one in jax.live_arrays())
    return found
