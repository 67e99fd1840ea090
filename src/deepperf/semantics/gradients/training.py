"""Whether a training step is seen to come to an operation."""

from __future__ import annotations

from deepperf.knowledge.schema import Trait
from deepperf.semantics.callgraph.calls import callers
from deepperf.semantics.frequency.guards import guard_of
from deepperf.semantics.frequency.loops import LoopKind, loop_kind
from deepperf.semantics.gradients.recording import has_hook, is_gradient_free
from deepperf.semantics.ir.table import LOOPS
from deepperf.semantics.objects.origin import Place, UnitKey
from deepperf.semantics.program.program import Program


def is_in_step(program: Program, place: Place) -> bool:
    """Whether most training steps come to an operation, while gradients are recorded.

    That a model runs it is not enough: models are evaluated and used, too.
    """
    if is_gradient_free(program, place):
        return False
    unit = program.unit(place[:2])
    for region in unit.around(unit.ops[place[2]].region):
        if guard_of(program, unit, region).is_rare:
            return False
        is_loop = unit.regions[region].block in LOOPS
        if is_loop and loop_kind(program, (*unit.key, region)) is LoopKind.STEP:
            return True
    return _is_run_in_step(program, unit.key)


def _is_run_in_step(program: Program, key: UnitKey) -> bool:
    return program.answers.ask(_function_is_in_step, key, bottom=False)


def _function_is_in_step(program: Program, path: str, number: int) -> bool:
    unit = program.unit((path, number))
    if has_hook(program, unit, Trait.RUNS_EACH_STEP):
        return True
    return any(is_in_step(program, edge.call) for edge in callers(program, unit.key))
