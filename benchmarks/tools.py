"""The commands that are compared."""

from __future__ import annotations

import enum
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path

_DEEPPERF = (
    sys.executable,
    "-c",
    "import sys; from deepperf.cli.main import main; sys.exit(main())",
)


class Scope(enum.Enum):
    """What a tool is measured on."""

    WHOLE = "whole trees and samples"
    SAMPLE = "samples only: it is too slow for whole trees"


@dataclass(frozen=True, slots=True)
class Tool:
    """A command to which the folder to check is appended, and the exit statuses of success."""

    name: str
    command: tuple[str, ...]
    scope: Scope
    statuses: tuple[int, ...] = (0,)


def start_up() -> Tool:
    """deepperf telling its version: what it costs to start."""
    return Tool("deepperf --version", (*_DEEPPERF, "--version"), Scope.WHOLE)


def bare_start_up() -> Tool:
    """The interpreter doing nothing: what any start costs here."""
    return Tool("python -c pass", (sys.executable, "-c", "pass"), Scope.WHOLE)


def cold() -> Tool:
    """deepperf with every rule, on one core, remembering nothing."""
    return Tool("deepperf cold", (*_check(), "--no-cache"), Scope.WHOLE)


def warm() -> Tool:
    """deepperf with every rule, on one core, after the same run a moment before."""
    return Tool("deepperf warm", _check(), Scope.WHOLE)


def ruff() -> Tool:
    """ruff with the rules of pyflakes."""
    command = (_program("ruff"), "check", "--select", "F", "--no-cache", "--isolated", "--quiet")
    return Tool("ruff F", (*command, "--exit-zero"), Scope.WHOLE)


def torchfix() -> Tool:
    """TorchFix with every rule, in one process."""
    command = (_program("torchfix"), "--select", "ALL", "-j", "1")
    return Tool("TorchFix", command, Scope.SAMPLE, (0, 1))


def original(folder: Path) -> tuple[Tool, ...]:
    """The checkers of the original DeepPerf whose scripts lie below `folder`."""
    return tuple(
        Tool(f"original {path.stem}", (sys.executable, str(path)), Scope.SAMPLE)
        for path in sorted(folder.absolute().rglob("*_detect.py"))
    )


def _check() -> tuple[str, ...]:
    return (*_DEEPPERF, "check", "--preview", "--level", "note", "--jobs", "1", "--exit-zero")


def _program(name: str) -> str:
    beside = Path(sys.executable).with_name(name)
    found = str(beside) if beside.exists() else shutil.which(name)
    if found is None:
        raise FileNotFoundError(f"{name} is not installed")
    return found
