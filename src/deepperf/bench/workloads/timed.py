"""Runs a program as `python program.py` does, and writes what that cost, imports left out.

Called as `timed.py FRAMEWORK OUTPUT PROGRAM WORD…`. The framework is imported before the clock
starts, since importing it takes longer than what some problems cost. Processes that the program
starts count from their beginning, when they have ended.
"""

from __future__ import annotations

import importlib
import json
import resource
import runpy
import sys
import time
from collections.abc import Sequence
from pathlib import Path


def main(words: Sequence[str]) -> None:
    """Import the framework, run the program, and write seconds and bytes to the output."""
    framework, output, program, *rest = words
    sys.path[0] = str(Path(program).resolve().parent)
    importlib.import_module(framework)
    sys.argv = [program, *rest]
    began, spent = time.perf_counter(), _spent()
    runpy.run_path(program, run_name="__main__")
    cost = {
        "cpu": _spent() - spent,
        "seconds": time.perf_counter() - began,
        "peak": 1024 * max(resource.getrusage(who).ru_maxrss for who in _WHOSE),
    }
    Path(output).write_text(json.dumps(cost), encoding="utf-8")


_WHOSE = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)


def _spent() -> float:
    used = [resource.getrusage(who) for who in _WHOSE]
    return sum(one.ru_utime + one.ru_stime for one in used)


if __name__ == "__main__":
    main(sys.argv[1:])
