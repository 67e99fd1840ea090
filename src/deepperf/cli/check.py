"""`deepperf check`: find performance problems in files and folders, show and fix them."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from deepperf.cli.config import prepare_settings, settings_from
from deepperf.config.options import Options, WrongUse
from deepperf.outputs.destinations import FORMATS, destination, opened, rendered, write
from deepperf.records import Attempt, Failure, Finding, Fix, Level, Location, Report, Safety

if TYPE_CHECKING:
    from deepperf.check.engine import Progress
    from deepperf.check.paths import Tree
    from deepperf.check.survey import Start
    from deepperf.outputs.diff import Change
    from deepperf.outputs.paint import Paint
    from deepperf.outputs.results import Results
    from deepperf.rules.evidence import Evidence

HELP = "find performance problems in files, folders and notebooks"
STDIN = "-"
BROKEN = "the code would not parse, or the fix never ends"


def prepare(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    add = parser.add_argument
    add("paths", nargs="*", default=["."], help="files and folders; '-' reads standard input")
    add("--format", choices=FORMATS, default="text", help="how to show findings (default: text)")
    add("--sketch", action="store_true", help="show lines of code, too, where no fix can be made")
    add("--statistics", action="store_true", help="count findings per rule instead")
    add(
        "--output",
        action="append",
        default=[],
        metavar="[FORMAT=]FILE",
        help="write a file, too, such as report.sarif; may be given again",
    )
    add("--select", action="append", metavar="RULE,...", help="only these rules, topics or causes")
    add("--ignore", action="append", metavar="RULE,...", help="all but these")
    add("--preview", action="store_true", help="also rules whose gain was not yet measured")
    add(
        "--level",
        choices=[level.name.lower() for level in Level],
        help="the lowest level to show (default: warning; tests and examples are notes)",
    )
    add(
        "--fail-on",
        choices=[level.name.lower() for level in Level],
        help="exit with 1 only for what is at least this level (default: all that is shown)",
    )
    add("--baseline", metavar="FILE", help="leave out what this file of deepperf baseline holds")
    add(
        "--since",
        metavar="REVISION",
        help="only what is in lines changed since, or was caused by changes since",
    )
    add(
        "--framework-version",
        action="append",
        metavar="NAME=SPEC",
        help="check for these versions, such as tensorflow=2.4 or 'torch=>=2.1,<2.4'",
    )
    add("--exclude", action="append", metavar="PATTERN,...", help="leave these paths out too")
    add("--fix", action="store_true", help="make the fixes that keep results as they are")
    add("--unsafe-fixes", action="store_true", help="with --fix or --diff: all other fixes too")
    add(
        "--guard-rails",
        action="store_true",
        help="with --unsafe-fixes: also add what raises an error where a mended problem comes back",
    )
    add("--diff", action="store_true", help="show what --fix would change, and change nothing")
    prepare_settings(parser)
    add("--jobs", type=_jobs, metavar="N", help="worker processes (default: 0, one per core)")
    add("--no-cache", action="store_true", help="neither read nor write the cache")
    add("--exit-zero", action="store_true", help="exit with 0 even if something was found")
    add("--strict", action="store_true", help="exit with 3 if a rule crashed, even on one file")
    add("--stdin-filename", metavar="PATH", help="what to call standard input in reports")


def run(arguments: argparse.Namespace) -> int:
    """Check, perhaps fix, and show. Raises `WrongUse`."""
    from deepperf.check.engine import WorkerLost
    from deepperf.outputs.paint import paint_for
    from deepperf.outputs.progress import progress
    from deepperf.outputs.results import summary
    from deepperf.outputs.text import failure_lines

    if arguments.unsafe_fixes and not (arguments.fix or arguments.diff):
        raise WrongUse("--unsafe-fixes says which fixes to make: use it with --fix or --diff")
    if arguments.guard_rails and not arguments.unsafe_fixes:
        raise WrongUse("--guard-rails adds to unsafe fixes: use it with --unsafe-fixes")
    if arguments.statistics and arguments.diff:
        raise WrongUse("--diff shows changes, --statistics counts findings: leave out one of them")
    if arguments.format != "text" and (arguments.statistics or arguments.diff):
        other = "--statistics" if arguments.statistics else "--diff"
        raise WrongUse(f"{other} is text: leave out --format {arguments.format}")

    def override(options: Options) -> Options:
        return overridden(options, arguments)

    with opened(tuple(map(destination, arguments.output))) as write_files:
        try:
            with progress("checking") as tell:
                outcome = (
                    _standard_input(arguments, override)
                    if STDIN in arguments.paths
                    else _files(arguments, override, tell)
                )
        except WorkerLost as error:
            print(f"deepperf: {error}", file=sys.stderr)
            return 3
        results = _results(outcome, arguments)
        write_files(results)
    paint = paint_for(sys.stdout)
    if arguments.diff:
        _show_changes(sys.stdout, outcome.changes, paint)
        write(sys.stderr, failure_lines(results, paint_for(sys.stderr)))
        if not outcome.changes:
            print(f"No fix to make. {summary(results)}", file=sys.stderr)
    else:
        shown = "statistics" if arguments.statistics else arguments.format
        write(sys.stdout, rendered(shown, results, paint))
    return _exit_code(outcome, arguments)


def _show_changes(out: TextIO, changes: Iterable[Change], paint: Paint) -> None:
    from deepperf.outputs.diff import lines, patch

    for change in changes:
        if out.isatty():
            write(out, lines(change, paint))
        else:
            out.flush()
            out.buffer.write(patch(change))


@dataclass(frozen=True, slots=True)
class _Outcome:
    """The reports, as the user sees paths, what fixing changed, and the text of files."""

    reports: tuple[Report, ...]
    fail_on: Level
    text: Callable[[str, int], str]
    changes: tuple[Change, ...] = ()

    @property
    def failures(self) -> tuple[Failure, ...]:
        return tuple(failure for report in self.reports for failure in report.failures)

    @property
    def findings(self) -> tuple[Finding, ...]:
        return tuple(finding for report in self.reports for finding in report.findings)


def _files(
    arguments: argparse.Namespace, override: Callable[[Options], Options], tell: Progress
) -> _Outcome:
    from deepperf.check.paths import check_tree, merged, shown_reports, starts
    from deepperf.check.sources import text_reader

    trees: list[tuple[Tree, Sequence[Report]]] = []
    wanted, failed = _usable(arguments.paths)
    changes: list[Change] = []
    levels = []
    for start in starts(wanted, override, settings_from(arguments)):
        levels.append(start.options.fail_on)
        tree = check_tree(start, progress=tell)
        if arguments.fix or arguments.diff:
            made, unmade = _mend(start, tree, arguments)
            changes += made
            failed += unmade
            if made and not arguments.diff:
                tree = check_tree(start, progress=tell)
        if arguments.since:
            from deepperf.check.engine import Engine
            from deepperf.check.since import since

            tree = since(start, tree, arguments.since, Engine())
        trees.append((tree, _new(shown_reports(tree), start.options)))
    reports = {report.path: report for report in merged(trees)}
    for report in failed:
        known = reports.get(report.path, report)
        failures = {*known.failures, *report.failures}
        reports[report.path] = replace(known, failures=tuple(sorted(failures)))
    inmost = {change.path: change for change in changes}
    in_order = tuple(reports[path] for path in sorted(reports))
    return _Outcome(in_order, min(levels), text_reader({}), tuple(inmost.values()))


def _new(reports: tuple[Report, ...], options: Options) -> tuple[Report, ...]:
    """The reports with the findings of the baseline set apart."""
    if not options.baseline:
        return reports
    from deepperf.check.known import read_baseline, with_known

    return with_known(reports, read_baseline(Path(options.baseline)))


def _usable(paths: Iterable[str]) -> tuple[list[str], list[Report]]:
    """The paths that can be checked, and what to say of the others. Raises `WrongUse` for none."""
    from deepperf.check.files import unusable

    wrong = {path: why for path in paths if (why := unusable(Path(path)))}
    usable = [path for path in paths if path not in wrong]
    if not usable:
        raise WrongUse("; ".join(f"{path}: {why}" for path, why in wrong.items()))
    failures = [Failure(Location(path, 1, 1, 1, 1), why) for path, why in wrong.items()]
    return usable, [Report(failure.location.path, failures=(failure,)) for failure in failures]


def _mend(
    start: Start, tree: Tree, arguments: argparse.Namespace
) -> tuple[list[Change], list[Report]]:
    """Fix the files of a tree, on disk unless only the difference is wanted."""
    from deepperf.check.engine import Engine
    from deepperf.check.fresh import sources_of
    from deepperf.check.mend import content_of, mend_tree, write_mended
    from deepperf.check.paths import shown_name
    from deepperf.outputs.diff import Change
    from deepperf.outputs.paint import harmless

    safety = Safety.UNSAFE if arguments.unsafe_fixes else Safety.SAFE
    shown = shown_name(start.root, os.getcwd())
    changes: list[Change] = []
    failures: list[Failure] = []
    wanted = _guarded if arguments.guard_rails else _plain
    for mended in mend_tree(start, tree, sources_of(start), safety, Engine(), wanted):
        if isinstance(mended, Failure):
            failures.append(mended)
            continue
        name = shown(mended.path)
        for finding in mended.fixed.dropped:
            where = replace(finding.location, path=name)
            left_out = f"the fix for {finding.rule} was left out: {BROKEN}"
            failures.append(Failure(where, left_out, attempt=Attempt.FIX))
        if mended.fixed.text == mended.source.text:
            continue
        content = content_of(mended)
        if not arguments.diff:
            content = write_mended(str(start.root), mended) or content
        if isinstance(content, Failure):
            failures.append(replace(content, location=replace(content.location, path=name)))
            continue
        changes.append(Change(name, mended.data, content, mended.source.encoding))
        if not arguments.diff:
            from deepperf.outputs.results import counted

            number = counted(len(mended.fixed.mended), "finding")
            print(f"fixed {number} in {harmless(name)}", file=sys.stderr)
    return changes, [Report(failure.location.path, failures=(failure,)) for failure in failures]


def _plain(finding: Finding) -> Fix | None:
    return finding.fix


def _guarded(finding: Finding) -> Fix | None:
    return finding.guarded or finding.fix


def _standard_input(
    arguments: argparse.Namespace, override: Callable[[Options], Options]
) -> _Outcome:
    from deepperf.check.fresh import check_bytes
    from deepperf.check.sources import text_reader

    if arguments.paths != [STDIN]:
        raise WrongUse("'-' cannot be combined with other paths")
    if arguments.since:
        raise WrongUse("--since needs files: standard input has no history")
    if arguments.fix or arguments.diff:
        raise WrongUse("standard input cannot be fixed; give a file")
    data = sys.stdin.buffer.read()
    name = arguments.stdin_filename or "<stdin>"
    report, options = check_bytes(data, name, override, settings=settings_from(arguments))
    return _Outcome(_new((report,), options), options.fail_on, text_reader({name: data}))


def overridden(options: Options, arguments: argparse.Namespace) -> Options:
    """The settings of a project with those of the command line on top."""
    changes: dict[str, object] = {}
    if arguments.select is not None:
        changes["select"] = named("--select", arguments.select)
    if arguments.ignore is not None:
        changes["ignore"] = (*options.ignore, *named("--ignore", arguments.ignore))
    if arguments.exclude is not None:
        changes["exclude"] = (*options.exclude, *named("--exclude", arguments.exclude))
    if arguments.preview:
        changes["preview"] = True
    if arguments.level:
        changes["level"] = Level[arguments.level.upper()]
        changes["per_file_level"] = {}
    if arguments.baseline:
        changes["baseline"] = arguments.baseline
    if arguments.fail_on:
        changes["fail_on"] = Level[arguments.fail_on.upper()]
    if arguments.framework_version:
        versions = dict(map(_version, arguments.framework_version))
        changes["framework_versions"] = {**options.framework_versions, **versions}
    if arguments.jobs is not None:
        changes["jobs"] = arguments.jobs
    if arguments.no_cache:
        changes["cache"] = False
    return replace(options, **changes)  # type: ignore[arg-type]


def named(option: str, values: Sequence[str] | None) -> tuple[str, ...]:
    """The words of an option that takes several, and may be given again; none if it was not given.

    Raises `WrongUse` where it was given without a word.
    """
    words = tuple(word.strip() for value in values or () for word in value.split(","))
    if values and not any(words):
        raise WrongUse(f"{option} {','.join(values)!r} names nothing")
    return tuple(filter(None, words))


def _version(text: str) -> tuple[str, str]:
    name, _, spec = text.partition("=")
    for operator in "<>!~":
        if operator in name:
            name = name.partition(operator)[0]
            spec = text[len(name) :]
    if spec.startswith("=") and not spec.startswith("=="):
        spec = f"={spec}"
    if not name.strip() or not spec.strip():
        raise WrongUse(f"--framework-version {text!r}: write NAME=SPEC, such as tensorflow=2.4")
    return name.strip().lower(), spec.strip()


def _jobs(text: str) -> int:
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of processes")
    return int(text)


def _results(outcome: _Outcome, arguments: argparse.Namespace) -> Results:
    from deepperf.outputs.results import Results

    rules = {f.rule for report in outcome.reports for f in report.findings}
    evidence: Mapping[str, Evidence] = {}
    if rules:
        from deepperf.outputs.measured import measured

        evidence = measured(rules)
    return Results(outcome.reports, evidence, outcome.text, arguments.sketch)


def _exit_code(outcome: _Outcome, arguments: argparse.Namespace) -> int:
    """3 for a file that could not be checked, 1 for what was found or not fixed, else 0.

    One rule's crash leaves what the other rules say: it counts only where that was asked for.
    """
    failed = [f for f in outcome.failures if arguments.strict or not f.rule]
    if any(failure.attempt is Attempt.CHECK for failure in failed):
        return 3
    if arguments.exit_zero:
        return 0
    grave = any(finding.level >= outcome.fail_on for finding in outcome.findings)
    return int(bool(failed or (outcome.changes if arguments.diff else grave)))
