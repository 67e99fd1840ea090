"""`python -m deepperf`."""

from __future__ import annotations

import os
import sys

if __name__ == "__main__":
    # Python put the folder we were called in first, where a `random.py` of the user's would be
    # imported, and so be run, in place of Python's own.
    sys.path[:1] = [path for path in sys.path[:1] if path not in ("", os.getcwd())]
    from deepperf.cli.main import program

    program()
