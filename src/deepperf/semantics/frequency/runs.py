"""How often a function runs: the loops around its calls, and the hooks of frameworks."""

from __future__ import annotations

from deepperf.knowledge.schema import Trait
from deepperf.knowledge.words import REQUEST_VERBS
from deepperf.semantics.callgraph.calls import callers
from deepperf.semantics.frequency.guards import Guard, guard_of
from deepperf.semantics.frequency.loops import LoopKind, loop_kind
from deepperf.semantics.ir.table import LOOPS, Kind, Unit
from deepperf.semantics.objects.classes import library_bases
from deepperf.semantics.objects.holds import holds
from deepperf.semantics.objects.origin import Place, UnitKey
from deepperf.semantics.program.program import Program

Often = frozenset[str]
"""What the code runs for: the values of `LoopKind`, "request", "item" and "run"."""
_NONE: Often = frozenset()
_REPEATED = frozenset(("step", "batch", "item", "row", "request", "token", "parameter", "layer"))
_SELDOM = "seldom"
ONCE: frozenset[str] = frozenset(("run",))
"""For what a program runs that nothing repeats."""
_HOOKS = {
    Trait.RUNS_EACH_STEP: "step",
    Trait.RUNS_EACH_ITEM: "item",
    Trait.RUNS_EACH_EPOCH: "epoch",
    Trait.HANDLES_REQUEST: "request",
}


def how_often(program: Program, key: UnitKey) -> Often:
    """For what a function runs, on any way to it; nothing where nobody is seen to call it."""
    return program.answers.ask(_how_often, key, bottom=_NONE)


def _how_often(program: Program, path: str, number: int) -> Often:
    unit = program.unit((path, number))
    if unit.kind in ("module", "class"):
        return ONCE
    if _is_memoized(program, unit):
        return frozenset((_SELDOM,))
    found = set(hooks_of(program, unit))
    for edge in callers(program, unit.key):
        found |= around(program, edge.call)
    if not found and unit.name == "__init__":
        found.add("run")  # whatever makes such objects again and again would be seen
    return frozenset(found)


def is_seldom(runs_for: Often) -> bool:
    """Whether what runs for these is known to run seldom, on some way to it."""
    return _SELDOM in runs_for


def is_often(runs_for: Often) -> bool | None:
    """Whether what runs for these runs again and again, seldom on no way to it; None where only
    loops are seen of which nothing is known.
    """
    if is_seldom(runs_for):
        return False
    if runs_for.isdisjoint(_REPEATED):
        return None if LoopKind.UNKNOWN.value in runs_for else False
    return True


def around(program: Program, place: Place) -> Often:
    """For what an operation runs: the loops of its function around it, and its function."""
    unit = program.unit(place[:2])
    found = set[str]()
    for region in unit.around(unit.ops[place[2]].region):
        guard = guard_of(program, unit, region)
        # A training that every n-th iteration begins is what the program is for.
        is_training = guard is Guard.SELDOM and LoopKind.STEP.value in found
        if guard.is_rare and not is_training:
            return frozenset((_SELDOM,))
        if unit.regions[region].block in LOOPS:
            kind = loop_kind(program, (*unit.key, region))
            if kind is not LoopKind.FEW:
                found.add(kind.value)
    return frozenset(found) | how_often(program, unit.key)


def hooks_of(program: Program, unit: Unit) -> Often:
    """For what a framework runs a function: as a method that it overrides, or by a decorator."""
    found = set()
    owner = program.enclosing_class(unit)
    for base in library_bases(program, owner) if owner is not None else ():
        method = program.knowledge.method(base, unit.name)
        fact = program.fact(method) if method else None
        if fact is not None:
            found |= {word for trait, word in _HOOKS.items() if trait in fact.traits}
        served = program.fact(base) if unit.name.lower().startswith(REQUEST_VERBS) else None
        if served is not None and Trait.HANDLES_REQUEST in served.traits:
            found.add("request")
        if base == "torch.nn.Module" and unit.name == "forward":
            found.add("step")
    for decorator in _decorators(program, unit):
        for origin in holds(program, decorator):
            fact = program.fact(origin.name) if origin.name else None
            if fact is not None and Trait.HANDLES_REQUEST in fact.traits:
                found.add("request")
    return frozenset(found)


def _is_memoized(program: Program, unit: Unit) -> bool:
    """Whether what it gave is kept, so that it runs once for equal arguments."""
    origins = [one for place in _decorators(program, unit) for one in holds(program, place)]
    facts = [program.fact(origin.name) for origin in origins if origin.name]
    return any(fact is not None and Trait.MEMOIZES in fact.traits for fact in facts)


def _decorators(program: Program, unit: Unit) -> list[Place]:
    parent = program.unit((unit.path, unit.parent))
    found: list[Place] = []
    for index in parent.ops[unit.definition].args:
        op = parent.ops[index]
        called = op.args[0] if op.kind is Kind.CALL else index
        found.append((*parent.key, called))
    return found
