"""Functions that Python runs as they stand: each operation in them is dispatched by itself.

A function that no compiler is seen to be passed may be traced all the same, by a caller that is
not known. So something has to tell: it is reached from code that runs when a file does, or it does
what no tracer could.
"""

from __future__ import annotations

from deepperf.knowledge.schema import Trait
from deepperf.semantics.callgraph.calls import callers
from deepperf.semantics.compiled.reach import decorators
from deepperf.semantics.device.traced import is_traced
from deepperf.semantics.device.waits import WAITING, wait_at
from deepperf.semantics.ir.table import Kind, Unit
from deepperf.semantics.objects.classes import library_bases
from deepperf.semantics.objects.holds import holds
from deepperf.semantics.objects.origin import Origin, UnitKey, What
from deepperf.semantics.program.program import Program
from deepperf.semantics.summaries.reach import summary

_NEVER_TRACED = (
    Trait.SYNCS_HOST,
    Trait.READS_FILE,
    Trait.SAVES,
    Trait.LOGS_METRICS,
    Trait.PLOTS,
)
_PLAIN = frozenset(("property", "staticmethod", "classmethod", "override"))


def is_run_by_python(program: Program, key: UnitKey) -> bool:
    """Whether a function is seen to run outside of everything that is traced."""
    return program.answers.ask(_is_run, key, bottom=False)


def _is_run(program: Program, path: str, number: int) -> bool:
    unit = program.unit((path, number))
    if unit.kind == "module":
        return True
    if unit.kind == "class" or is_traced(program, unit.key) or _may_be_wrapped(program, unit):
        return False
    if _cannot_be_traced(program, unit):
        return True
    return any(is_run_by_python(program, edge.call[:2]) for edge in callers(program, unit.key))


def _may_be_wrapped(program: Program, unit: Unit) -> bool:
    """Whether a decorator of which nothing is known may compile it."""
    for at in decorators(program, unit):
        op = program.op(at)
        if op.kind is Kind.NAME and op.data in _PLAIN:
            continue
        place = (*at[:2], op.args[0]) if op.kind is Kind.CALL else at
        if not all(_is_known(program, origin) for origin in holds(program, place)):
            return True
    return False


def _is_known(program: Program, origin: Origin) -> bool:
    if origin.what is What.METHOD:
        return True  # such as `.setter`
    return origin.what is What.LIBRARY and program.fact(origin.name) is not None


def _cannot_be_traced(program: Program, unit: Unit) -> bool:
    """Whether it reads what an array holds, works with files, or keeps what it computed."""
    reached = summary(program, unit.key)
    if any(trait in reached for trait in _NEVER_TRACED) or unit.is_generator:
        return True
    if _keeps_state(program, unit):
        return True
    return any(
        wait_at(program, (*unit.key, index)) is not None
        for index, op in enumerate(unit.ops)
        if op.kind in WAITING
    )


def _keeps_state(program: Program, unit: Unit) -> bool:
    """Whether a method keeps things in its object: what is traced must not outlive the tracing.

    The modules of libraries may: these take care of it.
    """
    owner = program.enclosing_class(unit)
    if owner is None or unit.name == "__init__":
        return False
    bases = set(library_bases(program, owner))
    if any(program.knowledge.type(base) is not None for base in bases):
        return False
    return any(
        op.kind is Kind.SET_ATTRIBUTE
        and unit.ops[op.args[0]].kind is Kind.PARAMETER
        and unit.ops[op.args[0]].data == 0
        for op in unit.ops
    )
