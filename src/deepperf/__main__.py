"""`python -m deepperf`."""

from __future__ import annotations

from deepperf.cli.main import program

if __name__ == "__main__":
    program()
