"""All that a rule may ask about a program: the façade of the engine.

Rules see files, calls, loops, functions and expressions; behind these stand the analysis
and its syntax trees, which rules never touch. Asking costs only when the answer is needed.
"""

from __future__ import annotations

from deepperf.semantics.calls.effects import Effect
from deepperf.semantics.data.batching import Batching
from deepperf.semantics.data.workload import Workload
from deepperf.semantics.invariance.certainty import Certainty
from deepperf.semantics.loops.loops import LoopOver
from deepperf.semantics.loops.pace import Pace
from deepperf.semantics.models.predictions import Asks
from deepperf.semantics.vectorization.array_writes import Setting
from deepperf.semantics.vectorization.lookups import Picking
from deepperf.semantics.vectorization.rowwise import RowOperation, RowWork
from deepperf.semantics.vectorization.slices import Taken
from deepperf.semantics.view.batched import BatchedCall
from deepperf.semantics.view.call import Call
from deepperf.semantics.view.compilation import Compilation, RepeatedCompilation
from deepperf.semantics.view.defect import DefectiveCall
from deepperf.semantics.view.expression import Expression
from deepperf.semantics.view.file import FileView, view_file
from deepperf.semantics.view.function import Decoration, Function
from deepperf.semantics.view.gathering import Gathering
from deepperf.semantics.view.layer import Layer
from deepperf.semantics.view.lookup import Lookup
from deepperf.semantics.view.loop import Loop
from deepperf.semantics.view.path import LoopPath, RequestPath
from deepperf.semantics.view.prediction import Prediction
from deepperf.semantics.view.reading import Reading
from deepperf.semantics.view.remade import RemadeModel
from deepperf.semantics.view.sample import SampleWork
from deepperf.semantics.view.spot import Spot
from deepperf.semantics.view.training import MiscountedTraining
from deepperf.semantics.view.update import Choice, Update
from deepperf.semantics.view.variable_load import VariableLoad

__all__ = [
    "Asks",
    "BatchedCall",
    "Batching",
    "Call",
    "Certainty",
    "Choice",
    "Compilation",
    "Decoration",
    "DefectiveCall",
    "Effect",
    "Expression",
    "FileView",
    "Function",
    "Gathering",
    "Layer",
    "Lookup",
    "Loop",
    "LoopOver",
    "LoopPath",
    "MiscountedTraining",
    "Pace",
    "Picking",
    "Prediction",
    "Reading",
    "RemadeModel",
    "RepeatedCompilation",
    "RequestPath",
    "RowOperation",
    "RowWork",
    "SampleWork",
    "Setting",
    "Spot",
    "Taken",
    "Update",
    "VariableLoad",
    "Workload",
    "view_file",
]
