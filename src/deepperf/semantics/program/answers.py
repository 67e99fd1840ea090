"""Answers to the engine's questions: each is computed once, circular ones by fixpoint.

A question is a function of the program and a key that asks other questions through `ask`. An
answer on which no open question depends is final at once. Circular ones start at the question's
bottom and grow: a component of questions that rest on each other is computed again, as far as
they rest on what changed, until nothing does; only then do others see it. Time is linear in the
dependencies, not in the paths over them, and it makes no difference which is asked first.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Hashable
from typing import Any, TypeVar

Answer = TypeVar("Answer")
Question = Callable[..., Any]
Node = tuple[Question, tuple[Hashable, ...]]

DEEPEST = 70
"""Questions inside each other; what is asked below starts from bottom and is settled after."""
MOST_ROUNDS = 24
"""How often one answer may change before it is left as it is."""
_NONE: Any = object()
_FINAL = 1 << 60
"""The rank of a question that rests on no open one."""


class Answers:
    """All answers about one program. `bounded` are the keys whose answer ran into a bound."""

    def __init__(self, program: Any) -> None:
        self._program = program
        self._values: dict[Node, Any] = {}
        self._running: list[Node] = []
        self._open: dict[Node, int] = {}  # not final yet, ranked in the order of asking
        self._ranks = 0
        self._lowest = _FINAL  # of the open questions that the running one rests on
        self._users: dict[Node, set[Node]] = {}  # of open questions
        self._rounds: dict[Node, int] = {}
        self._unsettled: list[tuple[int, Node]] = []
        self.bounded: set[tuple[Hashable, ...]] = set()
        self.asking = ""
        """The file on whose behalf a question is asked."""
        self._links: dict[str, set[str]] = {}
        self._words: dict[str, set[str]] = {}

    def ask(self, question: Callable[..., Answer], *key: Hashable, bottom: Answer) -> Answer:
        """The answer to a question about `key`; `bottom` is what holds as long as nothing does."""
        path = key[0] if key else ""
        if path != self.asking and isinstance(path, str):
            self._links.setdefault(self.asking, set()).add(path)
        node: Node = (question, key)
        found = self._values.get(node, _NONE)
        if found is _NONE:
            return self._find(node, bottom)  # type: ignore[no-any-return]
        if self._open:
            rank = self._open.get(node)
            if rank is not None:
                self._note_use(node, rank)
        return found  # type: ignore[no-any-return]

    def share_with(self, other: Answers) -> None:
        """Note together with other answers which files and words each file rests on."""
        self._links, self._words = other._links, other._words

    def note_word(self, word: str) -> None:
        """An answer rests on which files name a word."""
        self._words.setdefault(self.asking, set()).add(word)

    def rests_on(self, path: str) -> tuple[frozenset[str], frozenset[str]]:
        """The files that answers about a file rest on, directly or not, and the words."""
        seen, pending = {path}, [path]
        while pending:
            for other in self._links.get(pending.pop(), ()):
                if other not in seen:
                    seen.add(other)
                    pending.append(other)
        words = frozenset().union(*[self._words.get(one, set()) for one in seen])
        return frozenset(seen - {""}), words

    def _find(self, node: Node, bottom: Any) -> Any:
        """Compute what was never asked, and the component that it begins, if it begins one."""
        self._values[node] = bottom
        rank = self._open[node] = self._ranks
        self._ranks += 1
        if len(self._running) >= DEEPEST:
            heapq.heappush(self._unsettled, (-rank, node))
            self._note_use(node, rank)
            self._lowest = next(iter(self._open.values()))  # settled with what was asked first
            return bottom
        outer, self._lowest = self._lowest, _FINAL
        self._compute(node)
        if self._lowest >= rank:
            self._settle(rank)
        if self._lowest >= rank:
            self._close(rank)
            self._lowest = outer
        else:
            self._lowest = min(outer, self._lowest)
            self._note_use(node, rank)
        return self._values[node]

    def _note_use(self, node: Node, rank: int) -> None:
        """The running question rests on an open one."""
        if self._running:
            self._users.setdefault(node, set()).add(self._running[-1])
            self._lowest = min(self._lowest, rank)

    def _compute(self, node: Node) -> None:
        question, key = node
        outer, self.asking = self.asking, key[0] if key and isinstance(key[0], str) else ""
        self._running.append(node)
        try:
            answer = question(self._program, *key)
        except BaseException:
            self._abandon()
            raise
        finally:
            self.asking = outer
            if self._running:
                self._running.pop()
        if answer == self._values[node]:
            return
        rounds = self._rounds.get(node, 0) + 1
        self._rounds[node] = rounds
        if rounds > MOST_ROUNDS:
            self.bounded.add(key)
            return
        self._values[node] = answer
        for user in self._users.get(node, ()):
            heapq.heappush(self._unsettled, (-self._open[user], user))

    def _settle(self, rank: int) -> None:
        """Compute again, of the questions asked since, what rests on an answer that changed: what
        was asked last comes first."""
        queue = self._unsettled
        while queue and -queue[0][0] >= rank:
            first = heapq.heappop(queue)
            while queue and queue[0] == first:
                heapq.heappop(queue)
            self._compute(first[1])

    def _close(self, rank: int) -> None:
        """The answers to a question and to all that were asked since are final."""
        while self._open:
            node, last = self._open.popitem()
            self._users.pop(node, None)
            self._rounds.pop(node, None)
            if last == rank:
                break

    def _abandon(self) -> None:
        """Forget what was not settled: an answer that a crash cut short is none."""
        for node in self._open:
            self._values.pop(node, None)
        self._open.clear()
        self._users.clear()
        self._rounds.clear()
        self._unsettled.clear()
        self._running.clear()
        self._lowest = _FINAL
