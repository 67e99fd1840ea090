"""Traces and diagnoses made by hand, for what is said of them."""

from __future__ import annotations

import datetime
from dataclasses import replace
from pathlib import Path
from typing import Any

from deepperf.dynamic.diagnosis import Diagnosis
from deepperf.dynamic.recording.trace import OPTIMIZER_STEPS, Clock, Samples, Trace
from deepperf.dynamic.report import Verdict

SCRIPT = """import numpy as np

rows = np.ones((4000, 8))
weights = np.ones((8, 8))


def train(epochs):
    out = []
    for row in rows:
        out.append(np.sum(row))
    return out


def never(epochs):
    total = []
    for row in rows:
        total.append(np.sum(row))
    return total


train(1)
"""
HOT, COLD = 10, 17
"""The lines of `SCRIPT` at which `check` finds `per-slice-op`."""


def script(folder: Path, text: str = SCRIPT) -> Path:
    folder.mkdir(exist_ok=True)
    path = folder / "train.py"
    path.write_text(text, encoding="utf-8")
    return path


def trace_of(path: Path, **changes: Any) -> Trace:
    """A run of a script for ten seconds, of which its hot line took four."""
    points = tuple((step, 2 + 0.04 * step, 0.05, 10**8 + 10**5 * step) for step in range(1, 200))
    whole = Trace(
        command=("/usr/bin/python3", path.name, "--epochs", "1"),
        folder=str(path.parent),
        began=datetime.datetime.now(tz=datetime.timezone.utc).isoformat(timespec="seconds"),
        seconds=12.0,
        importing=2.0,
        cpu_seconds=11.0,
        coreless=0.0,
        python="3.11.7",
        versions={"numpy": "2.4.6"},
        machine={"system": "Linux", "cores": 2},
        interval=0.02,
        samples=(
            Samples(str(path), HOT, "train", 200, 200, 20),
            Samples(str(path), 21, "<module>", 500, 300, 10),
        ),
        sampled=500,
        memory=tuple((at / 10, 10**8 + at * 10**6) for at in range(120)),
        clocks=(Clock(OPTIMIZER_STEPS, 199, 2.04, 9.96, points),),
        observations=(),
        reached={str(path): (HOT,)},
        problems=(),
        overhead=0.06,
        ended="exit",
    )
    return replace(whole, **changes)


def diagnosis(path: Path, line: int = HOT, share: float = 0.4, **changes: Any) -> Diagnosis:
    whole = Diagnosis(
        signal="eager-ops",
        cause="missed-efficient-api",
        file=str(path),
        line=line,
        function="train",
        message="one slice after the other is summed",
        evidence="4,000 calls of `sum` on 8 numbers",
        remedy="give `np.sum` an axis",
        share=share,
        rule="per-slice-op",
    )
    return replace(whole, **changes)


def verdict_of(*findings: Diagnosis, notes: tuple[Diagnosis, ...] = ()) -> Verdict:
    lines = (("train.py", HOT, "train", 0.4),)
    return Verdict(findings, notes, lines)
