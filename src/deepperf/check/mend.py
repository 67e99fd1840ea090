"""Fixes the files of a project: in memory first, on disk if asked."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from deepperf.check.engine import Engine
from deepperf.check.fresh import project_in
from deepperf.check.paths import Tree
from deepperf.check.run import check_file, silenced_by_path
from deepperf.check.select import level_in
from deepperf.check.sources import OverlaidSources, read_bytes, read_text, with_text, written
from deepperf.check.survey import Start, survey
from deepperf.config.load import ROOT_MARKS
from deepperf.fixes.apply import Fixed, fix_text
from deepperf.records import Attempt, Failure, Finding, Fix, Location, Safety

if TYPE_CHECKING:
    from deepperf.semantics.text.source import Source


@dataclass(frozen=True, slots=True)
class Mended:
    """One file with its fixes made in memory; `data` is what was read from disk."""

    path: str
    source: Source
    data: bytes
    fixed: Fixed


def mend_tree(
    start: Start,
    tree: Tree,
    sources: Mapping[str, Source],
    safety: Safety,
    engine: Engine,
    wanted: Callable[[Finding], Fix | None] = lambda finding: finding.fix,
) -> Iterator[Mended | Failure]:
    """Fix what the reports of `tree` show at its level, file after file.

    Each file is checked again after each round of fixes, beside the files fixed before it;
    one that goes by several names is fixed under the first. A link that leads out of what was
    asked for is a failure. `wanted` chooses what is made of a finding's fixes.
    """
    asked = tuple(_place_of(path) for path in start.paths)
    selection = engine.select(start.options)
    root = str(start.root)
    metadata = survey(start).metadata
    changed: dict[str, Source] = {}
    met: set[str] = set()
    for report in tree.reports:
        if not any(_is_fixed(finding, start, safety) for finding in report.findings):
            continue
        path = report.path
        real = os.path.realpath(os.path.join(root, path))
        if real in met:
            continue
        met.add(real)
        if not any(_lies_in(real, place) for place in asked):
            yield _failure(path, f"a link leads from here to {real}, which was not asked for")
            continue
        data = read_bytes(root, path)
        source = data if isinstance(data, Failure) else read_text(path, data)
        if isinstance(data, Failure) or isinstance(source, Failure):
            assert isinstance(source, Failure)
            yield source
            continue

        def check(text: str, path: str = path, source: Source = source) -> tuple[Finding, ...]:
            now = OverlaidSources({**changed, path: with_text(source, text)}, sources)
            project = project_in(start, now, metadata)
            report = check_file(project, path, selection, engine.look).report
            if any(failure.internal for failure in report.failures):
                return ()
            kept = silenced_by_path(report, start.options, selection).findings
            # The edits of a finding count in the text of the file where it stands.
            here = (finding for finding in kept if finding.location.path == path)
            shown = (f for f in here if f.level >= level_in(path, start.options))
            return tuple(replace(finding, fix=wanted(finding)) for finding in shown)

        fixed = fix_text(source.text, check, safety)
        if fixed.text != source.text:
            changed[path] = with_text(source, fixed.text)
        if fixed.text != source.text or fixed.dropped:
            yield Mended(path, source, data, fixed)


def _place_of(path: Path) -> str:
    """The real path of what was asked for, but for links that lie in a project.

    Those came with it, and may lead anywhere; those above it are the user's own.
    """
    whole = Path(os.path.abspath(path))
    top = whole if os.path.isdir(whole) else whole.parent
    for folder in (top, *top.parents):
        if any(os.path.lexists(folder / mark) for mark in ROOT_MARKS):
            top = folder
    return os.path.normpath(os.path.join(os.path.realpath(top), os.path.relpath(whole, top)))


def _lies_in(path: str, place: str) -> bool:
    path, place = os.path.normcase(path), os.path.normcase(place)
    return path == place or path.startswith(os.path.join(place, ""))


def _is_fixed(finding: Finding, start: Start, safety: Safety) -> bool:
    fix = finding.fix
    return (
        fix is not None
        and finding.level >= level_in(finding.location.path, start.options)
        and (safety is Safety.UNSAFE or fix.safety is Safety.SAFE)
    )


def content_of(mended: Mended) -> bytes | Failure:
    """The bytes of the fixed file, in its own encoding, or why it cannot have these."""
    try:
        return written(mended.source, mended.fixed.text)
    except UnicodeEncodeError as error:
        return _failure(mended.path, f"its encoding lacks {error.object[error.start]!r}")
    except ValueError as error:
        return _failure(mended.path, str(error))


def write_mended(root: str, mended: Mended) -> Failure | None:
    """Put the fixed file in the old one's place at once, keeping its mode.

    Answers why not where the file has changed since it was read, or cannot be written.
    """
    content = content_of(mended)
    if isinstance(content, Failure):
        return content
    whole = os.path.realpath(os.path.join(root, mended.path))
    try:
        with open(whole, "rb") as stream:
            if stream.read() != mended.data:
                return _failure(mended.path, "it changed while it was being checked")
        _replace(whole, content)
    except OSError as error:
        return _failure(mended.path, (error.strerror or str(error)).lower())
    return None


def _replace(path: str, content: bytes) -> None:
    mode = os.stat(path).st_mode
    if not os.access(path, os.W_OK):
        raise PermissionError(13, "permission denied")
    handle, temporary = tempfile.mkstemp(dir=os.path.dirname(path), prefix=".deepperf-")
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(content)
        os.chmod(temporary, mode & 0o7777)
        os.replace(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise


def _failure(path: str, message: str) -> Failure:
    return Failure(Location(path, 1, 1, 1, 1), message, attempt=Attempt.FIX)
