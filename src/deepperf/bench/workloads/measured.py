"""What was measured of a workload and said of it, as it is kept beside the others."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from deepperf.bench.workloads.said import Said
from deepperf.bench.workloads.trial import Trial

FORMAT = 1
Pairs = tuple[tuple[Trial, Trial], ...]
"""Trials of the written program, each with that of a variant that ran next to it."""
Sides = Mapping[str, Mapping[str, tuple[Said, ...]]]
"""By `written` or `tuned`, then by the tool."""


@dataclass(frozen=True, slots=True)
class Measured:
    """A workload on one day: pairs by `tuned` or the problem mended, and what tools said.

    `first` is what they said when they first saw the programs, `first_date` when that was.
    """

    name: str
    date: str = ""
    deepperf: str = ""
    machine: Mapping[str, Any] = field(default_factory=dict)
    versions: Mapping[str, str] = field(default_factory=dict)
    pairs: Mapping[str, Pairs] = field(default_factory=dict)
    said: Sides = field(default_factory=dict)
    first: Sides = field(default_factory=dict)
    first_date: str = ""
    remarks: tuple[str, ...] = ()


def saved(pairs: Pairs) -> tuple[float, float, float]:
    """The part of the CPU time that is saved: by the mean ratio, and by the extreme pairs."""
    logs = [math.log(after.cpu / before.cpu) for before, after in pairs]
    middle = math.exp(math.fsum(logs) / len(logs))
    return 1 - middle, 1 - math.exp(max(logs)), 1 - math.exp(min(logs))


def peak_ratio(pairs: Pairs) -> float:
    """How many times the memory of the variant the written program took."""
    return max(before.peak for before, _ in pairs) / max(after.peak for _, after in pairs)


def read_measured(path: Path) -> Measured:
    """What is kept in `path`, or an empty measurement without it."""
    if not path.exists():
        return Measured(path.stem)
    data = json.loads(path.read_text(encoding="utf-8"))
    if data.pop("format") != FORMAT:
        raise ValueError(f"{path}: written by another version of deepperf")
    data["pairs"] = {
        name: tuple((Trial(**before), Trial(**after)) for before, after in pairs)
        for name, pairs in data["pairs"].items()
    }
    data["remarks"] = tuple(data["remarks"])
    return Measured(**data | {key: _sides(data[key]) for key in ("said", "first")})


def write_measured(path: Path, measured: Measured) -> None:
    """Keep `measured` in `path`."""
    path.parent.mkdir(parents=True, exist_ok=True)
    data = {"format": FORMAT, **asdict(measured)}
    path.write_text(json.dumps(data, indent=1) + "\n", encoding="utf-8")


def _sides(data: Mapping[str, Mapping[str, Sequence[Mapping[str, Any]]]]) -> Sides:
    return {
        side: {
            tool: tuple(Said(**{**one, "lines": tuple(one["lines"])}) for one in said)
            for tool, said in tools.items()
        }
        for side, tools in data.items()
    }
