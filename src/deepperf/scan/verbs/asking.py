"""`scan query`, `diff`, `report`, `convert` and `simulate`: what is done with scans."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from deepperf.scan.verbs.options import JUDGEMENTS, positive, show, store_option

FEW = 200


def prepare(verbs: Any) -> None:
    """Declare them."""
    query = verbs.add_parser("query", help="ask the scans in SQL")
    query.add_argument(
        "sql", metavar="SQL", help="of packages, tasks, findings, troubles, judgements"
    )
    store_option(query)
    query.add_argument("--judgements", type=Path, default=JUDGEMENTS, metavar="DIR")
    query.set_defaults(scan_run=_query)

    diff = verbs.add_parser("diff", help="alarms gained and lost between two runs")
    diff.add_argument("old")
    diff.add_argument("new")
    store_option(diff)
    diff.add_argument("--most", type=positive, default=FEW, help=f"alarms shown of each ({FEW})")
    diff.set_defaults(scan_run=_diff)

    report = verbs.add_parser("report", help="write a page about a run")
    report.add_argument("run_name", metavar="RUN")
    store_option(report)
    report.add_argument("--judgements", type=Path, default=JUDGEMENTS, metavar="DIR")
    report.add_argument("--output", type=Path, required=True, metavar="FILE")
    report.set_defaults(scan_run=_report)

    convert = verbs.add_parser("convert", help="take in a run that was kept as JSON lines")
    convert.add_argument("lines", type=Path, metavar="FILE")
    convert.add_argument("--run", dest="run_name", required=True, metavar="NAME")
    store_option(convert)
    convert.set_defaults(scan_run=_convert)

    simulate = verbs.add_parser("simulate", help="say what a larger scan would take, from a run")
    simulate.add_argument(
        "run_name", metavar="RUN", help="the run whose sizes and times are drawn from"
    )
    store_option(simulate)
    simulate.add_argument("--count", type=positive, default=100_000, help="packages (100,000)")
    simulate.add_argument("--slots", type=positive, default=96, help="cores in all (96)")
    simulate.add_argument("--price", type=float, default=0.05, help="of a core's hour (0.05)")
    simulate.add_argument("--seed", type=int, default=0)
    simulate.add_argument(
        "--output", type=Path, metavar="FILE", help="write the result here (JSON)"
    )
    simulate.set_defaults(scan_run=_simulate)


def _query(arguments: argparse.Namespace) -> None:
    from deepperf.config.options import WrongUse
    from deepperf.scan.report import rows_table
    from deepperf.scan.store import asked

    judgements = arguments.judgements if "judgements" in arguments.sql else None
    with asked(arguments.store, judgements) as database:
        import duckdb

        try:
            found = database.execute(arguments.sql)
            rows = found.fetchall()
        except duckdb.Error as error:
            raise WrongUse(f"the query does not work: {error}") from None
        show(rows_table([column[0] for column in found.description or ()], rows))


def _diff(arguments: argparse.Namespace) -> None:
    from deepperf.scan.diff import difference
    from deepperf.scan.report import difference_text

    change = difference(arguments.store, arguments.old, arguments.new, arguments.most)
    show(difference_text(change))


def _report(arguments: argparse.Namespace) -> None:
    from deepperf.scan.page import page

    folder = arguments.judgements if arguments.judgements.is_dir() else None
    arguments.output.write_text(page(arguments.store, arguments.run_name, folder), encoding="utf-8")


def _convert(arguments: argparse.Namespace) -> None:
    import datetime

    from deepperf.scan.convert import read_lines
    from deepperf.scan.package import Limits
    from deepperf.scan.store import Run, journal, keep, seal

    results = read_lines(arguments.lines)
    written = datetime.datetime.fromtimestamp(
        arguments.lines.stat().st_mtime, datetime.timezone.utc
    )
    run = Run(
        arguments.run_name, "unknown", written.date().isoformat(), arguments.lines.name, Limits(),
        via="JSON lines",
    )  # fmt: skip
    with journal(arguments.store, run) as rows:
        for result in results:
            keep(rows, result)
    seal(arguments.store, run)


def _simulate(arguments: argparse.Namespace) -> None:
    from deepperf.scan.simulate import Cluster, simulated, told

    cluster = Cluster(slots=arguments.slots, price=arguments.price)
    result = simulated(
        arguments.store, arguments.run_name, arguments.count, cluster, arguments.seed
    )
    show(told(result))
    if arguments.output is not None:
        import msgspec

        data = msgspec.json.format(msgspec.json.encode(result))
        arguments.output.write_bytes(data + b"\n")
