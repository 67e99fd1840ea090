"""Tiny PyTorch operations, or reads of single elements, are run one by one in a Python loop."""

from __future__ import annotations

from collections.abc import Iterable

from deepperf.dynamic.diagnosis import Diagnosis
from deepperf.dynamic.frameworks import torch_operations
from deepperf.dynamic.program.dispatch_loops import BESIDE, Dialect, diagnoses
from deepperf.dynamic.program.operation_loops import Words, cases
from deepperf.dynamic.recording.tape import Tape
from deepperf.dynamic.recording.trace import Trace

NAME = "torch-loops"
RULES = (
    "looped-branch",
    "looped-draw",
    "looped-lookup",
    "looped-update",
    "per-slice-op",
    "row-wise-map",
)
WORDS = Words(
    reads=("from_file",),
    draws=("rand", "normal", "uniform_", "bernoulli", "multinomial"),
    updates=("__setitem__", "index_put", "index_fill", "select_scatter"),
    lookups=torch_operations.LOOKUPS,
    around=("to", "float", "long", "tensor", "unsqueeze", "squeeze", "reshape", "view", "stack"),
    makes=("tensor", "as_tensor", "from_numpy", "scalar_tensor"),
)
CASES = cases(
    "a tensor",
    {
        "update": "collect indices and values, and set all with one indexed assignment or "
        "`index_put_`; for a mask, compare with `torch.arange`",
        "draw": "draw all of them with one call with their shape, and scale the result by the "
        "bounds",
        "make": "put the values into one list or NumPy array, and create one tensor from it",
        "lookup": "read all of them with one index, `x[indices]`, or by `torch.gather`",
        "slice": "apply them once to the whole tensor, with `dim` for the slices, or map "
        "them by `torch.vmap`",
        "map": "apply its operations to all rows at once, with `dim`, or map it with `torch.vmap`",
        "branch": "compute both formulas for the whole tensor, and select with `torch.where`",
        "scalar": "read all of them at once with `tolist()`, or compute with the whole tensor and "
        "read the result",
    },
)
DIALECT = Dialect(NAME, WORDS, CASES, torch_operations.EACH, BESIDE | {"torch"})


def watch(tape: Tape) -> None:
    """Listen to operations once PyTorch is there, as long as the budget lasts."""
    torch_operations.listen(tape, NAME)


def diagnose(trace: Trace) -> Iterable[Diagnosis]:
    """The loops in which tiny operations were heard, each for what it is a case of."""
    return diagnoses(trace, DIALECT)
