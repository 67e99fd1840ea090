"""Whether a project moves anything to an accelerator."""

from __future__ import annotations

from deepperf.knowledge.words import ACCELERATOR_WORDS
from deepperf.semantics.ir.table import Kind
from deepperf.semantics.program.program import Program


def uses_accelerator(program: Program) -> bool:
    """Whether anything in the project is moved to an accelerator, or a framework does it."""
    return program.answers.ask(_uses_accelerator, (), bottom=False)


def _uses_accelerator(program: Program) -> bool:
    for sign in sorted(ACCELERATOR_WORDS):
        for path in program.naming(sign)[:1]:
            program.units(path)  # the answer rests on one that says so
            return True
    return any(
        op.kind is Kind.CALL and unit.ops[op.args[0]].data == "to"
        for path in program.naming("device")
        for unit in program.table(path).units
        for op in unit.ops
    )
