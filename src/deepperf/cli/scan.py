"""`deepperf scan`: try the rules on a corpus of public packages."""

from __future__ import annotations

import argparse
import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.progress import Progress

    from deepperf.scan.corpus import Package

HELP = "try the rules on a corpus of public packages"
JUDGEMENTS = Path("corpus/judgements")
STANDINGS = Path("corpus/standings.json")
UNBOUNDED_WIDTH = 400  # of tables that go to a file or a program


def prepare(parser: argparse.ArgumentParser) -> None:
    """Declare the verb's own verbs and options."""
    verbs = parser.add_subparsers(dest="scan_verb", required=True, metavar="verb")

    fetch = verbs.add_parser("fetch", help="download the pinned packages, running nothing of them")
    _corpus_options(fetch)
    fetch.set_defaults(scan_run=_fetch)

    run = verbs.add_parser("run", help="check every package with all rules")
    _corpus_options(run)
    run.add_argument("--output", type=Path, metavar="FILE", help="write the hits here (JSON lines)")
    run.add_argument("--jobs", type=_positive, default=os.cpu_count() or 1, metavar="N")
    run.set_defaults(scan_run=_run)

    diff = verbs.add_parser("diff", help="alarms gained and lost between two runs")
    diff.add_argument("old", type=Path)
    diff.add_argument("new", type=Path)
    diff.set_defaults(scan_run=_diff)

    sample = verbs.add_parser("sample", help="draw hits of a rule, to be read and judged")
    sample.add_argument("hits", type=Path, help="what `scan run --output` wrote")
    sample.add_argument("--rule", required=True)
    sample.add_argument("--count", type=_positive, default=30)
    sample.add_argument("--seed", type=int, default=0)
    sample.add_argument("--corpus", type=Path, default=Path("corpus/corpus.toml"), metavar="FILE")
    sample.add_argument("--judge", type=Path, metavar="FILE", help="write the hits here, to judge")
    sample.set_defaults(scan_run=_sample)

    fixed = verbs.add_parser("fixed", help="try places that maintainers mended, before and after")
    fixed.add_argument("clones", type=Path, help="a folder of clones, named owner+name")
    fixed.add_argument("--fixes", type=Path, default=Path("corpus/fixed/fixed.toml"))
    fixed.add_argument("--output", type=Path, metavar="FILE", help="write the table here")
    fixed.set_defaults(scan_run=_fixed)

    clones = verbs.add_parser("clones", help="check the judged repositories, from clones of them")
    clones.add_argument("clones", type=Path, help="the folder of clones, each named owner+name")
    clones.add_argument("--output", type=Path, required=True, metavar="FILE")
    clones.set_defaults(scan_run=_clones)

    standing = verbs.add_parser("standing", help="what runs still report of the judged hits")
    standing.add_argument("hits", type=Path, nargs="+", help="what `scan run --output` wrote")
    standing.add_argument("--output", type=Path, default=STANDINGS, metavar="FILE")
    standing.set_defaults(scan_run=_standing)

    table = verbs.add_parser("table", help="how many judged hits of each rule are true")
    table.add_argument("judgements", type=Path, nargs="*", metavar="FILE")
    table.add_argument(
        "--hits", type=Path, metavar="FILE", help="count what this run still reports"
    )
    table.set_defaults(scan_run=_table)

    watch = verbs.add_parser("watch", help="run public training scripts under `deepperf run`")
    watch.add_argument("names", nargs="*", metavar="SCRIPT", help="all by default")
    watch.add_argument("--scripts", type=Path, default=Path("runs/scripts.toml"), metavar="FILE")
    watch.add_argument("--judge", type=Path, metavar="FILE", help="write the findings here")
    watch.set_defaults(scan_run=_watch)


def run(arguments: argparse.Namespace) -> int:
    """Do what was asked. Raises `WrongUse` naming what of it cannot be done."""
    _require_data(arguments)
    arguments.scan_run(arguments)
    return 0


def _require_data(arguments: argparse.Namespace) -> None:
    """Raises `CorpusError` where what lies in the repository is needed and not there."""
    from deepperf.scan.corpus import CorpusError

    verb = arguments.scan_run
    needed = [getattr(arguments, name, None) for name in ("fixes", "scripts")]
    if verb in (_fetch, _run):
        needed.append(arguments.corpus)
    if verb in (_clones, _standing) or (verb is _table and not arguments.judgements):
        needed.append(JUDGEMENTS)
    for path in filter(None, needed):
        if not path.exists():
            raise CorpusError(
                f"{path}: not here; it lies in deepperf's repository and is not installed with it: "
                "run this there, or name another file"
            )


def _corpus_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--corpus", type=Path, default=Path("corpus/corpus.toml"), metavar="FILE")
    parser.add_argument(
        "--packages",
        nargs="+",
        default=[],
        metavar="NAME",
        help="names, name-version, or frameworks (tf1, tf2, torch, jax); all by default",
    )


def _positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError("must be at least 1")
    return number


def _chosen(arguments: argparse.Namespace) -> tuple[Package, ...]:
    from deepperf.scan.corpus import choose, load_corpus

    return choose(load_corpus(arguments.corpus), arguments.packages)


def _packages_folder(corpus: Path) -> Path:
    return corpus.parent / "packages"


def _fetch(arguments: argparse.Namespace) -> None:
    from deepperf.scan.corpus import CorpusError
    from deepperf.scan.fetch import fetch, index_finder

    packages = _chosen(arguments)
    folder = _packages_folder(arguments.corpus)
    finder = index_finder()
    problems: list[str] = []
    with _progress() as progress:
        overall = progress.add_task("fetching", total=len(packages))
        for package in packages:
            progress.update(overall, description=package.key)
            try:
                fetch(package, folder, finder)
            except CorpusError as error:
                problems.append(str(error))
            progress.advance(overall)
    if problems:
        raise CorpusError("; ".join(problems))


def _run(arguments: argparse.Namespace) -> None:
    from deepperf.scan.corpus import CorpusError
    from deepperf.scan.engines.local import run_tasks
    from deepperf.scan.merge import merge, write_run
    from deepperf.scan.report import run_table
    from deepperf.scan.task import Scanned, check_with_all_rules

    packages = _chosen(arguments)
    folder = _packages_folder(arguments.corpus)
    if absent := [package.key for package in packages if not package.folder(folder).is_dir()]:
        raise CorpusError(f"not fetched: {', '.join(absent)}; run `deepperf scan fetch`")
    sizes = {package: _size(package.folder(folder)) for package in packages}
    ordered = sorted(packages, key=lambda package: (-sizes[package], package.key))
    results: list[Scanned] = []
    try:
        with _progress() as progress:
            overall = progress.add_task("scanning", total=sum(sizes.values()))
            for package, scanned in run_tasks(
                ordered, folder, check_with_all_rules, arguments.jobs
            ):
                results.append(scanned)
                progress.update(overall, description=package.key, advance=sizes[package])
    finally:
        merged = merge(results)
        if arguments.output is not None and results:
            write_run(merged, arguments.output)
    _print(run_table(merged))


def _size(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*.py") if path.is_file())


def _diff(arguments: argparse.Namespace) -> None:
    from deepperf.scan.diff import difference
    from deepperf.scan.merge import read_run
    from deepperf.scan.report import difference_text

    _print(difference_text(difference(read_run(arguments.old), read_run(arguments.new))))


def _sample(arguments: argparse.Namespace) -> None:
    from deepperf.scan.corpus import CorpusError
    from deepperf.scan.judgements import questions
    from deepperf.scan.merge import read_run
    from deepperf.scan.report import sample_text
    from deepperf.scan.sample import draw

    hits = draw(read_run(arguments.hits).hits, arguments.rule, arguments.count, arguments.seed)
    if not hits:
        raise CorpusError(f"{arguments.hits} holds no hit of '{arguments.rule}'")
    _print(sample_text(hits, _packages_folder(arguments.corpus)))
    if arguments.judge is not None:
        if arguments.judge.exists():
            raise CorpusError(f"{arguments.judge} is there already")
        arguments.judge.write_text(questions(hits), encoding="utf-8")


def _fixed(arguments: argparse.Namespace) -> None:
    from deepperf.scan.fixed import fixed_table, read_fixes, tried
    from deepperf.scan.task import check_with_all_rules

    fixes = read_fixes(arguments.fixes)
    table = fixed_table(tuple(tried(fixes, arguments.clones, check_with_all_rules)))
    if arguments.output is None:
        _print(table)
    else:
        arguments.output.write_text(table, encoding="utf-8")


def _clones(arguments: argparse.Namespace) -> None:
    from deepperf.scan.clones import clone_of, files_of
    from deepperf.scan.corpus import CorpusError
    from deepperf.scan.judgements import load_judgements
    from deepperf.scan.merge import merge, write_run
    from deepperf.scan.report import run_table
    from deepperf.scan.task import check_with_all_rules, scan

    judged = load_judgements(JUDGEMENTS.glob("*.toml"))
    chosen = sorted({(one.package, one.version) for one in judged if "/" in one.package})
    problems: list[str] = []
    results = []
    with _progress() as progress:
        task = progress.add_task("scanning", total=len(chosen))
        for repository, commit in chosen:
            progress.update(task, description=repository)
            try:
                with files_of(clone_of(arguments.clones, repository), commit) as folder:
                    results.append(scan(repository, commit, folder, check_with_all_rules))
            except CorpusError as error:
                problems.append(str(error))
            progress.advance(task)
    merged = merge(results)
    write_run(merged, arguments.output)
    _print(run_table(merged))
    if problems:
        raise CorpusError("; ".join(problems))


def _standing(arguments: argparse.Namespace) -> None:
    import datetime

    from deepperf.scan.judgements import load_judgements
    from deepperf.scan.merge import read_run
    from deepperf.scan.standing import read_standings, standings, write_standings

    judged = load_judgements(JUDGEMENTS.glob("*.toml"))
    results = [result for path in arguments.hits for result in read_run(path).results]
    today = datetime.datetime.now(datetime.timezone.utc).date().isoformat()
    before = read_standings(arguments.output) if arguments.output.exists() else ()
    write_standings(standings(judged, results, today, before), arguments.output)


def _table(arguments: argparse.Namespace) -> None:
    from deepperf.scan.judgements import load_judgements, precision
    from deepperf.scan.merge import read_run
    from deepperf.scan.report import precision_table

    paths: Sequence[Path] = arguments.judgements or sorted(JUDGEMENTS.glob("*.toml"))
    hits = None if arguments.hits is None else read_run(arguments.hits).hits
    _print(precision_table(precision(load_judgements(paths), hits)))


def _watch(arguments: argparse.Namespace) -> None:
    import json

    from deepperf.scan.corpus import CorpusError
    from deepperf.scan.fetch import fetch, index_finder
    from deepperf.scan.judgements import questions
    from deepperf.scan.scripts import load_scripts
    from deepperf.scan.watched import hits, watch

    home = arguments.scripts.parent
    every = load_scripts(arguments.scripts)
    chosen = [one for one in every if not arguments.names or one.name in arguments.names]
    if not chosen:
        raise CorpusError(f"{arguments.scripts}: no script is called {arguments.names[0]}")
    problems: list[str] = []
    results = []
    finder = index_finder()
    with _progress() as progress:
        task = progress.add_task("watching", total=len(chosen))
        for script in chosen:
            progress.update(task, description=script.name)
            try:
                if script.package is not None:
                    fetch(script.package, home / "packages", finder)
                result = watch(script, home, home / "packages")
            except CorpusError as error:
                problems.append(str(error))
            else:
                results.append(result)
                stored = home / "results" / f"{script.name}.json"
                stored.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
            progress.advance(task)
    if arguments.judge is not None:
        arguments.judge.write_text(questions(hits(results)), encoding="utf-8")
    if problems:
        raise CorpusError("; ".join(problems))


def _progress() -> Progress:
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        Progress,
        TaskProgressColumn,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    console = Console(stderr=True)
    return Progress(
        TextColumn("{task.description:32}"),
        BarColumn(),
        TaskProgressColumn(),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
        console=console,
        disable=not console.is_terminal,
    )


def _print(shown: RenderableType) -> None:
    from rich.console import Console

    # What is quoted is no markup: `x[i]` stays as it is written.
    console = Console(markup=False, highlight=False)
    if not console.is_terminal:
        console = Console(width=UNBOUNDED_WIDTH, soft_wrap=True, markup=False, highlight=False)
    console.print(shown)
