"""How old a framework must be for a file to run, where the project does not name its version.

The names that code uses tell. Those of the file count first, then those of its program: of the
files in its folder, of those that import it, and of all that these import. Where these also use
names that only newer versions have, or ask which version runs, the code is for old and new ones
alike, and nothing is known.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from deepperf.semantics.files.analysis import Analysis
from deepperf.semantics.frameworks.clues import Clue, Clues
from deepperf.semantics.frameworks.versions import release_of

_LOWEST = re.compile(r">=?\s*(\d+(?:\.\d+)*)")
_MOST_FILES = 40
"""Files of a program that are read for the names that they use."""
_MOST_TEXT = 60_000
"""Characters of a file above which only the file itself asks for its names."""


def reaches(analysis: Analysis, path: str, framework: str, version: str) -> bool:
    """Whether a file may run with this version of a framework, or a newer one.

    The project's own word counts first; where it admits every new version, or says nothing,
    the names that the code uses tell.
    """
    known = analysis.project.version(path, framework)
    if known is not None and not known.is_open:
        return known.reaches(version)
    end = end_of(analysis, path, framework)
    return end is None or release_of(version) < release_of(end.version)


def end_of(analysis: Analysis, path: str, framework: str) -> Clue | None:
    """The name whose removal ends the versions that a file may run with.

    None without one, and where the project says by itself which versions are too new.
    """
    return analysis.remember(
        ("vintage", path, framework),
        lambda: _unless_named(analysis, path, framework, _find_end(analysis, path, framework)),
        None,
    )


def style_of(analysis: Analysis, path: str, framework: str) -> Clue | None:
    """A name that tells that a file is of a program for versions before the clue's.

    Newer versions run such programs still: it is likely, no more.
    """
    return analysis.remember(
        ("style", path, framework),
        lambda: _unless_named(analysis, path, framework, _find_style(analysis, path, framework)),
        None,
    )


def _unless_named(analysis: Analysis, path: str, framework: str, clue: Clue | None) -> Clue | None:
    """A clue where the project's own word leaves the end open, and does not rule it out."""
    known = analysis.project.version(path, framework)
    if clue is None or known is None:
        return clue
    lowest = _LOWEST.search(known.text)
    if not known.is_open or (lowest and release_of(lowest[1]) >= release_of(clue.version)):
        return None
    return clue


def _find_end(analysis: Analysis, path: str, framework: str) -> Clue | None:
    for files in _levels(analysis, path, framework):
        ends = [
            end
            for clues in files
            for end in (clues.end, *clues.methods.values())
            if end is not None and not _is_own(analysis, end)
        ]
        if ends:
            found = min(ends, key=lambda clue: (release_of(clue.version), clue.name))
            return None if _is_for_new(files, found) else found
    return None


def _find_style(analysis: Analysis, path: str, framework: str) -> Clue | None:
    for files in _levels(analysis, path, framework):
        styles = [clues.style for clues in files if clues.style is not None]
        if styles:
            found = min(styles, key=lambda clue: clue.name)
            return None if _is_for_new(files, found) else found
    return None


def _is_for_new(files: list[Clues], end: Clue) -> bool:
    return any(
        clues.asks
        or (clues.begin is not None and release_of(clues.begin.version) >= release_of(end.version))
        for clues in files
    )


def _is_own(analysis: Analysis, clue: Clue) -> bool:
    """Whether the project has a method so named itself."""
    if "." in clue.name:
        return False
    project = analysis.project
    analysis.asked.add(clue.name)
    return any(clue.name in project.names_defined(path) for path in project.naming(clue.name))


def _levels(analysis: Analysis, path: str, framework: str) -> Iterator[list[Clues]]:
    """What the file says, and whether those that it imports ask; then what its program says."""
    project = analysis.project
    own = project.clues(path, framework)
    if own is not None:
        asking = [
            Clues(asks=True)
            for target in sorted(project.imports(path))
            if _asks(analysis, target, framework)
        ]
        yield [own, *asking]
    analysis.asked.add(framework)
    linked = project.around(frozenset((path,)))
    folder = path.rpartition("/")[0]
    near = (
        other
        for other in sorted(project.naming(framework))
        if (other in linked or other.rpartition("/")[0] == folder)
        and (other == path or len(project.sources[other].text) <= _MOST_TEXT)
    )
    files = tuple(islice(near, _MOST_FILES))
    analysis.touched.update(files)
    found = (project.clues(other, framework) for other in files)
    yield [clues for clues in found if clues is not None]


def _asks(analysis: Analysis, path: str, framework: str) -> bool:
    analysis.touched.add(path)
    clues = analysis.project.clues(path, framework)
    return clues is not None and clues.asks
