"""What all things at a place in a file have in common."""

from __future__ import annotations

import ast
from functools import cached_property
from typing import TYPE_CHECKING

from deepperf.records import Location
from deepperf.semantics import view
from deepperf.semantics.execution import contexts
from deepperf.semantics.files.analysis import Analysis
from deepperf.semantics.names.scopes import Scope, ScopeKind
from deepperf.semantics.text import positions

if TYPE_CHECKING:
    from deepperf.semantics.view import FileView, Function


class Spot:
    """Something at a place in a file."""

    _analysis: Analysis
    _node: ast.AST
    _scope: Scope

    @property
    def file(self) -> FileView:
        return view.FileView(self._analysis, self._scope.module_path)

    @cached_property
    def location(self) -> Location:
        return positions.location_of(self._analysis.module_of(self._scope), self._node)

    @property
    def source_line(self) -> str:
        return positions.line_at(self._analysis.module_of(self._scope), self.location.line)

    @property
    def text(self) -> str:
        """The source text, on one line."""
        return " ".join(self.source.split())

    @property
    def quoted(self) -> str:
        """The source text, on one line, shortened."""
        return positions.shortened(self.text)

    @property
    def source(self) -> str:
        """The source text, as it stands."""
        start, end = self.span
        return self._analysis.module_of(self._scope).source.text[start:end]

    @cached_property
    def span(self) -> tuple[int, int]:
        """Offsets, in characters of the file's text, of the start and the end (exclusive)."""
        return positions.span_of(self._analysis.module_of(self._scope), self._node)

    @property
    def function(self) -> Function | None:
        """The function or lambda in whose body it stands."""
        scope = self._scope
        return view.Function(self._analysis, scope) if scope.kind is ScopeKind.FUNCTION else None

    @property
    def runs_natively(self) -> bool:
        """Whether it is compiled to machine code, in which a loop costs next to nothing."""
        return contexts.runs_natively(self._analysis, self._scope)

    @property
    def framework(self) -> str:
        """The framework whose callable it is about; "" when that is not known."""
        return ""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Spot) and self._node is other._node

    def __hash__(self) -> int:
        return hash(self._node)
