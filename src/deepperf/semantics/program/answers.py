"""Answers to the engine's questions: each is computed once, circular ones by fixpoint.

A question is a function of the program and a key that asks other questions through `ask`. Answers
start at the question's bottom and grow; whatever rests on an answer that changed is computed
again until nothing changes, so that time is linear in the dependencies, not in the paths over
them. Which question was asked first makes no difference.
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


class Answers:
    """All answers about one program. `bounded` are the keys whose answer ran into a bound."""

    def __init__(self, program: Any) -> None:
        self._program = program
        self._values: dict[Node, Any] = {}
        self._open: set[Node] = set()
        self._running: list[Node] = []
        self._users: dict[Node, set[Node]] = {}
        self._rounds: dict[Node, int] = {}
        self._order: dict[Node, int] = {}
        self._unsettled: dict[Node, None] = {}
        self.bounded: set[tuple[Hashable, ...]] = set()
        self.current = ""
        self._links: dict[str, set[str]] = {}
        self._words: dict[str, set[str]] = {}

    def ask(self, question: Callable[..., Answer], *key: Hashable, bottom: Answer) -> Answer:
        """The answer to a question about `key`; `bottom` is what holds as long as nothing does."""
        node: Node = (question, key)
        path = key[0] if key else ""
        asking = self.asking
        if path != asking and isinstance(path, str):
            self._links.setdefault(asking, set()).add(path)
        found = self._values.get(node, _NONE)
        if found is _NONE:
            self._values[node] = bottom
            self._open.add(node)
            self._order[node] = len(self._order)
            self._note_use(node)
            if len(self._running) >= DEEPEST:
                self._unsettled[node] = None
                return bottom
            self._compute(node)
            if not self._running:
                self._settle()
            return self._values[node]  # type: ignore[no-any-return]
        if self._running and node in self._open:
            self._note_use(node)
        return found  # type: ignore[no-any-return]

    def share_with(self, other: Answers) -> None:
        """Note together with other answers which files and words each file rests on."""
        self._links, self._words = other._links, other._words

    @property
    def asking(self) -> str:
        """The file on whose behalf a question is asked."""
        key = self._running[-1][1] if self._running else ()
        return key[0] if key and isinstance(key[0], str) else self.current

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
        return frozenset(seen), words

    def _note_use(self, node: Node) -> None:
        if self._running:
            self._users.setdefault(node, set()).add(self._running[-1])

    def _compute(self, node: Node) -> None:
        question, key = node
        self._running.append(node)
        try:
            answer = question(self._program, *key)
        except BaseException:
            self._abandon()
            raise
        finally:
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
            self._unsettled[user] = None

    def _settle(self) -> None:
        """Compute again what rests on an answer that changed: what was asked last comes first."""
        queue: list[tuple[int, Node]] = []
        while self._unsettled or queue:
            for node in self._unsettled:
                heapq.heappush(queue, (-self._order[node], node))
            self._unsettled.clear()
            _, node = heapq.heappop(queue)
            while queue and queue[0][1] == node:
                heapq.heappop(queue)
            self._compute(node)
        self._open.clear()
        self._order.clear()
        self._users.clear()
        self._rounds.clear()

    def _abandon(self) -> None:
        """Forget what was not settled: an answer that a crash cut short is none."""
        for node in self._open:
            self._values.pop(node, None)
        self._open.clear()
        self._order.clear()
        self._users.clear()
        self._rounds.clear()
        self._unsettled.clear()
        self._running.clear()
