"""Measures what `deepperf run` costs the program that it watches: `python -m benchmarks.overhead`.

Ordinary trainings run while recording is switched on and off at random, with processor time
taken of each segment. Writes raw values and a table to `benchmarks/results/overhead`.
"""

from __future__ import annotations

import argparse
import datetime
import json
import platform
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks.installed import versions_of
from benchmarks.training import STEPS, TRAININGS, Training
from deepperf.bench.machine import environment, this_machine

SECONDS, QUICK = 28.0, 4.0
"""For which each training is watched."""
VERSIONED = ("tensorflow", "keras", "torch", "jax", "numpy")
SIZES = ("small", "large")
COMPARED = {"off again": "none", "always on": "always on", "with looks": "all"}
"""States, each beside "off", and what the table calls what is recorded then."""
OFF = ("off", "off again")
HEAD = ("training", "step", "recorded", "more CPU time (95 %)", "it says")


def main(words: Sequence[str] | None = None) -> int:
    arguments = _parser().parse_args(words)
    chosen = [one for one in TRAININGS if not arguments.only or arguments.only in one.name]
    seconds = QUICK if arguments.quick else arguments.seconds
    folder = arguments.output
    sizes = {one.name: [size for size in SIZES if size in one.rows] for one in chosen}
    if arguments.steps:
        folder /= "steps"
        sizes = {one.name: [*STEPS.get(one.name, ())] for one in chosen}
    rows = [row for one in chosen for row in _rows(one, sizes[one.name], seconds, _tell)]
    result = {
        "date": datetime.datetime.now(datetime.timezone.utc).date().isoformat(),
        "machine": asdict(this_machine()),
        "python": platform.python_version(),
        "versions": dict(versions_of(VERSIONED)),
        "rows": rows,
    }
    shown = markdown(result)
    print(shown)
    if not arguments.quick:
        folder.mkdir(parents=True, exist_ok=True)
        target = folder / f"{result['date']}.json"
        target.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
        target.with_suffix(".md").write_text(shown, encoding="utf-8")
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.overhead", description=__doc__)
    parser.add_argument("--seconds", type=float, default=SECONDS, help="for each row of the table")
    parser.add_argument("--quick", action="store_true", help="a few seconds each; nothing is kept")
    parser.add_argument("--steps", action="store_true", help="by the length of a step instead")
    parser.add_argument("--only", metavar="NAME", default="", help="part of a training's name")
    output = Path(__file__).parent / "results" / "overhead"
    parser.add_argument("--output", type=Path, default=output)
    return parser


def _tell(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def _rows(
    training: Training, sizes: Sequence[str], seconds: float, tell: Callable[[str], None]
) -> Iterator[dict[str, Any]]:
    """What one training cost, for each size of its steps."""
    if not sizes:
        return
    tell(f"{training.name} …")
    command = [sys.executable, "-m", "benchmarks.switched", training.name, str(seconds), *sizes]
    done = subprocess.run(command, env=environment(1), capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(done.stderr)
    for size, result in zip(sizes, json.loads(done.stdout.splitlines()[-1]), strict=True):
        yield {"training": training.name, "size": size, **result}


def markdown(result: Mapping[str, Any]) -> str:
    """A result as a table."""
    machine = result["machine"]
    versions = ", ".join(f"{name} {number}" for name, number in result["versions"].items())
    where = (
        f"Measured {result['date']} on {machine['cpu']}, {machine['cores']} cores, "
        f"{machine['system']}; Python {result['python']}, {versions}. Medians of segments with "
        "recording on beside segments with it off, in one process, one thread for each "
        "framework; *none* compares off with off, and so tells the noise."
    )
    head = [f"| {' | '.join(HEAD)} |", f"|{'---|' * len(HEAD)}"]
    cells = [f"| {' | '.join(cells)} |" for row in result["rows"] for cells in _cells(row)]
    return "\n".join([where, "", *head, *cells, ""])


def _cells(row: Mapping[str, Any]) -> Iterator[tuple[str, ...]]:
    seconds = row["seconds"]
    both = [(one + other) / 2 for one, other in zip(*(seconds[name] for name in OFF), strict=True)]
    stated = sum(row["stated"]) / len(row["stated"])
    for state, name in COMPARED.items():
        more, low, high = compared(seconds[state], seconds["off"] if state in OFF else both)
        said = f"{stated:.1%}" if state == "with looks" else ""
        yield (
            row["training"],
            f"{median(both) * 1000:.1f} ms",
            name,
            f"{more:+.1%} ({low:+.1%} to {high:+.1%})",
            said,
        )


def compared(on: Sequence[float], off: Sequence[float]) -> tuple[float, float, float]:
    """By which part `on` is more than `off`, segment beside segment: the median, and how sure."""
    import numpy as np
    from scipy import stats

    ratios = np.asarray(on) / np.asarray(off) - 1.0
    interval = stats.bootstrap(
        (ratios,), np.median, n_resamples=2000, method="percentile", random_state=0
    ).confidence_interval
    return float(np.median(ratios)), float(interval.low), float(interval.high)


if __name__ == "__main__":
    sys.exit(main())
