"""What is told of a proof: a file per format, each with `show(proof, screen) -> str`."""

from __future__ import annotations

import importlib
import os
from collections.abc import Iterator
from typing import cast

from deepperf.check.sources import written
from deepperf.dynamic.report import Screen, duration
from deepperf.outputs.diff import Change as Shown
from deepperf.outputs.diff import git_patch
from deepperf.outputs.results import counted
from deepperf.prove.measuring import CUT_OFF, INTERRUPTED, OUT_OF_TIME, Judged
from deepperf.prove.offer import Quantity
from deepperf.prove.proving import Proof

NOT_BEGUN = (OUT_OF_TIME, INTERRUPTED)
"""What is said of candidates of which there is no more to say."""


def shown(proof: Proof, format_name: str, screen: Screen) -> str:
    """A proof in one of the formats."""
    module = importlib.import_module(f"{__name__}.{format_name}")
    return cast(str, module.show(proof, screen))


def patch_of(proof: Proof) -> bytes:
    """What is proven as `git apply` takes it in the folder where the program was started."""
    here = os.path.realpath(proof.request.folder)
    parts = []
    for path, after in sorted(proof.change.files.items()):
        source = proof.sources[path]
        inside = os.path.relpath(proof.root / path, here).replace(os.sep, "/")
        name = path if inside.startswith("../") else inside
        before = written(source, source.text)
        parts.append(git_patch(Shown(name, before, after, source.encoding)))
    return b"".join(parts)


def command_of(proof: Proof) -> str:
    """The command, as it was given."""
    import shlex

    return f"python {shlex.join(proof.request.words)}"


def measured_as(judged: Judged) -> str:
    """What was compared, in words."""
    return {
        Quantity.CPU: "",
        Quantity.WALL: "of the time",
        Quantity.STEP: "per step",
        Quantity.PACE: "per step",
        Quantity.MEMORY: "of the peak of memory",
    }[judged.quantity]


def whole_runs(judged: Judged) -> str:
    """What whole runs took where steps are compared by a clock, else ""."""
    if judged.whole is None:
        return ""
    before, after = judged.whole
    return f"whole runs {duration(before)} → {duration(after)}"


def remarks(proof: Proof) -> Iterator[str]:
    """What who reads the numbers has to know."""
    if proof.interrupted:
        open_ones = sum(judged.said in (INTERRUPTED, CUT_OFF) for _, judged in proof.tried)
        were = "was" if open_ones == 1 else "were"
        yield (
            f"this report is partial: it was interrupted, and {open_ones} of "
            f"{counted(len(proof.tried), 'candidate')} {were} not decided"
        )
    yield from proof.remarks
    if proof.machine.accelerators:
        yield "memory is what the framework held on the accelerator"
    if any(judged.quantity is Quantity.PACE for _, judged in proof.tried):
        yield (
            "times per step are those of the accelerator's clock, from the middle of the steps to "
            "the end of the program"
        )
    stalled = sum(judged.pairs.set_aside for _, judged in proof.tried)
    if stalled:
        yield f"{stalled} pairs were set aside: others had all cores for a part of them"
