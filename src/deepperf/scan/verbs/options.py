"""Options and output that several of the verbs share."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import RenderableType

STORE = Path("scans")
JUDGEMENTS = Path("corpus/judgements")
UNBOUNDED_WIDTH = 400  # of tables that go to a file or a program


def store_option(parser: argparse.ArgumentParser) -> None:
    """The folder with all scans."""
    parser.add_argument(
        "--store", type=Path, default=STORE, metavar="DIR", help="where scans are kept (scans)"
    )


def corpus_options(parser: argparse.ArgumentParser) -> None:
    """Which of the pinned packages."""
    parser.add_argument("--corpus", type=Path, default=Path("corpus/corpus.toml"), metavar="FILE")
    parser.add_argument(
        "--packages",
        nargs="+",
        default=[],
        metavar="NAME",
        help="names, name-version, or frameworks (tf1, tf2, torch, jax); all by default",
    )


def positive(text: str) -> int:
    """A whole number from 1 on."""
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError("must be at least 1")
    return number


def gigabytes(text: str) -> int:
    """Bytes, of a number of GiB."""
    return int(float(text) * 1024**3)


def packages_folder(corpus: Path) -> Path:
    """Where the pinned packages are unpacked."""
    return corpus.parent / "packages"


def require(path: Path) -> None:
    """Raises `CorpusError` where what lies in the repository is needed and not there."""
    from deepperf.scan.corpus import CorpusError

    if not path.exists():
        raise CorpusError(
            f"{path}: not here; it lies in deepperf's repository and is not installed with it: "
            "run this there, or name another file"
        )


def show(shown: RenderableType) -> None:
    """Print it as wide as it is, unless a person looks on."""
    from rich.console import Console

    # What is quoted is no markup: `x[i]` stays as it is written.
    console = Console(markup=False, highlight=False)
    if not console.is_terminal:
        console = Console(width=UNBOUNDED_WIDTH, soft_wrap=True, markup=False, highlight=False)
    console.print(shown)
