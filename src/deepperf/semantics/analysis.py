"""The memory of answering questions about one file.

Each file is analysed with a memory of its own, so that its findings depend on the project
alone, never on which files were looked at before it or in the same process.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import TypeVar

from deepperf.knowledge.lookup import Knowledge
from deepperf.semantics.project import Module, Project
from deepperf.semantics.scopes import AttributeWrite, Scope

Answer = TypeVar("Answer")

DEEPEST = 48
"""Questions within questions; deeper ones are answered "unknown"."""
MOST_WORK = 60_000
"""Questions that one file may ask altogether, so that cost stays bounded."""


class Analysis:
    """What has been found out while checking one file of a project."""

    def __init__(self, project: Project, path: str) -> None:
        self.project = project
        self.path = path
        self.knowledge: Knowledge = project.knowledge
        self.touched: set[str] = set()
        self.asked: set[str] = set()
        self.writes: dict[Scope, dict[str, list[AttributeWrite]]] = {}
        self.work = 0
        self._answers: dict[Hashable, object] = {}
        self._active: dict[Hashable, int] = {}
        self._cut = DEEPEST + 1

    def module(self, path: str) -> Module:
        if path != self.path:
            self.touched.add(path)
        return self.project.module(path)

    def module_of(self, scope: Scope) -> Module:
        return self.module(scope.module_path)

    def remember(self, key: Hashable, find: Callable[[], Answer], otherwise: Answer) -> Answer:
        """The answer to the question `key`, found once; `otherwise` for circular questions.

        An answer that rests on a question still open further up is not kept: asked alone,
        it would be answered differently, and answers must not depend on the order asked.
        """
        known = self._answers.get(key, self)
        if known is not self:
            return known  # type: ignore[return-value]
        open_at = self._active.get(key)
        if open_at is not None:
            self._cut = min(self._cut, open_at)
            return otherwise
        depth = len(self._active)
        if depth >= DEEPEST or self.work >= MOST_WORK:
            self._cut = 0
            return otherwise
        self.work += 1
        self._active[key] = depth
        outer_cut, self._cut = self._cut, DEEPEST + 1
        try:
            answer = find()
        finally:
            del self._active[key]
            cut, self._cut = self._cut, outer_cut
        if cut >= depth:
            self._answers[key] = answer
        else:
            self._cut = min(outer_cut, cut)
        return answer
