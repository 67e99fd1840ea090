"""Hits, results and reports with everything that a test does not care about filled in."""

from __future__ import annotations

from collections.abc import Sequence

from deepperf.records import Failure, Finding, Level, Location, Report, Role
from deepperf.scan.corpus import Framework, Package
from deepperf.scan.merge import ScanRun, merge
from deepperf.scan.task import Hit, Scanned


def package(
    name: str = "flowers", version: str = "1.0", file: str = "", sha256: str = ""
) -> Package:
    return Package(
        name=name,
        version=version,
        framework=Framework.TENSORFLOW_2,
        what="a classifier of flowers",
        file=file or f"{name}-{version}.tar.gz",
        sha256=sha256 or "0" * 64,
    )


def hit(
    package: str = "flowers",
    version: str = "1.0",
    path: str = "train.py",
    line: int = 3,
    rule: str = "serial-map",
    text: str = "data = data.map(decode)",
    occurrence: int = 1,
    level: str = "warning",
) -> Hit:
    return Hit(
        package=package,
        version=version,
        path=path,
        line=line,
        column=1,
        rule=rule,
        level=level,
        role="source",
        message="'data' is mapped on one core",
        text=text,
        occurrence=occurrence,
    )


def result(hits: Sequence[Hit] = (), package: str = "flowers", version: str = "1.0") -> Scanned:
    return Scanned(package, version, 1, 10, 0.5, tuple(hits), ())


def run(*hits: Hit) -> ScanRun:
    """A run over the packages of `hits`, which found just these."""
    packages = {(one.package, one.version) for one in hits}
    return merge(
        result([one for one in hits if (one.package, one.version) == key], *key) for key in packages
    )


def finding(path: str, line: int, source_line: str, rule: str = "serial-map") -> Finding:
    return Finding(
        location=Location(path, line, 1, line, 5),
        rule=rule,
        message="'data' is mapped on one core",
        remedy="pass num_parallel_calls",
        level=Level.WARNING,
        role=Role.SOURCE,
        source_line=source_line,
    )


def report(path: str, *findings: Finding, failures: Sequence[Failure] = ()) -> Report:
    return Report(path, findings=findings, failures=tuple(failures))
