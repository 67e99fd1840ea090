"""One fresh process: runs one side of a pair with its workload, and says what it cost.

The workload's source runs first, so that it can import what the example takes for granted and
make its inputs; the side's source runs next, in the same namespace. The workload may define

- `setup()`: called once, after the side's source, not measured;
- `work()`: what is measured; it returns a value on which both sides must agree. Where there is
  no `work()`, running the side's source is what is measured, and `result()` gives the value;
- `count()`: a number that grows with the quantity QUANTITY; what counts is by how much it grew.
"""

from __future__ import annotations

import importlib
import json
import os
import re
import statistics
import sys
import time
import types
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

ENOUGH_SECONDS = 0.3
ENOUGH_CALLS = 50
FRAMEWORKS = ("tensorflow", "keras", "torch", "jax", "transformers", "numpy")


def main(arguments: list[str]) -> int:
    """Run the job described by the JSON file given, and write what it cost beside it.

    The job names the source files `side` and `workload`, the `framework`, the only `core` to
    use, and `quantity`, `counts` and `warm_ups` of the plan. Results go to `results.npz`, the
    rest to `out.json`.
    """
    job = json.loads(Path(arguments[0]).read_text(encoding="utf-8"))
    if job["core"] is not None:
        os.sched_setaffinity(0, {job["core"]})
    # This file's own folder would shadow what the example imports.
    sys.path[0] = str(Path(job["side"]).parent)
    if job["framework"]:
        importlib.import_module(job["framework"])
    value, result = run(job)
    leaves = list(flatten(result))
    folder = Path(arguments[0]).parent
    import numpy

    arrays = {str(index): numpy.asarray(leaf) for index, (_, leaf) in enumerate(leaves)}
    if any(array.dtype.hasobject for array in arrays.values()):
        raise TypeError("the workload returns what is neither numbers nor text")
    numpy.savez(folder / "results.npz", **arrays)
    versions = {
        name: str(getattr(sys.modules[name], "__version__", ""))
        for name in FRAMEWORKS
        if name in sys.modules
    }
    out = {"value": value, "versions": versions, "structure": [place for place, _ in leaves]}
    (folder / "out.json").write_text(json.dumps(out), encoding="utf-8")
    return 0


def run(job: dict[str, Any]) -> tuple[float, object]:
    """What the side cost in the plan's unit, and the value both sides must agree on."""
    # A module that can be found by name: pickling and inspection work as in a user's program.
    module = types.ModuleType("example")
    sys.modules["example"] = module
    namespace = module.__dict__
    _execute(job["workload"], namespace)
    side_is_measured = "work" not in namespace
    if side_is_measured:
        _call(namespace, "setup")

        def work() -> object:
            _execute(job["side"], namespace)
            return _call(namespace, "result")
    else:
        _execute(job["side"], namespace)
        _call(namespace, "setup")
        work = namespace["work"]
    result = None
    for _ in range(job["warm_ups"]):
        result = work()
    values: list[float] = []
    started = time.perf_counter()
    meter = _meter(job, namespace)
    while not values or (
        not job["counts"]
        and job["quantity"] != "memory"
        and not side_is_measured
        and len(values) < ENOUGH_CALLS
        and time.perf_counter() - started < ENOUGH_SECONDS
    ):
        before = meter()
        result = work()
        values.append(meter() - before)
    if result is None:
        raise ValueError("the workload returns nothing to compare: work() or result() must")
    return statistics.median(values), result


def flatten(value: Any, place: str = "") -> Iterator[tuple[str, Any]]:
    """The leaves of nested dicts, lists and tuples, each with its place, in a fixed order."""
    if isinstance(value, dict):
        for key in sorted(value, key=repr):
            yield from flatten(value[key], f"{place}[{key!r}]")
    elif isinstance(value, (list, tuple)):
        for index, item in enumerate(value):
            yield from flatten(item, f"{place}[{index}]")
    else:
        yield place, value.detach().cpu() if hasattr(value, "detach") else value


def _execute(path: str, namespace: dict[str, Any]) -> None:
    code = compile(Path(path).read_text(encoding="utf-8"), path, "exec", dont_inherit=True)
    exec(code, namespace)


def _call(namespace: dict[str, Any], name: str) -> object:
    return namespace[name]() if name in namespace else None


def _meter(job: dict[str, Any], namespace: dict[str, Any]) -> Callable[[], float]:
    if job["counts"]:
        count: Callable[[], float] = namespace["count"]
        return count
    if job["quantity"] == "memory":
        return _peak_memory()
    return time.perf_counter if job["quantity"] == "time" else _cpu_seconds


def _cpu_seconds() -> float:
    """CPU time of this process's threads, and of its children that have ended."""
    children = os.times()
    return time.process_time() + children.children_user + children.children_system


def _peak_memory() -> Callable[[], float]:
    """A meter of the peak of resident memory in bytes, which starts from what is held now."""
    try:
        Path("/proc/self/clear_refs").write_text("5", encoding="ascii")
    except OSError:
        import resource

        unit = 1 if sys.platform == "darwin" else 1024
        return lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit

    def peak() -> float:
        match = re.search(r"VmHWM:\s+(\d+) kB", Path("/proc/self/status").read_text("ascii"))
        return int(match[1]) * 1024 if match else 0

    return peak


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
