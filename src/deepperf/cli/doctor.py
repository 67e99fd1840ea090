"""`deepperf doctor`: what is installed here, and what of deepperf works with it."""

from __future__ import annotations

import argparse
import os
import platform
import sys
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from typing import NamedTuple

HELP = "say what is installed here, and what of deepperf works with it"
FRAMEWORKS = ("torch", "tensorflow", "keras", "jax", "transformers", "numpy")


class Part(NamedTuple):
    """Something that deepperf can do, the modules that it takes, and the extra that has them."""

    what: str
    modules: tuple[str, ...]
    extra: str


PARTS = (
    Part("check --format html and junit, since", ("dulwich", "jinja2", "junitparser"), "ci"),
    Part("run and report as web pages", ("jinja2",), "run"),
    Part("prove", ("jinja2", "scipy"), "prove"),
    Part("lsp, for editors", ("pygls", "lsprotocol"), "lsp"),
    Part("mcp, for assistants", ("mcp",), "mcp"),
    Part("reports to Weights & Biases", ("wandb",), "wandb"),
    Part("reports to MLflow", ("mlflow",), "mlflow"),
    Part("reports to trackio", ("trackio",), "trackio"),
    Part("reports to TensorBoard", ("tensorboardX",), "tensorboard"),
    Part("bench", ("matplotlib", "numpy", "psutil", "cpuinfo", "scipy"), "bench"),
    Part("what a GPU does, in run", ("pynvml",), "gpu"),
    Part("scan", ("duckdb", "dulwich", "jinja2", "unearth"), "scan"),
    Part("scan on a Dask cluster", ("distributed",), "dask"),
    Part("scan on a Ray cluster", ("ray",), "ray"),
    Part("study", ("Stemmer", "lxml", "matplotlib", "sklearn"), "study"),
)


def extra_of(module: str) -> str | None:
    """The smallest extra that brings a module, None where none does."""
    parts = [part for part in PARTS if module in part.modules]
    return min(parts, key=lambda part: len(part.modules)).extra if parts else None


def prepare(parser: argparse.ArgumentParser) -> None:
    """There is nothing to say."""


def run(arguments: argparse.Namespace) -> int:  # noqa: ARG001 - one signature
    """Print a line for each thing that counts; 0 if check works, else 3."""
    from rich.console import Console
    from rich.table import Table

    table = Table(box=None, pad_edge=False, show_header=False)
    problems = 0
    for row in _rows():
        problems += row[1] == "broken"
        table.add_row(*row)
    Console(width=None if sys.stdout.isatty() else 200, markup=False).print(table)
    return 3 if problems else 0


def _rows() -> Iterator[tuple[str, str, str]]:
    from deepperf import __version__

    yield "deepperf", __version__, os.path.dirname(os.path.dirname(__file__))
    yield "Python", platform.python_version(), sys.executable
    yield "system", platform.system(), _about_system()
    yield from (_check(), _cache(), _settings())
    for part in PARTS:
        missing = [name for name in part.modules if find_spec(name) is None]
        remedy = f"no {', '.join(missing)}: pip install 'deepperf[{part.extra}]'"
        yield part.what, "no" if missing else "yes", remedy if missing else ""
    for name in FRAMEWORKS:
        yield f"{name}, for run and prove", _version(name), ""


def _about_system() -> str:
    if platform.system() == "Linux":
        return ""
    return "tried on Linux only; check needs nothing of it, run knows less here, prove needs it"


def _check() -> tuple[str, str, str]:
    """Whether the rules load, and find what they should."""
    from deepperf.check.run import check_text

    text = "import tensorflow as tf\nfor x in range(1000):\n    tf.function(lambda y: y)(x)\n"
    report = check_text(text)
    failures = "; ".join(failure.message for failure in report.failures)
    works = bool(report.findings) and not failures
    return "check", "yes" if works else "broken", failures


def _cache() -> tuple[str, str, str]:
    from pathlib import Path

    from deepperf.check.cache import cache_folder

    folder = cache_folder(Path.cwd()).parent
    near = folder
    while not near.exists() and near != near.parent:
        near = near.parent
    return "cache", "yes" if os.access(near, os.W_OK) else "not writable", str(folder)


def _settings() -> tuple[str, str, str]:
    from pathlib import Path

    from deepperf.config.load import load_options
    from deepperf.config.options import WrongUse

    try:
        _, path = load_options(Path.cwd())
    except WrongUse as error:
        return "settings", "broken", str(error)
    return "settings", "defaults" if path is None else "yes", str(path or "")


def _version(name: str) -> str:
    for distribution in (name, f"{name}-cpu", f"{name}_cpu"):
        try:
            return version(distribution)
        except PackageNotFoundError:
            continue
    return "no"
