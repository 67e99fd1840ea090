"""The estimate of a finding, and the level that follows from it."""

from __future__ import annotations

import enum
import functools
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from deepperf.knowledge.compiled import parse_toml, read_table
from deepperf.records import Level


class Cost(enum.Enum):
    """What happens once more than it need: the rows of the table of costs."""

    WAIT = "wait"
    BARRIER = "barrier"
    LAUNCH = "launch"
    UPLOAD = "upload"
    LOG = "log"
    PRINT = "print"
    SAVE = "save"
    PLOT = "plot"
    CACHE = "cache"
    COLLECT = "collect"
    MOVE_MODEL = "move_model"
    READ_FILE = "read_file"
    READ_TABLE = "read_table"
    ROW_OF_TABLE = "row_of_table"
    DEEP_COPY = "deep_copy"
    TOKENIZE = "tokenize"
    FORWARD = "forward"
    GENERATE = "generate"
    LOAD_MODEL = "load_model"
    COMPILE = "compile"
    START_WORKERS = "start_workers"
    EXCHANGE = "exchange"
    GROW = "grow"
    PYTHON_ROW = "python_row"
    REQUEST = "request"


class Iteration(enum.Enum):
    """What one iteration is, beside which a cost is held; more than `LoopKind` has."""

    EPOCH = "epoch"
    STEP = "step"
    LARGE_STEP = "large_step"
    BATCH = "batch"
    TOKEN = "token"
    PARAMETER = "parameter"
    LAYER = "layer"
    ROW = "row"
    FEW = "few"
    UNKNOWN = "unknown"
    REQUEST = "request"
    ITEM = "item"
    RUN = "run"


class Element(enum.Enum):
    """What works on one element of an array in an iteration of a loop."""

    NUMBER = "number"
    ARRAY = "array"
    OPERATION = "operation"
    DISPATCH = "dispatch"


_DISPATCHING = frozenset(("tensorflow", "keras", "jax"))


def numbers_by(framework: str) -> Element:
    """How a framework works on a single number."""
    found = operations_by(framework)
    return Element.NUMBER if found is Element.ARRAY else found


def operations_by(framework: str) -> Element:
    """How a framework works on a row."""
    if framework in ("numpy", "array", ""):
        return Element.ARRAY
    return Element.DISPATCH if framework in _DISPATCHING else Element.OPERATION


@functools.cache
def _table() -> Mapping[str, Mapping[str, float]]:
    path = Path(__file__).with_name("table.toml")
    return read_table(path, dict[str, Any], _parsed)


def _parsed(text: str, _: str) -> Mapping[str, Mapping[str, float]]:
    table: Mapping[str, Mapping[str, float]] = parse_toml(text)
    return table


def seconds_of(what: Cost | Iteration | Element) -> float:
    """What something takes once, in seconds."""
    return _table()[_TABLES[type(what)]][what.value]


_TABLES = {Cost: "cost", Iteration: "iteration", Element: "element"}


def share(cost: Cost, times: float, iteration: Iteration) -> float:
    """The share, from 0 to 1, that a cost paid some times has of an iteration."""
    table = _table()
    spent = table["cost"][cost.value] * times
    return spent / (spent + table["iteration"][iteration.value])


def level_of(estimate: float) -> Level | None:
    """The level that an estimate, a share of an iteration, asks for; None where it is silent."""
    threshold = _table()["threshold"]
    if estimate >= threshold["warning"]:
        return Level.WARNING
    return Level.NOTE if estimate >= threshold["note"] else None


def assumed_trip_count(kind: str) -> int:
    """The trip count that is assumed for a kind of loop where it is not known; 1 for most."""
    return int(_table()["trip_count"].get(kind, 1))


def is_many(iterations: int, runs: int, element: Element) -> bool:
    """Whether so many iterations, each working on one element, cost enough for a warning.

    All of them take place `runs` times.
    """
    many = _table()["many"]
    return iterations >= many["least"] and iterations * runs >= many[element.value]


def is_much_of_run(estimate: float) -> bool:
    """Whether a share of all that is seen of a run is worth a warning, once in it."""
    return estimate >= _table()["threshold"]["once"]


def is_long(seconds: float) -> bool:
    """Whether what is known to take so long is worth a warning though it happens once in a run."""
    return seconds >= _table()["threshold"]["once_seconds"]
