"""`scan fetch` and `scan run`."""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from deepperf.scan.package import MEMORY, SECONDS
from deepperf.scan.verbs.options import (
    JUDGEMENTS,
    corpus_options,
    gigabytes,
    packages_folder,
    positive,
    require,
    show,
    store_option,
)

if TYPE_CHECKING:
    from deepperf.scan.corpus import Pinned
    from deepperf.scan.engines import Engine
    from deepperf.scan.package import Package, Scanned


def prepare(verbs: Any) -> None:
    """Declare both."""
    fetch = verbs.add_parser("fetch", help="download the pinned packages, running nothing of them")
    corpus_options(fetch)
    fetch.set_defaults(scan_run=_fetch)

    run = verbs.add_parser("run", help="check many packages with all rules, and keep the results")
    corpus_options(run)
    _sources(run)
    store_option(run)
    run.add_argument(
        "--run", dest="run_name", metavar="NAME", help="what the run is called (date and rules)"
    )
    run.add_argument("--engine", choices=("local", "dask", "ray"), default="local")
    run.add_argument("--scheduler", default="", metavar="ADDRESS", help="of a Dask cluster")
    run.add_argument("--address", default="", metavar="ADDRESS", help="of a Ray cluster")
    run.add_argument("--workers", type=positive, default=os.cpu_count() or 1, metavar="N")
    run.add_argument(
        "--memory", type=gigabytes, default=MEMORY, metavar="GIB", help="for one package (3)"
    )
    run.add_argument(
        "--seconds", type=float, default=SECONDS, metavar="S", help="CPU time for one package (60)"
    )
    run.set_defaults(scan_run=_run)


def _sources(run: argparse.ArgumentParser) -> None:
    group = run.add_argument_group("what to scan", "the pinned packages, unless one is named")
    add = group.add_argument
    add("--pinned", action="store_true", help="the pinned packages, beside what else is named")
    add("--clones", type=Path, nargs="+", default=[], metavar="DIR", help="folders of clones")
    add("--installed", type=Path, metavar="DIR", help="all that is installed in a site-packages")
    add("--index", type=Path, metavar="FILE", help="lines name==version, of the package index")
    add("--archives", type=Path, metavar="FILE", help="lines with paths of archives")
    add("--judged", type=Path, metavar="DIR", help="the judged commits, of clones in a folder")
    add("--largest", type=float, metavar="MB", help="leave larger packages out")


def _chosen(arguments: argparse.Namespace) -> tuple[Pinned, ...]:
    from deepperf.scan.corpus import choose, load_corpus

    require(arguments.corpus)
    return choose(load_corpus(arguments.corpus), arguments.packages)


def _fetch(arguments: argparse.Namespace) -> None:
    from deepperf.scan.corpus import CorpusError
    from deepperf.scan.fetch import fetch, index_finder
    from deepperf.scan.progress import progress

    packages = _chosen(arguments)
    folder = packages_folder(arguments.corpus)
    finder = index_finder()
    problems: list[str] = []
    with progress("fetching", len(packages)) as advance:
        for package in packages:
            try:
                fetch(package, folder, finder)
            except CorpusError as error:
                problems.append(str(error))
            advance(package.key, 1)
    if problems:
        raise CorpusError("; ".join(problems))


def _run(arguments: argparse.Namespace) -> None:
    import datetime

    from deepperf.scan.make import engine_digest
    from deepperf.scan.package import Limits
    from deepperf.scan.progress import progress
    from deepperf.scan.report import run_tables
    from deepperf.scan.run import one_of_each, run_scan, this_machine, versions, weight
    from deepperf.scan.store import Run

    every = tuple(_packages(arguments))
    packages = one_of_each(one for one in every if _is_small(one, arguments.largest))
    today = datetime.datetime.now(datetime.timezone.utc).date().isoformat()
    engine = engine_digest()
    run = Run(
        name=arguments.run_name or f"{today}-{engine[:8]}",
        engine=engine,
        date=today,
        source=", ".join(_source_words(arguments)),
        limits=Limits(arguments.memory, arguments.seconds),
        via=arguments.engine,
        workers=arguments.workers,
        machine=this_machine(),
        versions=versions(),
    )
    weights = {one.key: weight(one) for one in packages}
    total = sum(weights.values())
    with _engine(arguments) as slots, progress("scanning", total) as advance:

        def told(result: Scanned) -> None:
            advance(result.package, weights[result.key])

        run_scan(packages, arguments.store, run, slots, told)
    show(run_tables(arguments.store, run.name))


def _packages(arguments: argparse.Namespace) -> Iterator[Package]:
    from deepperf.scan.sources.archives import archives
    from deepperf.scan.sources.folders import clones, installed
    from deepperf.scan.sources.index import index
    from deepperf.scan.sources.pinned import judged, pinned

    if arguments.pinned or not any(_source_words(arguments)):
        yield from pinned(_chosen(arguments), packages_folder(arguments.corpus))
    yield from clones(arguments.clones)
    if arguments.installed:
        yield from installed(arguments.installed)
    if arguments.archives:
        yield from archives(arguments.archives)
    if arguments.index:
        from deepperf.scan.fetch import index_finder

        yield from index(arguments.index, arguments.store / "downloads", index_finder())
    if arguments.judged:
        from deepperf.scan.judgements import load_judgements

        require(JUDGEMENTS)
        yield from judged(load_judgements(JUDGEMENTS.glob("*.toml")), arguments.judged)


def _source_words(arguments: argparse.Namespace) -> list[str]:
    kinds = ("pinned", "clones", "installed", "archives", "index", "judged")
    return [kind for kind in kinds if getattr(arguments, kind)]


def _is_small(package: Package, largest: float | None) -> bool:
    return largest is None or package.size <= largest * 1e6


def _engine(arguments: argparse.Namespace) -> AbstractContextManager[Engine]:
    if arguments.engine == "dask":
        from deepperf.scan.engines.dask import dask

        return dask(arguments.scheduler, arguments.workers)
    if arguments.engine == "ray":
        from deepperf.scan.engines.ray import ray

        return ray(arguments.address, arguments.workers)
    from deepperf.scan.engines.local import local

    return local(arguments.workers)
