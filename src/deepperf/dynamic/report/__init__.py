"""The report on a run: a file per format, each with `show(trace, verdict) -> str`."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import cast

from deepperf.dynamic.diagnosis import diagnose
from deepperf.dynamic.join import joined
from deepperf.dynamic.trace import read_trace


def shown_report(path: Path, format_name: str) -> str:
    """The report on the trace at `path`, joined with static findings of the program's files.

    Raises `TraceError`.
    """
    trace = read_trace(path)
    module = importlib.import_module(f"{__name__}.{format_name}")
    return cast(str, module.show(trace, joined(trace, diagnose(trace))))
