"""Frozen values that every layer may hold: where, what, how to mend it."""

from deepperf.records.finding import Finding, Level, Role, Step
from deepperf.records.fix import Edit, Fix, Safety
from deepperf.records.location import Location
from deepperf.records.pair import Pair, SourceFile
from deepperf.records.report import Attempt, Failure, Report
from deepperf.records.share import Basis, Share

__all__ = [
    "Attempt",
    "Basis",
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
    "Share",
    "SourceFile",
    "Step",
]
