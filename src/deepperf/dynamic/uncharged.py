"""What the samples of a run cannot say of a line: where else its cost may have arisen."""

from __future__ import annotations

from collections.abc import Sequence

from deepperf.dynamic.diagnosis import FLOOR, share_of_ways
from deepperf.dynamic.frameworks.cuda_window import WINDOW
from deepperf.dynamic.processes import cpu_seconds_of, unwatched_seconds
from deepperf.dynamic.recording.accelerators import SEEN
from deepperf.dynamic.recording.trace import Trace
from deepperf.dynamic.signals.recompilation import TORCH
from deepperf.records import Finding

BACKWARD = "backward"
FAMILY = "torch"
"""The framework whose operations run at their line, unless it compiles them, and have parts that
run later: in the backward pass, and on a device."""
LINUX = "Linux"


def unsaid_of(processes: Sequence[Trace], finding: Finding) -> str:
    """Why a line of which samples show little may cost much all the same; "" where it cannot."""
    trace = processes[0]
    if any(one.unwatched >= FLOOR * one.seconds for one in processes):
        return "a part of the run was not watched"
    if unwatched_seconds(processes) >= FLOOR * cpu_seconds_of(processes):
        return "some processes were not watched"
    # Elsewhere no clock of a thread can be read, and only the main one is charged.
    if trace.threads and not str(trace.machine.get("system", "")).startswith(LINUX):
        return "threads are not watched on this system"
    return _unsaid_of_torch(processes) if finding.framework == FAMILY else ""


def _unsaid_of_torch(processes: Sequence[Trace]) -> str:
    kinds = {seen.kind: seen for trace in processes for seen in trace.observations}
    if TORCH in kinds:
        return "what PyTorch compiled does not run at its line"
    if WINDOW in kinds or (SEEN in kinds and kinds[SEEN].detail.get("busy", 0.0)):
        return "what it costs the device is not known"
    if any(share_of_ways(trace, BACKWARD) >= FLOOR for trace in processes):
        return "what it adds to the backward pass is not known"
    return ""
