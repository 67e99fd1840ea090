"""Hits, results and reports with everything that a test does not care about filled in."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from concurrent.futures import Future, wait
from pathlib import Path

from deepperf.records import Failure, Finding, Level, Location, Report, Role
from deepperf.scan.corpus import Framework, Pinned
from deepperf.scan.engines import Answer, Engine
from deepperf.scan.package import Batch, Hit, Limits, Scanned, State, Tree, Trouble
from deepperf.scan.store import Run, journal, keep, seal

SLOW = """\
import tensorflow as tf


def pipeline(paths):
    files = tf.data.Dataset.from_tensor_slices(paths)
    return files.map(tf.io.read_file).batch(8).prefetch(1)
"""


def package(
    name: str = "flowers", version: str = "1.0", file: str = "", sha256: str = ""
) -> Pinned:
    return Pinned(
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


def result(
    hits: Sequence[Hit] = (),
    package: str = "flowers",
    version: str = "1.0",
    tree: str = "",
    state: State = State.DONE,
    troubles: Sequence[Trouble] = (),
) -> Scanned:
    digest = tree or f"tree of {package} {version} {len(hits)} {hash(tuple(hits))}"
    made = Tree(digest, bytes=400, lines=10, files=1, year=2024, frameworks=("torch",))
    return Scanned(package, version, state, "", made, hits=tuple(hits), troubles=tuple(troubles))


def scan_of(name: str, engine: str = "rules") -> Run:
    return Run(name, engine, "2026-01-31", "clones", Limits())


def stored(store: Path, name: str, *results: Scanned, engine: str = "rules") -> Path:
    """A store with a run over just these results."""
    run = scan_of(name, engine)
    with journal(store, run) as rows:
        for one in results:
            keep(rows, one)
    seal(store, run)
    return store


def results_of(*hits: Hit) -> list[Scanned]:
    """A result for each package of `hits`, with just these."""
    packages = sorted({(one.package, one.version) for one in hits})
    return [
        result([one for one in hits if (one.package, one.version) == key], *key) for key in packages
    ]


def engine_of(work: object, slots: int = 2) -> Engine:
    """An engine whose batches are done, by the function `work`, as soon as they are submitted."""

    def submit(batch: Batch) -> Answer:
        answer: Answer = Future()
        try:
            answer.set_result(work(batch))  # type: ignore[operator]
        except Exception as error:  # noqa: BLE001 - as engines do
            answer.set_exception(error)
        return answer

    return Engine(submit, wait, slots)


def each(batch: Batch) -> tuple[Scanned, ...]:
    """A result without findings for every package of a batch."""
    return tuple(result((), one.name, one.version) for one in batch.packages)


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


def report(path: str, *findings: Finding, failures: Iterable[Failure] = ()) -> Report:
    return Report(path, findings=findings, failures=tuple(failures))
