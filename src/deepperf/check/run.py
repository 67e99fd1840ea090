"""From the text of a file to its report. Pure: what it needs is handed to it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from deepperf.check.causes import one_per_cause
from deepperf.check.engine import installed_rules
from deepperf.check.identity import identified
from deepperf.check.paths import at_level
from deepperf.check.select import Selection, without_ignored
from deepperf.check.sources import OverlaidSources, in_cells, read_text
from deepperf.check.suppress import suppress
from deepperf.config.options import Options, WrongUse
from deepperf.records import Failure, Finding, Level, Location, Report

if TYPE_CHECKING:
    from deepperf.rules.rule import Check
    from deepperf.semantics.files.project import Project
    from deepperf.semantics.view import FileView

Look = Callable[["Project", str], "FileView"]


class Checked(Struct, frozen=True):
    """A report and what it depended on.

    `touched` are other files whose content was used, `parts` those of which certain functions
    and names were; `asked` are bare function names whose callers anywhere in the project were
    asked for, `named` words of which it was asked which files have them.
    """

    report: Report
    touched: frozenset[str] = frozenset()
    parts: frozenset[str] = frozenset()
    asked: frozenset[str] = frozenset()
    named: frozenset[str] = frozenset()


def check_text(
    text: str,
    options: Options | None = None,
    path: str = "<text>",
    project: Project | None = None,
) -> Report:
    """What the rules say about one file's text; the text of a notebook is its JSON.

    `project` holds the other files and framework versions; without it the file stands
    alone. Does no I/O and never raises: whatever fails is a `Failure` of the report.
    """
    options = options or Options()
    try:
        selection = installed_rules(options)
        whole = _joined(path, text, project, options)
        if isinstance(whole, Failure):
            return Report(path, failures=(whole,))
        report = check_file(whole, path, selection).report
        return at_level(silenced_by_path(report, options, selection), options)
    except WrongUse as error:
        return Report(path, failures=(Failure(start_of(path), str(error)),))
    except Exception as error:  # noqa: BLE001 - an invariant: it never raises
        return Report(path, failures=(crash(path, "deepperf", error),))


class Interrupted(BaseException):
    """Nobody waits for the report any more."""


def check_file(
    project: Project,
    path: str,
    selection: Selection,
    look: Look | None = None,
    pause: Callable[[], None] = lambda: None,
) -> Checked:
    """The report on the file `path` of `project`, of every level.

    Never raises, but for what `pause`, which is called between rules, raises: `Interrupted`.
    """
    try:
        return _checked(project, path, selection, look, pause, (RecursionError,))
    except RecursionError:
        from deepperf.semantics.text.room import with_room

    try:
        return with_room(lambda: _checked(project, path, selection, look, pause, ()))
    except RecursionError as error:
        return Checked(Report(path, failures=(crash(path, "reading", error),)))


def _checked(
    project: Project,
    path: str,
    selection: Selection,
    look: Look | None,
    pause: Callable[[], None],
    through: tuple[type[Exception], ...],
) -> Checked:
    """The report on a file, in which a crash is a line; those of `through` are raised."""
    try:
        view = (look or _view)(project, path)
        failures: list[Failure] = list(view.failures)  # parses the file
    except through:
        raise
    except Exception as error:  # noqa: BLE001
        return Checked(Report(path, failures=(crash(path, "reading", error),)))
    findings: set[Finding] = set()
    cut_short: Failure | None = None
    # Where only rules that never warn meet a bound, those who want warnings need not know.
    for loaded in sorted(selection.rules, key=lambda one: one.rule.level is Level.NOTE):
        pause()
        try:
            found = one_per_cause(run_rule(loaded.checks, view))
            findings.update(_weighed(finding, view) for finding in found)
        except through:
            raise
        except Exception as error:  # noqa: BLE001
            name = loaded.rule.name
            failures.append(replace(crash(path, f"rule {name}", error), rule=name))
        if cut_short is None and (cut_short := view.cut_short) is not None:
            level = loaded.rule.level
            failures.append(replace(cut_short, rule=loaded.rule.name, level=level))
    try:
        judged = suppress(view.text, path, sorted(findings), selection, view.role)
        both = (*judged.findings, *judged.suppressed)
        named = {finding: finding for finding in identified(view.text, both)}
    except through:
        raise
    except Exception as error:  # noqa: BLE001
        failures.append(crash(path, "reading comments", error))
        report = Report(path, tuple(sorted(findings)), (), tuple(sorted(failures)))
    else:
        kept, silenced = (
            tuple(named[finding] for finding in group)
            for group in (judged.findings, judged.suppressed)
        )
        report = Report(path, kept, silenced, tuple(sorted(failures)))
    if any(name.endswith(".ipynb") for name in (path, *_paths_of(report))):
        report = in_cells(report, project.sources)
    checked = Checked(report, view.touched - {path}, view.parts - {path}, view.asked, view.named)
    view.forget()
    return checked


def _paths_of(report: Report) -> Iterator[str]:
    for finding in (*report.findings, *report.suppressed):
        for step in (*finding.path, *finding.related):
            yield step.location.path


def run_rule(checks: Iterable[Check[Any]], view: FileView) -> Iterator[Finding]:
    """What one rule's checks say about a file; lets through whatever they raise."""
    for check in checks:
        for subject in _subjects(check, view):
            yield from check.run(subject)


def _weighed(finding: Finding, view: FileView) -> Finding:
    """A finding is a note in a function that nobody runs, or only to try its file out."""
    line, file = finding.location.line, view.queried
    if finding.level is Level.NOTE or not (
        file.function_at(line).is_unused or file.is_self_test(line)
    ):
        return finding
    return replace(finding, level=Level.NOTE)


def _subjects(check: Check[Any], view: FileView) -> Iterable[object]:
    if check.kind.__module__.startswith("deepperf.semantics.query"):
        from deepperf.rules.rule import subjects

        return subjects(check, view.queried)
    kind = check.kind.__name__
    if kind == "Call":
        return view.calls(check.traits)
    return view.loops() if kind == "Loop" else (view,)


def silenced_by_path(report: Report, options: Options, selection: Selection) -> Report:
    """The report without findings of rules that `options` ignore in its file."""
    if not (options.per_file_ignores and report.findings):
        return report
    findings = without_ignored(
        report.path, report.findings, options.per_file_ignores, selection.groups
    )
    return replace(report, findings=findings)


def start_of(path: str) -> Location:
    """The first character of a file."""
    return Location(path, 1, 1, 1, 1)


def crash(path: str, what: str, error: BaseException) -> Failure:
    """A crash of ours in one line: what crashed, with what, and where in our own code."""
    place = ""
    frame = error.__traceback__
    while frame is not None and frame.tb_next is not None:
        frame = frame.tb_next
    if frame is not None:
        name = PurePosixPath(frame.tb_frame.f_code.co_filename.replace("\\", "/")).name
        place = f" ({name}:{frame.tb_lineno})"
    said = " ".join(str(error).split())[:200]
    return Failure(
        start_of(path), f"{what} crashed: {type(error).__name__}: {said}{place}", internal=True
    )


def _view(project: Project, path: str) -> FileView:
    from deepperf.semantics.view import view_file

    return view_file(project, path)


def _joined(path: str, text: str, project: Project | None, options: Options) -> Project | Failure:
    """`project` with `text` as the content of `path`; without a project, that file alone."""
    from deepperf.check.versions import overriding
    from deepperf.semantics.files.project import Project

    source = read_text(path, text.encode("utf-8", "surrogatepass"))
    if isinstance(source, Failure):
        return source
    versions = overriding(options.framework_versions)
    if project is None:
        return Project({path: source}, versions)
    sources = OverlaidSources({path: source}, project.sources)
    nearer = {
        folder: {name: found[name] for name in found.keys() - versions.keys()}
        for folder, found in project.nearer.items()
    }
    return Project(sources, {**project.versions, **versions}, nearer)
