"""All that a rule may ask about a program.

Rules see files, functions, loops, calls and values. Behind these stand the floors below; an
answer costs only when it is asked for, and "unknown" is one of the answers.
"""

from __future__ import annotations

from deepperf.semantics.dependence.loop_dependence import Dependence
from deepperf.semantics.device.residence import Residence
from deepperf.semantics.estimate.cost import (
    Cost,
    Iteration,
    level_of,
    share,
)
from deepperf.semantics.forwards.input_kinds import InputKind
from deepperf.semantics.frequency.guards import Guard
from deepperf.semantics.frequency.loops import LoopKind
from deepperf.semantics.ir.table import Kind
from deepperf.semantics.query.call import Call
from deepperf.semantics.query.changing import changes, is_changed_by, is_number, loops_around
from deepperf.semantics.query.compilation import Compilation
from deepperf.semantics.query.file import File, file_of
from deepperf.semantics.query.function import Function
from deepperf.semantics.query.loop import Loop, Wait
from deepperf.semantics.query.numbers import Number, is_one_of_few, number_of
from deepperf.semantics.query.repeated import Repeated, repeated
from deepperf.semantics.query.run import RunAgain, RunTwice
from deepperf.semantics.query.told import MISSING
from deepperf.semantics.query.value import Value
from deepperf.semantics.summaries.writes import Written

__all__ = [
    "MISSING",
    "Call",
    "Compilation",
    "Cost",
    "Dependence",
    "File",
    "Function",
    "Guard",
    "InputKind",
    "Iteration",
    "Kind",
    "Loop",
    "LoopKind",
    "Number",
    "Repeated",
    "Residence",
    "RunAgain",
    "RunTwice",
    "Value",
    "Wait",
    "Written",
    "changes",
    "file_of",
    "is_changed_by",
    "is_number",
    "is_one_of_few",
    "level_of",
    "loops_around",
    "number_of",
    "repeated",
    "share",
]
