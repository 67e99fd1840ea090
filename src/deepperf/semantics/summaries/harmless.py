"""What a name alone tells of calls of something that is not known."""

from __future__ import annotations

from deepperf.knowledge import members
from deepperf.knowledge.schema import Trait
from deepperf.semantics.ir.table import Kind
from deepperf.semantics.program.program import Program

_HARMLESS = frozenset(
    (
        *(Trait.COMPUTES, Trait.CREATES_ARRAY, Trait.VIEWS, Trait.PURE, Trait.PRINTS),
        *(Trait.CASTS, Trait.SYNCS_HOST, Trait.RANDOM, Trait.READS_STATE, Trait.CREATES_DATASET),
    )
)
_WRITING = frozenset((Trait.WRITES_STATE, Trait.TRAINS, Trait.RUNS_SESSION))
_NO_NAMES: frozenset[str] = frozenset()


def writes_receiver(name: str) -> bool:
    """Whether methods so named write to their object; in-place operations end in `_`."""
    if name.startswith("_"):
        return name in members.WRITING_OPERATORS
    return name in members.CHANGES or name.endswith("_")


def leaves_alone(program: Program, name: str, kind: Kind) -> bool:
    """Whether only callables are so named that leave their object and arguments as they are.

    `kind` tells methods, called as attributes, from functions.
    """
    known = program.answers.ask(_harmless_names, (kind,), bottom=_NO_NAMES)
    return name in known and not program.definitions_of(name)


def _harmless_names(program: Program, kind: Kind) -> frozenset[str]:
    known = program.knowledge
    harmless = known.trigger_names(_HARMLESS)
    if kind is Kind.ATTRIBUTE:
        writing = known.method_names(_WRITING) - members.CONVERSIONS
        return harmless - writing - members.CHANGES
    return harmless - known.trigger_names(_WRITING)
