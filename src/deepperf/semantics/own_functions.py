"""Which calls of a file may, by name, run functions that the project defines."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from deepperf.semantics.analysis import Analysis
from deepperf.semantics.scopes import CallSite, ScopeKind


def calls_in_loops(analysis: Analysis, path: str) -> Iterator[CallSite]:
    """The calls in loops of functions written in the file, or imported from another by name."""
    module = analysis.module(path)
    own = {s.name for s in module.scopes.module.walk() if s.kind is ScopeKind.FUNCTION}
    for name in sorted((own | _imported(analysis, path)).intersection(module.called_names)):
        for site in module.calls_named(name):
            if any(frame.is_loop for frame in site.frames):
                yield site


def _imported(analysis: Analysis, path: str) -> set[str]:
    """The names that the file imports out of modules of the project."""
    found: set[str] = set()
    for statement in set(analysis.module(path).scopes.imports.values()):
        if isinstance(statement, ast.ImportFrom):
            dotted = "." * statement.level + (statement.module or "")
            if analysis.project.find(dotted, path) is not None:
                found.update(alias.asname or alias.name for alias in statement.names)
    return found
