"""The estimate of a finding, and the level that follows from it."""

from __future__ import annotations

import enum
import functools
import sys
from collections.abc import Mapping
from pathlib import Path

from deepperf.records import Level

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib


class Cost(enum.Enum):
    """What happens once more than it need: the rows of the table of costs."""

    WAIT = "wait"
    READ = "read"
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
    GROW = "grow"
    PYTHON_ROW = "python_row"
    REQUEST = "request"


class Iteration(enum.Enum):
    """What one iteration is, beside which a cost is held; more than `LoopKind` has."""

    EPOCH = "epoch"
    STEP = "step"
    BATCH = "batch"
    TOKEN = "token"
    LAYER = "layer"
    ROW = "row"
    FEW = "few"
    UNKNOWN = "unknown"
    REQUEST = "request"
    ITEM = "item"
    RUN = "run"


@functools.cache
def _table() -> Mapping[str, Mapping[str, float]]:
    text = Path(__file__).with_name("table.toml").read_text(encoding="utf-8")
    table: Mapping[str, Mapping[str, float]] = tomllib.loads(text)
    return table


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
