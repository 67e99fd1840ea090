"""The memory of answering questions about one file.

Each file is analysed with a memory of its own, so that its findings depend on the project
alone, never on which files were looked at before it or in the same process.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Hashable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, TypeVar

from deepperf.knowledge.lookup import Knowledge
from deepperf.semantics.files.module import Module
from deepperf.semantics.files.project import Project
from deepperf.semantics.names.scopes import CallSite, Scope, ScopeKind
from deepperf.semantics.text import tree

Answer = TypeVar("Answer")

DEEPEST = 48
"""Questions within questions; deeper ones are answered "unknown"."""
FURTHEST_UP = 3
"""How many parameters are followed to callers in a row: each step multiplies what is read."""
MOST_WORK = 4_000
"""Questions that one question may lead to, so that cost stays bounded."""
MOST_PASSES = 2
"""How often a circular question is asked again: what values may be settles sooner, mostly."""
MOST_UNSETTLED = 4_000
"""Circular answers of one file that are given up and found again; from then on each is kept.

Found again on each path between functions that call each other, they would take exponential time.
"""
_COST_OF_FUNCTION = 12
"""As how many questions about an expression one about a whole function counts."""
_CUT_OFF = 1 << (DEEPEST + 1)
"""Stands, beside the depths of open questions, for parameters that were not followed farther."""


class Analysis:
    """What has been found out while checking one file of a project."""

    def __init__(self, project: Project, path: str) -> None:
        self.project = project
        self.path = path
        self.knowledge: Knowledge = project.knowledge
        self.touched: set[str] = set()
        self.asked: set[str] = set()
        self._modules: dict[str, Module] = {}
        self.work = 0  # of the question now open
        self._answers: dict[Hashable, object] = {}
        self._active: dict[Hashable, int] = {}
        self._open: int = 0
        self._upward = 0
        self._for_now: dict[Hashable, tuple[object, int, int]] = {}
        self._on_the_way: list[dict[Hashable, object]] = [{} for _ in range(FURTHEST_UP + 1)]
        self._assumed: dict[Hashable, object] = {}
        self._until: list[list[Hashable]] = [[] for _ in range(DEEPEST + 1)]
        self._unsettled = 0
        self.cut_short: Scope | None = None
        """The function, or else the module, of the first question that met a bound on work."""
        self._keeps_circular = False

    def module(self, path: str) -> Module:
        known = self._modules.get(path)
        if known is None:
            if path != self.path:
                self.touched.add(path)
            known = self._modules[path] = self.project.module(path)
        return known

    def forget(self) -> None:
        """Give all answers up: some hold what holds this memory, and would stay for good."""
        for memory in (self._answers, self._for_now, self._modules):
            memory.clear()
        for answers in self._on_the_way:
            answers.clear()

    def calls_named(self, path: str, name: str) -> Sequence[CallSite]:
        """The calls in a file whose callee's last name is `name`; parsed only if some may be."""
        if path != self.path:
            self.touched.add(path)
            if not self.project.may_call(path, name):
                return ()
        return self.module(path).calls_named(name)

    def reads_named(self, path: str, name: str) -> Sequence[CallSite]:
        """The reads of attributes in a file whose name is `name`, as calls of properties."""
        if path != self.path:
            self.touched.add(path)
        if f".{name}" not in self.project.sources[path].text:
            return ()
        return self.module(path).reads_named(name)

    def few_importers(self, path: str, name: str, most: int) -> tuple[str, ...] | None:
        """The files that import from one and name something in it; None where there are more."""
        self.asked.add(name)
        found = self.project.importers_naming(path, name)
        if len(found) <= most:
            return found
        # As long as these name it, they are too many, whatever happens to the others.
        self.touched.update(found[: most + 1])
        return None

    def module_of(self, scope: Scope) -> Module:
        return self._modules.get(scope.module_path) or self.module(scope.module_path)

    def parents_in(self, scope: Scope) -> dict[int, ast.AST]:
        """For the id of each node in a scope the node that it stands in."""
        return self.remember(("parents", scope), lambda: tree.parents(scope.node), {})

    def site_of(self, call: ast.AST | None, scope: Scope) -> CallSite | None:
        """The call that stands in `scope` by its expression; None for what is no such call."""
        return self.module_of(scope).scopes.call_sites.get(id(call))

    @contextmanager
    def going_up(self) -> Iterator[bool]:
        """Follow a parameter to what callers pass; false where it was followed too far."""
        if self._upward >= FURTHEST_UP:
            self._open |= _CUT_OFF
            yield False
            return
        self._upward += 1
        try:
            yield True
        finally:
            self._upward -= 1

    def answered(self, key: Hashable) -> Any:
        """The answer that `remember` keeps for a question, None where there is none yet."""
        return self._answers.get(key)

    def reuse(self, key: Hashable, find: Callable[[], Answer]) -> Answer:
        """The answer to a question that others ask in many places, on the way to theirs.

        It counts for no bound, and is found anew while it rests on questions still open.
        """
        known = self._answers.get(key, self)
        if known is not self:
            return known  # type: ignore[return-value]
        upward = self._upward
        if upward:
            known = self._on_the_way[upward].get(key, self)
            if known is not self:
                self._open |= _CUT_OFF
                return known  # type: ignore[return-value]
        meanwhile = self._for_now.get(key)
        if meanwhile is not None:
            self._open |= meanwhile[1]
            return meanwhile[0]  # type: ignore[return-value]
        outer, self._open = self._open, 0
        try:
            answer = find()
            if not upward:
                self._open &= ~_CUT_OFF
            if not self._open:
                self._answers[key] = answer
            elif self._open == _CUT_OFF:
                self._on_the_way[upward][key] = answer
            elif self._keeps_circular and self._active:
                self._keep(key, answer, self._open)
        finally:
            self._open |= outer
        return answer

    def remember(
        self, key: Hashable, find: Callable[[], Answer], otherwise: Answer, passes: int = 0
    ) -> Answer:
        """The answer to the question `key`, found once; `otherwise` for circular questions.

        An answer that rests on questions still open further up is kept until the first of
        these is answered: asked afterwards, it would be answered differently, and answers
        must not depend on the order asked. `_open` has a bit for the depth of each.

        One that parameters not followed farther leave open is kept for who asks from as far up.

        Where functions call each other on very many paths, all answers that rest on open
        questions are kept together instead: found twice more, each with what the others gave
        before, they stay.
        """
        known = self._answers.get(key, self)
        if known is not self:
            return known  # type: ignore[return-value]
        upward = self._upward
        if upward:
            known = self._on_the_way[upward].get(key, self)
            if known is not self:
                self._open |= _CUT_OFF
                return known  # type: ignore[return-value]
        meanwhile = self._for_now.get(key)
        if meanwhile is not None:
            self._open |= meanwhile[1]
            return meanwhile[0]  # type: ignore[return-value]
        open_at = self._active.get(key)
        if open_at is not None:
            self._open |= 1 if self._keeps_circular else 1 << open_at
            return self._assumed.get(key, otherwise)  # type: ignore[return-value]
        depth = len(self._active)
        if depth == 0:
            self.work = 0
            self._keeps_circular = self._unsettled >= MOST_UNSETTLED
        is_given_up = self._unsettled >= MOST_UNSETTLED and not self._keeps_circular
        if depth >= DEEPEST or self.work >= MOST_WORK or is_given_up:
            if depth < DEEPEST:
                self._note_bound()
            self._open |= 1
            return self._assumed.get(key, otherwise)  # type: ignore[return-value]
        self.work += 1
        self._active[key] = depth
        outer, self._open = self._open, 0
        try:
            answer = find()
            if depth == 0 and self._unsettled >= MOST_UNSETTLED and not self._keeps_circular:
                self._keeps_circular, self.work = True, 0
                self._drop(0)
                answer = find()
            if self._keeps_circular:
                if depth == 0 and self._for_now:
                    answer = self._settled_together(key, find, answer)
            elif passes and self._open >> depth & 1:
                answer = self._settled(key, find, answer, otherwise, passes)
        finally:
            del self._active[key]
            open_above = self._open & ((1 << depth) - 1)
            cut_off = self._open & _CUT_OFF if upward else 0
            self._open = outer | open_above | cut_off
            self._drop(depth)
        if open_above:
            self._unsettled += _COST_OF_FUNCTION if type(key) is tuple else 1
            self._keep(key, answer, open_above | cut_off)
        elif cut_off:
            self._on_the_way[upward][key] = answer
        else:
            self._answers[key] = answer
        return answer

    def _keep(self, key: Hashable, answer: object, rests_on: int) -> None:
        """Keep an answer until the first of the open questions that it rests on is answered."""
        self._for_now[key] = (answer, rests_on, self._upward)
        self._until[(rests_on & ~_CUT_OFF).bit_length() - 1].append(key)

    def _note_bound(self) -> None:
        """Keep the innermost function that the open questions are about, for the report."""
        if self.cut_short is not None:
            return
        for key in reversed(self._active):
            for part in key if isinstance(key, tuple) else (key,):
                scope = getattr(part, "scope", part)
                if isinstance(scope, Scope) and scope.kind is ScopeKind.FUNCTION:
                    self.cut_short = scope
                    return
        self.cut_short = self.module(self.path).scopes.module

    def _settled_together(
        self, key: Hashable, find: Callable[[], Answer], answer: Answer
    ) -> Answer:
        """The answer to a question, once all that rest on it were found with what they gave."""
        try:
            for _ in range(MOST_PASSES):
                self._assumed = {each: kept[0] for each, kept in self._for_now.items()}
                self._assumed[key] = answer
                self._drop(0)
                answer = find()
        finally:
            self._assumed = {}
        for each, (kept, rests_on, upward) in self._for_now.items():
            home = self._on_the_way[upward] if rests_on & _CUT_OFF else self._answers
            home[each] = kept
        return answer

    def settle(self, key: Hashable, find: Callable[[], Answer], otherwise: Answer) -> Answer:
        """As `remember`, for a question that may lead back to itself by what a loop hands on.

        It is asked again, with what it gave, until it gives that: then it does not matter which
        of the questions of a circle is asked first.
        """
        return self.remember(key, find, otherwise, MOST_PASSES)

    def _settled(
        self,
        key: Hashable,
        find: Callable[[], Answer],
        first: Answer,
        otherwise: Answer,
        passes: int,
    ) -> Answer:
        """The answer to a circular question, of which `first` was found with `otherwise`."""
        answer, before = first, otherwise
        depth = self._active[key]
        try:
            while passes and answer != before:
                passes -= 1
                self._assumed[key] = before = answer
                self._drop(depth)
                answer = find()
        finally:
            self._assumed.pop(key, None)
        return answer

    def _drop(self, depth: int) -> None:
        """Give up the answers that were kept until the question at a depth is answered."""
        if self._until[depth]:
            for finished in self._until[depth]:
                self._for_now.pop(finished, None)
            self._until[depth].clear()
