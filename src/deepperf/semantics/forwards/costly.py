"""Which operations of libraries are worth not doing twice: those that take far longer than a pass
over their operands.
"""

from __future__ import annotations

from deepperf.knowledge.schema import Trait
from deepperf.semantics.forwards.terms import ANOTHER_RESULT
from deepperf.semantics.objects.origin import Place
from deepperf.semantics.program.program import Program
from deepperf.semantics.summaries.traits import facts_of

_COSTLY = frozenset(
    (
        *(Trait.COSTLY, Trait.CUBIC, Trait.SORTS),
        *(Trait.MULTIPLIES_MATRICES, Trait.CONVOLVES, Trait.ATTENDS),
    )
)
_LIGHT = frozenset((Trait.ARRANGES, Trait.JOINS, Trait.REDUCES, Trait.CREATES_ARRAY))
_LEFT_OUT = _LIGHT | ANOTHER_RESULT


def is_costly(program: Program, call: Place) -> bool:
    """Whether it is known to be one, and to give the same for the same operands."""
    facts = facts_of(program, call)
    return bool(facts) and all(
        not fact.traits.isdisjoint(_COSTLY)
        and Trait.COMPUTES in fact.traits
        and fact.traits.isdisjoint(_LEFT_OUT)
        for fact in facts
    )
