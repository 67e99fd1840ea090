"""Checks every file of installed packages and of the standard library with its test data:
`python -m benchmarks.robustness`.

Ends with status 1 if a file has no report or something of ours crashed.
"""

from __future__ import annotations

import argparse
import re
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.subjects import (
    STANDARD_LIBRARY,
    NotInstalled,
    Subject,
    copy_of,
    installed_folder,
    python_files,
)
from deepperf.records import Report

PACKAGES = ("tensorflow", "torch", "keras", "transformers", "jax", STANDARD_LIBRARY)

Check = Callable[[Sequence[Path]], Iterable[Report]]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What checking a tree gave: failures by kind, crashes of ours, files without a report."""

    subject: Subject
    findings: int
    kinds: tuple[tuple[str, int], ...]
    crashes: tuple[str, ...]
    lost: tuple[str, ...]

    @property
    def is_sound(self) -> bool:
        return not self.crashes and not self.lost


def examine(subject: Subject, check: Check) -> Outcome:
    """Check every file of `subject`, each named by itself, so that none is left out."""
    files = list(python_files(subject.folder))
    reports = list(check(files))
    reported = {Path(report.path).resolve() for report in reports}
    failures = [failure for report in reports for failure in report.failures]
    return Outcome(
        subject=subject,
        findings=sum(len(report.findings) for report in reports),
        kinds=tuple(Counter(kind(failure.message) for failure in failures).most_common()),
        crashes=tuple(
            f"{failure.location}: {failure.message}" for failure in failures if failure.internal
        ),
        lost=tuple(str(path) for path in files if path.resolve() not in reported),
    )


def kind(message: str) -> str:
    """A message without the names and numbers in it."""
    return re.sub(r"\d+", "N", re.sub(r"'[^']*'|\"[^\"]*\"|`[^`]*`", "'…'", message))


def _check_with_all_rules(files: Sequence[Path]) -> Iterable[Report]:
    from deepperf.check.paths import check_paths
    from deepperf.config.options import Options
    from deepperf.records import Level

    return check_paths(files, Options(preview=True, level=Level.NOTE, cache=False))


def main(words: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.robustness", description=__doc__)
    parser.add_argument("--packages", nargs="*", default=list(PACKAGES), metavar="NAME")
    parser.add_argument(
        "--also", nargs="*", type=Path, default=[], metavar="FOLDER", help="Python 2 sources, say"
    )
    arguments = parser.parse_args(words)
    try:
        sources = [(name, installed_folder(name)) for name in arguments.packages]
    except NotInstalled as error:
        parser.error(str(error))
    sources += [(folder.absolute().name, folder) for folder in arguments.also]
    sound = True
    for name, source in sources:
        with tempfile.TemporaryDirectory(prefix="deepperf-robustness-") as scratch:
            outcome = examine(copy_of(name, source, Path(scratch)), _check_with_all_rules)
        print("\n".join(_lines(outcome)), flush=True)
        sound = sound and outcome.is_sound
    return 0 if sound else 1


def _lines(outcome: Outcome) -> Iterable[str]:
    subject = outcome.subject
    yield (
        f"{subject.name}: {subject.files:,} files, {subject.lines:,} lines, "
        f"{outcome.findings:,} findings, {len(outcome.crashes)} crashes, {len(outcome.lost)} lost"
    )
    for text, count in outcome.kinds:
        yield f"  {count:5} x {text}"
    for crash in outcome.crashes:
        yield f"  CRASH {crash}"
    for path in outcome.lost:
        yield f"  LOST {path}"


if __name__ == "__main__":
    sys.exit(main())
