"""What is read and judged: samples of hits, what became of them, fixes, and watched scripts."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from deepperf.scan.verbs.options import (
    JUDGEMENTS,
    packages_folder,
    positive,
    require,
    show,
    store_option,
)

STANDINGS = Path("corpus/standings.json")


def prepare(verbs: Any) -> None:
    """Declare them."""
    sample = verbs.add_parser("sample", help="draw hits of a rule, to be read and judged")
    sample.add_argument("run_name", metavar="RUN", help="the run to draw from")
    store_option(sample)
    sample.add_argument("--rule", required=True)
    sample.add_argument("--count", type=positive, default=30)
    sample.add_argument("--seed", type=int, default=0)
    sample.add_argument("--corpus", type=Path, default=Path("corpus/corpus.toml"), metavar="FILE")
    sample.add_argument("--judge", type=Path, metavar="FILE", help="write the hits here, to judge")
    sample.set_defaults(scan_run=_sample)

    fixed = verbs.add_parser("fixed", help="try places that maintainers mended, before and after")
    fixed.add_argument("clones", type=Path, help="a folder of clones, named owner+name")
    fixed.add_argument("--fixes", type=Path, default=Path("corpus/fixed/fixed.toml"))
    fixed.add_argument("--output", type=Path, metavar="FILE", help="write the table here")
    fixed.set_defaults(scan_run=_fixed)

    standing = verbs.add_parser("standing", help="what runs still report of the judged hits")
    standing.add_argument("runs", nargs="+", help="runs over the packages in which they lie")
    store_option(standing)
    standing.add_argument("--output", type=Path, default=STANDINGS, metavar="FILE")
    standing.set_defaults(scan_run=_standing)

    table = verbs.add_parser("table", help="how many judged hits of each rule are true")
    table.add_argument("judgements", type=Path, nargs="*", metavar="FILE")
    table.add_argument(
        "--run", dest="run_name", metavar="NAME", help="count what this run still reports"
    )
    store_option(table)
    table.set_defaults(scan_run=_table)

    watch = verbs.add_parser("watch", help="run public training scripts under `deepperf run`")
    watch.add_argument("names", nargs="*", metavar="SCRIPT", help="all by default")
    watch.add_argument("--scripts", type=Path, default=Path("runs/scripts.toml"), metavar="FILE")
    watch.add_argument("--judge", type=Path, metavar="FILE", help="write the findings here")
    watch.set_defaults(scan_run=_watch)


def _sample(arguments: argparse.Namespace) -> None:
    from deepperf.scan.corpus import CorpusError
    from deepperf.scan.hits import hits_of
    from deepperf.scan.judgements import questions
    from deepperf.scan.report import sample_text
    from deepperf.scan.sample import draw

    every = hits_of(arguments.store, arguments.run_name)
    hits = draw(every, arguments.rule, arguments.count, arguments.seed)
    if not hits:
        raise CorpusError(f"{arguments.run_name} holds no hit of '{arguments.rule}'")
    show(sample_text(hits, packages_folder(arguments.corpus)))
    if arguments.judge is not None:
        if arguments.judge.exists():
            raise CorpusError(f"{arguments.judge} is there already")
        arguments.judge.write_text(questions(hits), encoding="utf-8")


def _fixed(arguments: argparse.Namespace) -> None:
    from deepperf.scan.fixed import fixed_table, read_fixes, tried
    from deepperf.scan.task import check_with_all_rules

    require(arguments.fixes)
    fixes = read_fixes(arguments.fixes)
    table = fixed_table(tuple(tried(fixes, arguments.clones, check_with_all_rules)))
    if arguments.output is None:
        show(table)
    else:
        arguments.output.write_text(table, encoding="utf-8")


def _standing(arguments: argparse.Namespace) -> None:
    import datetime

    from deepperf.scan.hits import hits_of, scanned_in
    from deepperf.scan.judgements import load_judgements
    from deepperf.scan.standing import read_standings, standings, write_standings

    require(JUDGEMENTS)
    judged = load_judgements(JUDGEMENTS.glob("*.toml"))
    store = arguments.store
    scanned = frozenset().union(*(scanned_in(store, run) for run in arguments.runs))
    hits = [hit for run in arguments.runs for hit in hits_of(store, run)]
    today = datetime.datetime.now(datetime.timezone.utc).date().isoformat()
    before = read_standings(arguments.output) if arguments.output.exists() else ()
    write_standings(standings(judged, scanned, hits, today, before), arguments.output)


def _table(arguments: argparse.Namespace) -> None:
    from deepperf.scan.hits import hits_of
    from deepperf.scan.judgements import load_judgements, precision
    from deepperf.scan.report import precision_table

    if not arguments.judgements:
        require(JUDGEMENTS)
    paths: Sequence[Path] = arguments.judgements or sorted(JUDGEMENTS.glob("*.toml"))
    hits = None if arguments.run_name is None else hits_of(arguments.store, arguments.run_name)
    show(precision_table(precision(load_judgements(paths), hits)))


def _watch(arguments: argparse.Namespace) -> None:
    import json

    from deepperf.scan.corpus import CorpusError
    from deepperf.scan.fetch import fetch, index_finder
    from deepperf.scan.judgements import questions
    from deepperf.scan.progress import progress
    from deepperf.scan.scripts import load_scripts
    from deepperf.scan.watched import hits, watch

    require(arguments.scripts)
    home = arguments.scripts.parent
    every = load_scripts(arguments.scripts)
    chosen = [one for one in every if not arguments.names or one.name in arguments.names]
    if not chosen:
        raise CorpusError(f"{arguments.scripts}: no script is called {arguments.names[0]}")
    problems: list[str] = []
    results = []
    finder = index_finder()
    with progress("watching", len(chosen)) as advance:
        for script in chosen:
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
            advance(script.name, 1)
    if arguments.judge is not None:
        arguments.judge.write_text(questions(hits(results)), encoding="utf-8")
    if problems:
        raise CorpusError("; ".join(problems))
