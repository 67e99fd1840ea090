"""Frozen values that every layer may hold: where, what, how to mend it."""

from deepperf.records.finding import Finding, Level, Role, Step
from deepperf.records.fix import Edit, Fix, Safety
from deepperf.records.location import Location
from deepperf.records.pair import Pair, SourceFile
from deepperf.records.report import Attempt, Failure, Report

__all__ = [
    "Attempt",
    "Edit",
    "Failure",
    "Finding",
    "Fix",
    "Level",
    "Location",
    "Pair",
    "Report",
    "Role",
    "Safety",
    "SourceFile",
    "Step",
]
