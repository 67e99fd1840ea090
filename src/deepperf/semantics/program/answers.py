"""Answers to the engine's questions: each is computed once, circular ones by fixpoint.

A question is a function of the program and a key that asks other questions through `ask`. An
answer on which no open question depends is final at once. Circular ones start at the question's
bottom and grow: a component of questions that rest on each other is computed again, as far as
they rest on what changed, until nothing does; only then do others see it. Time is linear in the
dependencies, not in the paths over them, and it makes no difference which is asked first.

Each answer knows the files and words that it rests on, directly or not, as bits of one number.
"""

from __future__ import annotations

import enum
import heapq
from collections import defaultdict
from collections.abc import Callable, Hashable
from typing import Any, TypeVar

from msgspec import Struct

Answer = TypeVar("Answer")
Question = Callable[..., Any]
Key = tuple[Hashable, ...]
"""What a question is about."""

DEEPEST = 70
"""Questions inside each other; what is asked below starts from bottom and is settled after."""
MOST_ROUNDS = 24
"""How often one answer may change before it is left as it is."""
_FINAL = 1 << 60
"""The rank of a question that rests on no open one."""


class _Cell(Struct, eq=False):
    """The answer to one question; `rank` says when it was asked, as long as it is not final."""

    question: Question
    key: Key
    answer: Any
    rank: int
    grounds: int = 0
    rounds: int = 0
    users: set[_Cell] | None = None


class Ground(enum.Enum):
    """What an answer can rest on."""

    FILE = "file"  # all that stands in a file
    PARTS = "parts"  # what a file says of names and functions that it has
    WORD = "word"  # which files name a word


class Grounds:
    """A bit for each file or word that some answer rests on."""

    def __init__(self) -> None:
        self._bits: dict[tuple[Ground, str], int] = {}
        self._of: dict[Ground, int] = dict.fromkeys(Ground, 0)
        self._names: list[str] = []

    def bit(self, kind: Ground, name: str) -> int:
        found = self._bits.get((kind, name))
        if found is None:
            found = self._bits[kind, name] = 1 << len(self._names)
            self._names.append(name)
            self._of[kind] |= found
        return found

    def known_bit(self, kind: Ground, name: str) -> int:
        """The bit, if some answer rests on it, else none."""
        return self._bits.get((kind, name), 0)

    def told(self, grounds: int, kind: Ground) -> frozenset[str]:
        """The names of one kind whose bits are set."""
        digits = bin(grounds & self._of[kind])[:1:-1]
        return frozenset(self._names[at] for at, digit in enumerate(digits) if digit == "1")


class Answers:
    """All answers about one program. `bounded` are the keys whose answer ran into a bound."""

    def __init__(self, program: Any, ground: Grounds | None = None) -> None:
        self._program = program
        self.ground = ground or Grounds()
        self.grounds = 0
        """What the question that is being answered, or else the file that asks, rests on."""
        self._cells: defaultdict[Question, dict[Key, _Cell]] = defaultdict(dict)
        self._running: list[_Cell] = []
        self._open: list[_Cell] = []
        self._ranks = 0
        self._lowest = _FINAL  # of the open questions that the running one rests on
        self._unsettled: list[tuple[int, int]] = []
        self._ranked: dict[int, _Cell] = {}  # those that may have to be computed again
        self.bounded: set[Key] = set()
        self._asking = ""
        self._by_file: dict[str, int] = {}
        self._equal: dict[frozenset[Any], frozenset[Any]] = {}  # most sets are equal to another
        self._alike: dict[int, tuple[int, list[_Cell]]] = {}  # many answers rest on the same

    def ask(self, question: Callable[..., Answer], key: Key, bottom: Answer) -> Answer:
        """The answer to a question about `key`; `bottom` is what holds as long as nothing does."""
        cell = self._cells[question].get(key)
        if cell is None:
            return self._find(question, key, bottom)  # type: ignore[no-any-return]
        if cell.rank == _FINAL:
            self.grounds |= cell.grounds
        else:
            self._note_use(cell)
        return cell.answer  # type: ignore[no-any-return]

    def ask_beside(
        self, other: Answers, question: Callable[..., Answer], key: Key, bottom: Answer
    ) -> Answer:
        """The answer that other answers have, which rest on nothing of these."""
        if other is self:
            return self.ask(question, key, bottom)
        other.grounds = 0
        answer = other.ask(question, key, bottom)
        self.grounds |= other.grounds
        return answer

    def ask_for(self, path: str) -> None:
        """From here on a file asks."""
        self._by_file[self._asking] = self.grounds
        self._asking = path
        self.grounds = self._by_file.get(path, 0)

    def note_word(self, word: str) -> None:
        """An answer rests on which files name a word."""
        self.grounds |= self.ground.bit(Ground.WORD, word)

    def take_over(self, other: Answers, reached: int) -> None:
        """Take from others, about the same ground, the answers that rest on nothing `reached`."""
        self._cells, self._alike, self.bounded = other._cells, other._alike, other.bounded
        self._equal = other._equal
        for grounds in [each for each in self._alike if each & reached]:
            _, cells = self._alike.pop(grounds)
            for cell in cells:
                del self._cells[cell.question][cell.key]
                self.bounded.discard(cell.key)

    def rests_on(self, path: str, kind: Ground) -> frozenset[str]:
        """The files or words that the answers for a file rest on, directly or not."""
        here = path == self._asking
        return self.ground.told(self.grounds if here else self._by_file.get(path, 0), kind)

    def _find(self, question: Question, key: Key, bottom: Any) -> Any:
        """Compute what was never asked, and the component that it begins, if it begins one."""
        rank = self._ranks
        self._ranks = rank + 1
        cell = _Cell(question, key, bottom, rank)
        self._cells[question][key] = cell
        self._open.append(cell)
        if len(self._running) >= DEEPEST:
            self._ranked[rank] = cell
            heapq.heappush(self._unsettled, (-rank, rank))
            self._note_use(cell)
            self._lowest = self._open[0].rank  # settled with whatever was asked first
            return bottom
        outer, self._lowest = self._lowest, _FINAL
        above, self.grounds = self.grounds, 0
        self._compute(cell)
        if self._lowest >= rank and self._unsettled:
            self._settle(rank)
        if self._lowest >= rank:
            self._close(rank)
            self._lowest = outer
        else:
            self._lowest = min(outer, self._lowest)
            self._note_use(cell)
        self.grounds |= above
        return cell.answer

    def _note_use(self, cell: _Cell) -> None:
        """The running question rests on an open one."""
        if self._running:
            user = self._running[-1]
            if cell.users is None:
                cell.users = set()
            cell.users.add(user)
            self._ranked[user.rank] = user
            self._lowest = min(self._lowest, cell.rank)

    def _compute(self, cell: _Cell) -> None:
        self._running.append(cell)
        try:
            answer = cell.question(self._program, *cell.key)
        except BaseException:
            self._abandon()
            raise
        self._running.pop()
        if answer == cell.answer:
            return
        cell.rounds += 1
        if cell.rounds > MOST_ROUNDS:
            self.bounded.add(cell.key)
            return
        cell.answer = answer
        for user in cell.users or ():
            heapq.heappush(self._unsettled, (-user.rank, user.rank))

    def _settle(self, rank: int) -> None:
        """Compute again, of the questions asked since, what rests on an answer that changed: what
        was asked last comes first."""
        queue = self._unsettled
        while queue and queue[0][1] >= rank:
            first = heapq.heappop(queue)
            while queue and queue[0] == first:
                heapq.heappop(queue)
            self._compute(self._ranked[first[1]])

    def _close(self, rank: int) -> None:
        """The answers to a question and to all that were asked since are final."""
        alike = self._alike.get(self.grounds)
        if alike is None:
            alike = self._alike[self.grounds] = (self.grounds, [])
        grounds, cells = alike
        opened, equal, ranked = self._open, self._equal, self._ranked
        while opened and opened[-1].rank >= rank:
            cell = opened.pop()
            if ranked:
                ranked.pop(cell.rank, None)
            cell.rank, cell.users, cell.grounds = _FINAL, None, grounds
            if type(cell.answer) is frozenset:
                cell.answer = equal.setdefault(cell.answer, cell.answer)
            cells.append(cell)

    def _abandon(self) -> None:
        """Forget what was not settled: an answer that a crash cut short is none."""
        for cell in self._open:
            self._cells[cell.question].pop(cell.key, None)
        self._open.clear()
        self._ranked.clear()
        self._unsettled.clear()
        self._running.clear()
        self._lowest = _FINAL
