"""One walk through a function of one element, and what it may say of batches."""

from __future__ import annotations

import enum
from collections.abc import Callable
from typing import TypeAlias

from msgspec import Struct

from deepperf.semantics.calls.parts import Kind
from deepperf.semantics.files.analysis import Analysis
from deepperf.semantics.names.scopes import Scope


class Batching(enum.Enum):
    """How a function of one element does on a batch."""

    ALIKE = "alike"  # it gives the batch of its results
    PARSES = "parses"  # it would if it parsed examples with the parser's batch form
    IDLE = "idle"  # it only takes elements apart and puts them together: nothing to save
    NO = "no"
    UNKNOWN = "unknown"


class Stop(Exception):
    """The function does something that ends the walk."""

    def __init__(self, answer: Batching) -> None:
        super().__init__(answer)
        self.answer = answer


Names: TypeAlias = dict[str, Kind]


class Walk(Struct):
    """One walk through a function and the functions that it calls.

    `enter` gives what a function returns, of parameters of these kinds, at this depth.
    """

    analysis: Analysis
    enter: Callable[[Walk, Scope, Names, int], Kind]
    works: bool = False  # whether anything is computed
    parses: bool = False
