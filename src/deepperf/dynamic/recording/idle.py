"""Whether an event loop waits for something to do."""

from __future__ import annotations

import os
from types import FrameType

IDLE_IN = {
    ("selectors.py", "select"): ("asyncio/base_events.py", "socketserver.py"),
    ("asyncio/runners.py", "run"): ("",),
}
"""Where an event loop with nothing to do is, and who calls that: some are written in C."""


def is_idle(frame: FrameType) -> bool:
    """Whether a thread whose innermost frame this is does so."""
    for (home, name), callers in IDLE_IN.items():
        if frame.f_code.co_name == name and _file_of(frame).endswith(home):
            return any(_file_of(frame.f_back).endswith(caller) for caller in callers)
    return False


def _file_of(frame: FrameType | None) -> str:
    return "" if frame is None else frame.f_code.co_filename.replace(os.sep, "/")
