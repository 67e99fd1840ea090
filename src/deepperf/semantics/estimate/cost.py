"""The estimate of a finding, and the level that follows from it."""

from __future__ import annotations

import enum
import functools
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from deepperf.knowledge.compiled import parse_toml, read_table
from deepperf.records import Basis, Level, Share


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


@functools.cache
def _table() -> Mapping[str, Mapping[str, float]]:
    path = Path(__file__).with_name("table.toml")
    return read_table(path, dict[str, Any], _parsed)


def _parsed(text: str, _: str) -> Mapping[str, Mapping[str, float]]:
    table: Mapping[str, Mapping[str, float]] = parse_toml(text)
    return table


def share(cost: Cost, times: float, iteration: Iteration) -> Share:
    """The share, from 0 to 1, that a cost paid some times has of an iteration."""
    table = _table()
    spent = table["cost"][cost.value] * times
    basis = Basis(cost.value, times, iteration.value)
    return Share(spent / (spent + table["iteration"][iteration.value]), basis)


def level_of(estimate: float) -> Level | None:
    """The level that an estimate, a share of an iteration, asks for; None where it is silent."""
    threshold = _table()["threshold"]
    if estimate >= threshold["warning"]:
        return Level.WARNING
    return Level.NOTE if estimate >= threshold["note"] else None
