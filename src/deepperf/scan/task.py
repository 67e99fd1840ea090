"""One package, one task: check it as a project of its own and keep what is worth comparing."""

from __future__ import annotations

import os
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from deepperf.config.options import Options
from deepperf.records import Failure, Finding, Level, Report
from deepperf.scan.clones import files_of
from deepperf.scan.corpus import CorpusError
from deepperf.scan.members import Member, archive_members, folder_members
from deepperf.scan.package import Form, Hit, Package, Scanned, Spent, State, Tree, Trouble
from deepperf.scan.tree import Names, as_they_are, gather, without_top

Check = Callable[[Path], Iterable[Report]]
"""Checks the project in a folder; relative paths in its reports count from the working folder."""

_LONGEST = 1000


def check_with_all_rules(folder: Path) -> Iterable[Report]:
    """What every rule, those in preview included, says about the project in `folder`.

    The project's own settings do not count.
    """
    from deepperf.check.paths import check_tree, shown_reports, starts
    from deepperf.config.load import no_settings

    options = Options(preview=True, level=Level.NOTE, jobs=1, cache=False)
    trees = (check_tree(one) for one in starts([folder], lambda _: options, no_settings))
    return [report for tree in trees for report in shown_reports(tree)]


def scan(
    package: Package,
    check: Check = check_with_all_rules,
    gathered: Callable[[Tree], None] = lambda _: None,
) -> Scanned:
    """What the rules say of a package: it depends on the package's bytes and the rules alone.

    Nothing of it is changed, followed through a link, imported or run. `gathered` is told what
    will be looked at before the rules are asked.
    """
    if package.lacking:
        return Scanned(package.name, package.version, State.UNREADABLE, package.lacking)
    begin = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="deepperf-scan-") as scratch:
        folder = Path(scratch).resolve() / "package"
        try:
            with _members(package) as members:
                tree = gather(members, folder, _names(package))
        except CorpusError as error:
            return Scanned(package.name, package.version, State.UNREADABLE, str(error))
        gathered(tree)
        preparing = time.monotonic() - begin
        if tree.digest in package.known:
            state, reports, seconds = State.SAME, [], 0.0
        else:
            start = _cpu_seconds()
            state = State.DONE
            reports = sorted(check(folder), key=lambda report: report.path)
            seconds = _cpu_seconds() - start
        failures = [
            _trouble(package, folder, failure) for report in reports for failure in report.failures
        ]
        left_out = [
            Trouble(package.name, package.version, path, 1, f"left out: {why}", internal=False)
            for path, why in tree.left_out
        ]
        return Scanned(
            package=package.name,
            version=package.version,
            state=state,
            tree=tree,
            spent=Spent(preparing, seconds, time.monotonic() - begin),
            hits=_hits(package, folder, reports),
            troubles=tuple(sorted([*left_out, *failures])) if state is State.DONE else (),
        )


def _names(package: Package) -> Names:
    is_around = package.form is Form.ARCHIVE and not package.path.endswith(".whl")
    return without_top if is_around else as_they_are


@contextmanager
def _members(package: Package) -> Iterator[Iterable[Member]]:
    path = Path(package.path)
    if package.form is Form.ARCHIVE:
        yield archive_members(path)
    elif package.form is Form.FOLDER:
        yield folder_members(path, package.parts)
    else:
        with files_of(path, package.commit) as folder:
            yield folder_members(folder)


def _hits(package: Package, folder: Path, reports: Sequence[Report]) -> tuple[Hit, ...]:
    hits: list[Hit] = []
    for report in reports:
        seen: Counter[tuple[str, str]] = Counter()
        for finding in sorted(report.findings):
            text = finding.source_line.strip()
            seen[finding.rule, text] += 1
            hits.append(_hit(package, folder, finding, seen[finding.rule, text]))
    return tuple(hits)


def _hit(package: Package, folder: Path, finding: Finding, occurrence: int) -> Hit:
    return Hit(
        package=package.name,
        version=package.version,
        path=_relative(finding.location.path, folder),
        line=finding.location.line,
        column=finding.location.column,
        rule=finding.rule,
        level=finding.level.name.lower(),
        role=finding.role.value,
        message=_text(finding.message),
        text=_text(finding.source_line.strip()),
        occurrence=occurrence,
        steps=_steps(finding, folder),
        framework=finding.framework,
        estimate=finding.estimate,
        fingerprint=finding.fingerprint,
        fix=finding.fix.safety.name.lower() if finding.fix else "",
    )


def _steps(finding: Finding, folder: Path) -> tuple[str, ...]:
    return tuple(
        _text(f"{_relative(step.location.path, folder)}:{step.location.line}: {step.text}")
        for step in finding.path
    )


def _trouble(package: Package, folder: Path, failure: Failure) -> Trouble:
    where = failure.location
    path = _relative(where.path, folder)
    message = _text(failure.message)
    return Trouble(package.name, package.version, path, where.line, message, failure.internal)


def out_of_memory(scanned: Scanned) -> Scanned:
    """The same, unless the check ran out of memory somewhere: then what it says is not whole."""
    lacking = [one for one in scanned.troubles if one.internal and "MemoryError" in one.message]
    if not lacking:
        return scanned
    message = f"{lacking[0].path}: {lacking[0].message}"
    return replace(scanned, state=State.LARGE, message=message, hits=(), troubles=())


def _relative(path: str, folder: Path) -> str:
    return _text(os.path.relpath(path, folder).replace(os.sep, "/"))


def _text(text: str) -> str:
    """At most `_LONGEST` characters, without halves, which no file of results holds."""
    return text[:_LONGEST].encode("utf-8", "backslashreplace").decode("utf-8")


def _cpu_seconds() -> float:
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system
