"""`deepperf study`: the study of performance problems, its tables, and the means to extend it."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from rich.console import Console

    from deepperf.study.candidates import Candidate
    from deepperf.study.dataset import StudiedProblem
    from deepperf.study.tables import Table

HELP = "the study of performance problems: tables, figures, and finding and labelling more"
UNBOUNDED_WIDTH = 400  # of tables that go to a file or a program
SOURCES = "Posts.xml of a StackExchange dump, issues as JSON lines, CSV, or a folder of these"


def prepare(parser: argparse.ArgumentParser) -> None:
    """Declare the verb's own verbs and options."""
    verbs = parser.add_subparsers(dest="study_verb", required=True, metavar="verb")

    tables = verbs.add_parser("tables", help="distributions of symptoms, causes and stages")
    _data_option(tables)
    _format_option(tables)
    tables.set_defaults(study_run=_tables)

    figures = verbs.add_parser("figures", help="the distributions as pictures (SVG and PNG)")
    _data_option(figures)
    figures.add_argument("--output", type=Path, default=Path("figures"), metavar="DIR")
    figures.set_defaults(study_run=_figures)

    coverage = verbs.add_parser("coverage", help="for which problems there is a rule or a signal")
    _data_option(coverage)
    _format_option(coverage)
    coverage.set_defaults(study_run=_coverage)

    mine = verbs.add_parser("mine", help="find posts that may tell of a performance problem")
    mine.add_argument(
        "source",
        type=Path,
        help=SOURCES,
    )
    mine.add_argument("--output", type=Path, default=Path("candidates.jsonl"), metavar="FILE")
    mine.add_argument(
        "--keywords",
        type=Path,
        metavar="FILE",
        help="stems of words, one or a pair of them a line; those of the paper by default",
    )
    mine.add_argument(
        "--tags",
        default="",
        metavar="TAG,...",
        help="only posts with one of these tags, or with versions of them",
    )
    mine.add_argument("--min-score", type=int, default=0, metavar="N")
    mine.add_argument("--min-answers", type=int, default=0, metavar="N")
    mine.set_defaults(study_run=_mine)

    label = verbs.add_parser("label", help="label candidates one by one")
    label.add_argument("candidates", type=Path, help="what `study mine` wrote")
    label.add_argument("--rater", required=True, metavar="NAME", help="who labels")
    label.add_argument("--labels", type=Path, default=Path("labels.jsonl"), metavar="FILE")
    label.set_defaults(study_run=_label)

    agreement = verbs.add_parser("agreement", help="how well two raters agree (Cohen's kappa)")
    agreement.add_argument("raters", nargs=2, metavar="rater")
    agreement.add_argument("--labels", type=Path, default=Path("labels.jsonl"), metavar="FILE")
    agreement.set_defaults(study_run=_agreement)

    suggest = verbs.add_parser("suggest", help="the likely cause and stage of candidates")
    suggest.add_argument(
        "candidates",
        type=Path,
        nargs="?",
        help="what `study mine` wrote; left out, how well suggesting works is shown",
    )
    _data_option(suggest)
    suggest.set_defaults(study_run=_suggest)


def run(arguments: argparse.Namespace) -> int:
    """Do what was asked. Raises `WrongUse` naming what of it cannot be done."""
    arguments.study_run(arguments)
    return 0


def _data_option(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--data",
        type=Path,
        metavar="FILE",
        help="the labelled problems; those of the paper by default",
    )


def _format_option(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--format", choices=("text", "markdown", "csv"), default="text")
    parser.add_argument("--output", type=Path, metavar="DIR", help="write a file per table here")


def _problems(arguments: argparse.Namespace) -> tuple[StudiedProblem, ...]:
    from deepperf.study.dataset import PROBLEMS, read_study

    return read_study(arguments.data or PROBLEMS)


def _tables(arguments: argparse.Namespace) -> None:
    from deepperf.study.tables import study_tables

    _put(study_tables(_problems(arguments)), arguments)


def _coverage(arguments: argparse.Namespace) -> None:
    from deepperf.dynamic.signals import signals
    from deepperf.rules.registry import load_rules
    from deepperf.study.coverage import coverage_tables, require_known_rules

    problems = _problems(arguments)
    require_known_rules(problems, {loaded.rule.name for loaded in load_rules()})
    signalled = {rule for signal in signals() for rule in signal.RULES}
    _put(coverage_tables(problems, signalled), arguments)


def _put(tables: Iterable[Table], arguments: argparse.Namespace) -> None:
    """Print tables, or write each to a file."""
    from deepperf.config.options import WrongUse
    from deepperf.study.render import FORMATS, drawn

    if arguments.format == "text":
        if arguments.output is not None:
            raise WrongUse("--output goes with --format markdown or csv")
        for table in tables:
            _console().print(drawn(table))
        return
    ending, write = FORMATS[arguments.format]
    for table in tables:
        if arguments.output is None:
            print(write(table))
            continue
        path = arguments.output / f"{table.name}.{ending}"
        try:
            arguments.output.mkdir(parents=True, exist_ok=True)
            path.write_text(write(table), encoding="utf-8")
        except OSError as error:
            raise WrongUse(f"{path}: cannot be written: {error.strerror or error}") from None
        print(path)


def _figures(arguments: argparse.Namespace) -> None:
    from deepperf.config.options import WrongUse
    from deepperf.study.figures import draw
    from deepperf.study.tables import study_tables

    tables = {table.name: table for table in study_tables(_problems(arguments))}
    try:
        written = draw(tables, arguments.output)
    except OSError as error:
        raise WrongUse(
            f"{arguments.output}: cannot be written: {error.strerror or error}"
        ) from None
    for path in written:
        print(path)


def _mine(arguments: argparse.Namespace) -> None:
    import time

    from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn

    from deepperf.study.keywords import DEFAULT_KEYWORDS, read_keywords
    from deepperf.study.mine import Filter, mine
    from deepperf.study.sources import files_of

    wanted = Filter(
        read_keywords(arguments.keywords or DEFAULT_KEYWORDS),
        frozenset(tag.strip().lower() for tag in arguments.tags.split(",") if tag.strip()),
        arguments.min_score,
        arguments.min_answers,
    )
    total = sum(path.stat().st_size for path in files_of(arguments.source))
    console = _error_console()
    begin = time.perf_counter()
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        DownloadColumn(),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=console, disable=not console.is_terminal) as progress:
        bar = progress.add_task("mining", total=total)

        def told(done: int, counts: Mapping[str, int]) -> None:
            progress.update(bar, completed=done, description=f"{counts['found']:,} found")

        counts = mine(arguments.source, arguments.output, wanted, told)
    seconds = time.perf_counter() - begin
    parts = [f"{counts[what]:,} {what}" for what in ("found", "unwanted", "duplicate", "malformed")]
    rate = counts["read"] / seconds if seconds else 0.0
    print(f"{counts['read']:,} posts read: {', '.join(parts)}; {rate:,.0f} posts per second")
    print(arguments.output)


def _candidates(path: Path) -> list[Candidate]:
    """The candidates in a file; lines that hold none are told and left out."""
    import sys

    from deepperf.study.candidates import from_json
    from deepperf.study.dataset import StudyError

    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "not UTF-8"
        raise StudyError(f"{path}: cannot be read: {reason}") from None
    found = []
    for number, line in enumerate(lines, start=1):
        try:
            found.append(from_json(line))
        except ValueError:
            print(f"deepperf: {path}:{number}: holds no candidate", file=sys.stderr)
    return found


def _label(arguments: argparse.Namespace) -> None:
    from deepperf.study.form import label_all
    from deepperf.study.labels import append_label, read_labels

    candidates = _candidates(arguments.candidates)
    labels, lost = read_labels(arguments.labels)
    done = frozenset(label.candidate for label in labels if label.rater == arguments.rater)
    if lost:
        print(f"{arguments.labels}: {lost} lines are no labels and are left as they are")
    number = label_all(
        candidates,
        arguments.rater,
        done,
        lambda label: append_label(arguments.labels, label),
        _console(),
        input,
    )
    left = sum(candidate.key not in done for candidate in candidates) - number
    print(f"{number} labelled by {arguments.rater}; {left} left")


def _agreement(arguments: argparse.Namespace) -> None:
    from deepperf.config.options import WrongUse
    from deepperf.study.agreement import agreement
    from deepperf.study.labels import pairs, read_labels
    from deepperf.study.render import drawn
    from deepperf.study.tables import Table

    labels, _ = read_labels(arguments.labels)
    both = tuple(pairs(labels, *arguments.raters))
    if not both:
        first, second = arguments.raters
        raise WrongUse(f"{arguments.labels}: {first} and {second} have labelled nothing in common")
    rows = tuple(
        (
            result.dimension.replace("_", " "),
            result.compared,
            f"{result.alike:.3f}" if result.compared else "",
            "" if result.kappa is None else f"{result.kappa:.3f}",
        )
        for result in agreement(both)
    )
    columns = ("dimension", "compared", "rated alike", "Cohen's kappa")
    _console().print(drawn(Table("agreement", " and ".join(arguments.raters), columns, rows)))


def _suggest(arguments: argparse.Namespace) -> None:
    from deepperf.study.render import drawn
    from deepperf.study.suggest import learn, suggest, validate
    from deepperf.study.tables import Table

    problems = _problems(arguments)
    console = _console()
    if arguments.candidates is None:
        rows = tuple(
            (s.dimension, s.count, f"{s.right:.3f}", f"{s.majority:.3f}", f"{s.macro_f1:.3f}")
            for s in validate(problems)
        )
        columns = ("dimension", "problems", "right", "most frequent label", "macro F1")
        title = "Labels guessed from words, by cross-validation"
        console.print(drawn(Table("suggest", title, columns, rows)))
        return
    models = learn(problems)
    for candidate in _candidates(arguments.candidates):
        found = suggest(candidate, models)
        console.print(f"{candidate.key}  {candidate.post.title}", markup=False, style="bold")
        console.print(f"  likely cause: {found.cause}", markup=False)
        for dimension, guess in found.guesses.items():
            words = ", ".join(guess.words) or "no word known"
            console.print(
                f"  {dimension}: {guess.label} ({guess.share:.0%}; {words})", markup=False
            )
        for clue in found.clues:
            console.print(f"  code: {clue.rule}: {clue.message}", markup=False)


def _console() -> Console:
    from rich.console import Console

    # What is quoted is no markup: `x[i]` stays as it is written.
    console = Console(markup=False, highlight=False)
    if not console.is_terminal:
        console = Console(width=UNBOUNDED_WIDTH, soft_wrap=True, markup=False, highlight=False)
    return console


def _error_console() -> Console:
    from rich.console import Console

    return Console(stderr=True)
