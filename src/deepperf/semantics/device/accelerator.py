"""Whether a project moves anything to an accelerator, and what asks whether there is one."""

from __future__ import annotations

from deepperf.knowledge.schema import Trait
from deepperf.knowledge.words import ACCELERATOR_KINDS, ACCELERATOR_WORDS, HOST_KIND
from deepperf.semantics.ir.table import UNBOUND, Kind, Op
from deepperf.semantics.objects.literals import sources
from deepperf.semantics.objects.origin import Place
from deepperf.semantics.program.program import Program
from deepperf.semantics.summaries.traits import traits_of

_FLAGS = frozenset(f"is_{kind}" for kind in ACCELERATOR_KINDS)
"""Attributes of tensors."""
_EQUAL = frozenset((("Eq",), ("In",), ("Is",)))
_MORE = ("Gt",)
_UNEQUAL = frozenset((("NotEq",), ("NotIn",), ("IsNot",)))


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


def tells_accelerator(program: Program, place: Place) -> bool:
    """Whether a condition holds wherever there is an accelerator, and asks nothing else: on one
    it is none.
    """
    return place[2] != UNBOUND and program.answers.ask(_tells, place, bottom=False)


def _tells(program: Program, path: str, number: int, index: int) -> bool:
    if program.op((path, number, index)).data in _FLAGS:
        return True
    made = sources(program, (path, number, index))
    if not made:
        return False
    return all(_is_true_there(program, place, program.op(place)) for place in made)


def _is_true_there(program: Program, place: Place, op: Op) -> bool:
    if op.kind is Kind.CALL:
        return Trait.TELLS_DEVICE in traits_of(program, place)
    if op.kind is not Kind.COMPARE:
        return False
    compared = [program.op((*place[:2], operand)) for operand in op.args]
    told = [one.data for one in compared if one.kind is Kind.CONSTANT]
    if op.data == _MORE:
        return told == [0] and tells_accelerator(program, (*place[:2], op.args[0]))
    kinds = {text.partition(":")[0] for text in told if isinstance(text, str)}
    return (op.data in _EQUAL and not kinds.isdisjoint(ACCELERATOR_KINDS)) or (
        op.data in _UNEQUAL and HOST_KIND in kinds
    )
