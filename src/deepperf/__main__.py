"""`python -m deepperf`."""

from __future__ import annotations

import sys

from deepperf.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
