"""Whether code only runs where a module that others import is started by itself, to try it out."""

from __future__ import annotations

from deepperf.knowledge.schema import Trait
from deepperf.semantics.callgraph.calls import callers, has_unseen_callers
from deepperf.semantics.callgraph.object_calls import RUN_BY_CALLING
from deepperf.semantics.ir.table import Block, Kind, Unit
from deepperf.semantics.objects.origin import Place, UnitKey
from deepperf.semantics.program.program import Program
from deepperf.semantics.summaries.imported import is_imported
from deepperf.semantics.summaries.reach import reached_by
from deepperf.semantics.summaries.traits import calls_in_file
from deepperf.semantics.summaries.unused import is_unused

_OF_PROGRAMS = (
    Trait.BACKPROPAGATES,
    Trait.STEPS_OPTIMIZER,
    Trait.STEPS_TRAINING,
    Trait.FITS,
    Trait.TRAINS,
    Trait.HANDLES_REQUEST,
)
"""What makes of a file a program that people start, whoever else imports it."""


def is_self_test(program: Program, key: UnitKey, line: int) -> bool:
    """Whether a line of a function, or of a module, runs only to try its module out.

    A module that others import is not what people start, unless it reads options, trains or serves
    when it is started.
    """
    unit = program.unit(key)
    while unit.kind == "class":
        unit = program.unit((unit.path, unit.parent))
    if unit.kind != "module":
        return program.answers.ask(_runs_in_one, unit.key, bottom=False)
    guarded = (n for n, region in enumerate(unit.regions) if _is_guarded(unit, n))
    spans = (unit.regions[number].span for number in guarded)
    is_here = any(span[0] <= line <= span[2] for span in spans)
    return is_here and program.answers.ask(_is_tried_out, (unit.path,), bottom=False)


def is_main_guard(unit: Unit, test: int) -> bool:
    """Whether a test asks if a file is the program that is started, as it is where it runs."""
    compare = unit.ops[unit.ops[test].args[0]]
    if unit.parent >= 0 or compare.kind is not Kind.COMPARE:
        return False
    named = (unit.ops[part] for part in compare.args)
    return any(op.kind is Kind.NAME and op.data == "__name__" for op in named)


def _is_guarded(unit: Unit, region: int) -> bool:
    block = unit.regions[region]
    return block.block is Block.THEN and is_main_guard(unit, block.op)


def _runs_in_one(program: Program, path: str, number: int) -> bool:
    unit = program.unit((path, number))
    if unit.kind in ("module", "class") or _is_taken(program, unit):
        return False
    if program.enclosing_class(unit) is not None and unit.name in RUN_BY_CALLING:
        return False  # a file that tries its own layer out is made for others that import it
    if has_unseen_callers(program, unit.key):
        return False
    calls = [edge.call for edge in callers(program, unit.key)]
    return bool(calls) and all(_is_in_one(program, call) for call in calls)


def _is_taken(program: Program, unit: Unit) -> bool:
    """Whether a decorator of which nothing is known may have it run."""
    parent = program.unit((unit.path, unit.parent))
    taken = parent.ops[unit.definition]
    around = parent.around(taken.region)
    is_here = any(_is_guarded(parent, region) for region in around)
    return unit.kind == "function" and parent.kind == "module" and bool(taken.args) and not is_here


def _is_in_one(program: Program, place: Place) -> bool:
    unit = program.unit(place[:2])
    if unit.kind != "module":
        runs_in_one = program.answers.ask(_runs_in_one, unit.key, bottom=False)
        return bool(runs_in_one) or is_unused(program, unit.key) is True
    around = unit.around(unit.ops[place[2]].region)
    is_here = any(_is_guarded(unit, region) for region in around)
    return is_here and bool(program.answers.ask(_is_tried_out, (unit.path,), bottom=False))


def _is_tried_out(program: Program, path: str) -> bool:
    """Whether what a file does when it is started only tries out what others import of it."""
    if any(calls_in_file(program, path, (Trait.READS_OPTIONS, Trait.RUNS_FILE))):
        return False
    unit = program.units(path)[0]
    for index in unit.calls:
        if any(_is_guarded(unit, region) for region in unit.around(unit.ops[index].region)):
            reached = reached_by(program, (*unit.key, index))
            if any(trait in reached for trait in _OF_PROGRAMS):
                return False
    return is_imported(program, path)
