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
    "from deepperf.cli.main import program; program()",
)


class Effect(enum.Enum):
    """What a tool does to the files that it checks."""

    NONE = "none"
    REWRITES_FILES = "rewrites files"


class Scope(enum.Enum):
    """Which files of a folder a tool checks."""

    ALL = "all"
    WRITTEN_BY_PEOPLE = "written by people"


@dataclass(frozen=True, slots=True)
class Tool:
    """A command to which the folder to check is appended, and the exit statuses of success."""

    name: str
    command: tuple[str, ...]
    statuses: tuple[int, ...] = (0,)
    effect: Effect = Effect.NONE
    scope: Scope = Scope.ALL


def start_up() -> Tool:
    """deepperf telling its version: what it costs to start."""
    return Tool("deepperf --version", (*_DEEPPERF, "--version"))


def bare_start_up() -> Tool:
    """The interpreter doing nothing: what any start costs here."""
    return Tool("python -c pass", (sys.executable, "-c", "pass"))


def cold() -> Tool:
    """deepperf with every rule, on one core, remembering nothing."""
    return Tool("deepperf cold", (*_check(), "--no-cache"), scope=Scope.WRITTEN_BY_PEOPLE)


def front_end() -> Tool:
    """deepperf with a rule that hardly asks anything: what reading a tree costs it."""
    command = (*_check(), "--no-cache", "--select", "wide-early-conv")
    return Tool("deepperf, one rule", command, scope=Scope.WRITTEN_BY_PEOPLE)


def parser() -> Tool:
    """`ast.parse` of the same files and nothing else: what no use of `ast` can cost less than."""
    command = (sys.executable, str(Path(__file__).with_name("parsing.py")))
    return Tool("ast.parse", command, scope=Scope.WRITTEN_BY_PEOPLE)


def warm() -> Tool:
    """deepperf with every rule, on one core, after the same run a moment before."""
    return Tool("deepperf warm", _check(), scope=Scope.WRITTEN_BY_PEOPLE)


def ruff() -> Tool:
    """ruff with the rules of pyflakes."""
    command = (_program("ruff"), "check", "--select", "F", "--no-cache", "--isolated", "--quiet")
    return Tool("ruff F", (*command, "--exit-zero"))


def torchfix() -> Tool:
    """TorchFix with every rule, in one process: too slow for whole trees."""
    command = (_program("torchfix"), "--select", "ALL", "-j", "1")
    return Tool("TorchFix", command, (0, 1))


def original(folder: Path) -> tuple[Tool, ...]:
    """The checkers of the original DeepPerf whose scripts lie below `folder`.

    They are too slow for whole trees, and rewrite files that are not Python 3.
    """
    return tuple(
        Tool(f"original {path.stem}", (sys.executable, str(path)), effect=Effect.REWRITES_FILES)
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
