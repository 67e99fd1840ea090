"""Which runs of models, or costly operations, a loop, or a function that runs again and again,
makes on the same.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from deepperf.knowledge.schema import Trait
from deepperf.semantics.callgraph.callees import EdgeKind
from deepperf.semantics.callgraph.calls import callers
from deepperf.semantics.forwards.frozen import is_frozen
from deepperf.semantics.forwards.learnt import is_learnt, is_left_alone
from deepperf.semantics.forwards.runs import LONGEST, Run, Sought, goes_over, runs_by
from deepperf.semantics.forwards.terms import (
    EACH,
    Term,
    attributes_read,
    is_of_object,
    may_change,
    parts,
    roots_of,
    term,
)
from deepperf.semantics.frequency.loops import LoopKind, loop_kind
from deepperf.semantics.frequency.runs import hooks_of
from deepperf.semantics.ir.table import Kind, Unit
from deepperf.semantics.objects.everywhere import attributes_set
from deepperf.semantics.objects.origin import Place, UnitKey
from deepperf.semantics.program.program import Program
from deepperf.semantics.summaries.aliases import may_alter, writes_between
from deepperf.semantics.summaries.memory import ANYTHING, Root
from deepperf.semantics.summaries.reach import reached_by
from deepperf.semantics.summaries.traits import ASKING, traits_of
from deepperf.semantics.summaries.writes import Way, Write, reaches, writes, writes_in

_TRAINING = (Trait.STEPS_OPTIMIZER, Trait.STEPS_TRAINING, Trait.TRAINS, Trait.FITS)
_PLACES = frozenset(("device", "dtype"))
_EARLY = ("__init__", "__post_init__")
_CHANGING = (Trait.LOADS_MODEL, Trait.SEEDS)


class Again(NamedTuple):
    """A run that is the same in each iteration of a loop of the function, the outermost such."""

    region: int
    run: Run


_NONE: tuple[Again, ...] = ()


def runs_again(program: Program, key: UnitKey, sought: Sought = Sought.MODELS) -> tuple[Again, ...]:
    """The runs that loops of a function make again on the same, with the same weights."""
    return program.answers.ask(_runs_again, (*key, sought), _NONE)


def _runs_again(program: Program, path: str, number: int, sought: Sought) -> tuple[Again, ...]:
    unit = program.unit((path, number))
    found = []
    for index in unit.calls:
        around = tuple(unit.loops_around(index))
        for run in runs_by(program, (path, number, index), sought) if around else ():
            same = None
            for region in around:
                if _is_data_of_epoch(program, unit, region, run):
                    break
                if _IS_SAME[sought](program, unit, region, run):
                    same = region
                elif not goes_over(run, unit.key, region):
                    break
            if same is not None:
                found.append(Again(same, run))
    return tuple(found)


def _is_data_of_epoch(program: Program, unit: Unit, region: int, run: Run) -> bool:
    """Whether it runs on what each epoch goes through again, which is what epochs are for."""
    is_looped = any(part[:1] == (EACH,) for one in run.what for part in parts(one))
    return is_looped and loop_kind(program, (*unit.key, region)) is LoopKind.EPOCH


def rests_on(program: Program, unit: Unit, region: int, run: Run) -> tuple[Place, ...]:
    """The calls in a loop, or in a function for 0, that compute from what a run gives alone."""
    first = run.chain[0]
    found = []
    for index in unit.calls:
        if index == first[2] or not unit.within(unit.ops[index].region, region):
            continue
        given = unit.ops[index].args[1:]
        whole = [part for one in given for part in _needed(term(program, (*unit.key, one)))]
        rest = [part for part in whole if part != ("made", *first)]
        if len(rest) < len(whole) and all(_is_fixed(unit, region, part) for part in rest):
            found.append((*unit.key, index))
    return tuple(found)


def is_same_in(program: Program, unit: Unit, region: int, run: Run) -> bool:
    """Whether each iteration of a loop makes a run with equal weights, on what is equal."""
    whole = [part for one in run.what for part in _needed(one)]
    if not all(_is_fixed(unit, region, part) for part in whole):
        return False
    written = _apart_from_runs(program, unit, writes_in(program, unit.key, region))
    model, given = roots_of(program, run.model), roots_of(program, run.given)
    if any(may_change(write, model, given) for write in written):
        return False
    calls = [one for one in unit.calls if unit.within(unit.ops[one].region, region)]
    if any(_unsettles(program, (*unit.key, index)) for index in calls):
        return False
    frozen = is_frozen(program, run.chain[-1])
    if not any(_trains(program, (*unit.key, index)) for index in calls):
        return frozen is not False
    return frozen is True and not is_learnt(program, unit, run.given)


def _is_equal_in(program: Program, unit: Unit, region: int, run: Run) -> bool:
    """Whether each iteration of a loop computes an operation of equal operands."""
    whole = ("of", *run.what)
    if not all(_is_fixed(unit, region, part) for part in parts(whole)):
        return False
    if any(program.definitions_of(part[2]) for part in attributes_read(whole)):
        return False  # a property may compute something else each time
    read, written = roots_of(program, whole), writes_between(program, unit, region)
    if any(write.root == ANYTHING for write in written):
        return False
    if any(may_alter(program, unit, write, root) for write in written for root in read):
        return False
    if any(_is_written_default(program, part) for part in parts(whole)):
        return False
    calls = [(*unit.key, one) for one in unit.calls if unit.within(unit.ops[one].region, region)]
    if any(Trait.TELLS_TIME in traits_of(program, call) for call in calls):
        return False
    trains = any(_trains(program, call) for call in calls)
    return not trains or is_left_alone(program, unit, whole)


def _is_written_default(program: Program, part: Term) -> bool:
    """Whether a function writes to a parameter for which a call passes nothing, or `partial` has
    bound a value.
    """
    if part[:1] != ("default",):
        return False
    root = Root(("parameter", part[3]))
    return any(reaches(write, root) for write in writes(program, (part[1], part[2])))


_IS_SAME = {Sought.MODELS: is_same_in, Sought.OPERATIONS: _is_equal_in}


def runs_each_call(
    program: Program, key: UnitKey, sought: Sought = Sought.MODELS
) -> tuple[Run, ...]:
    """The runs that a function, which others run again and again, makes on the same each time:
    of what its object has held since it was made, or what stands around it.
    """
    return program.answers.ask(_runs_each_call, (*key, sought), _NO_RUNS)


_NO_RUNS: tuple[Run, ...] = ()


def _runs_each_call(program: Program, path: str, number: int, sought: Sought) -> tuple[Run, ...]:
    unit = program.unit((path, number))
    hooks = hooks_of(program, unit)
    if unit.kind not in ("function", "lambda") or not (hooks or _is_callback(program, unit)):
        return _NO_RUNS
    found = []
    for index in unit.calls:
        for run in runs_by(program, (path, number, index), sought):
            whole = [part for one in run.what for part in _needed(one)]
            if not all(_is_kept(program, unit, part) for part in whole):
                continue
            if sought is Sought.OPERATIONS:
                found += [run] if _stays(program, unit, ("of", *run.what)) else []
                continue
            frozen = is_frozen(program, run.chain[-1])
            is_same = frozen is not False if hooks == {"request"} else frozen is True
            if is_same and not is_learnt(program, unit, run.given):
                found.append(run)
    around = _runs_of_callers(program, unit.key, sought) if found else ()
    told = {run.chain[-1] for run in around}
    return tuple(run for run in found if run.chain[-1] not in told)


def _runs_of_callers(program: Program, key: UnitKey, sought: Sought) -> Iterator[Run]:
    """What loops make again that are seen to lead to a function."""
    seen, level = {key}, [key]
    for _ in range(LONGEST):
        calling = [edge.call[:2] for one in level for edge in callers(program, one)]
        level = [one for one in dict.fromkeys(calling) if one not in seen]
        seen.update(level)
        for one in dict.fromkeys(calling):
            yield from (again.run for again in runs_again(program, one, sought))


def _is_callback(program: Program, unit: Unit) -> bool:
    """Whether something that is called in a loop is handed the function, and runs it."""
    return any(
        edge.kind is EdgeKind.CALLBACK and program.unit(edge.call[:2]).loops_around(edge.call[2])
        for edge in callers(program, unit.key)
    )


def _needed(found: Term) -> Iterator[Term]:
    """A term, and the terms that it is made of, but for whose device or type it is moved to."""
    yield found
    if found[:2] == ("of", Kind.ATTRIBUTE) and found[2] in _PLACES:
        return
    for part in found[1:]:
        if isinstance(part, tuple):
            yield from _needed(part)


def _is_kept(program: Program, unit: Unit, part: Term) -> bool:
    """Whether a part of a term is the same for all calls of a function."""
    if part[:1] in (("inside",), ("made",)):
        return False
    if part[:1] == ("parameter",):
        return part[3] == 0 and program.enclosing_class(unit) is not None
    if part[:1] == ("variable",):
        owner = program.unit((part[1], part[2]))
        return len(owner.bindings.get(part[3], ())) == 1
    if part[:2] == ("of", Kind.ATTRIBUTE) and part[3][:1] == ("parameter",):
        stores = list(attributes_set(program, part[2]))
        if any(program.unit(place[:2]).name not in _EARLY for place in stores):
            return False
        kept = Root(("parameter", 0), (part[2],))
        return not any(
            write.way is not Way.UNKNOWN and reaches(write, kept)
            for method in program.units(unit.path)
            if method.parent == unit.parent and method.name not in _EARLY
            for write in _apart_from_runs(program, method, writes(program, method.key))
        )
    return True


def _stays(program: Program, unit: Unit, whole: Term) -> bool:
    """Whether a term is made of what is set once, and of no more than the program itself holds."""
    for part in attributes_read(whole):
        if is_of_object(part):
            stores = list(attributes_set(program, part[2]))
            if any(program.unit(place[:2]).name not in _EARLY for place in stores):
                return False
        elif not _is_of_framework(program, part):
            return False
    return is_left_alone(program, unit, whole)


def _is_of_framework(program: Program, part: Term) -> bool:
    """Whether it is a constant of a framework, and nothing that a server's library tells."""
    while part[:2] == ("of", Kind.ATTRIBUTE):
        part = part[3]
    return all(name.partition(".")[0] in program.knowledge.frameworks for _, name, _ in part[1:])


def _unsettles(program: Program, call: Place) -> bool:
    """Whether a call puts other weights into models, or shows that a loop takes the time."""
    reached = reached_by(program, call)
    return Trait.TELLS_TIME in traits_of(program, call) or any(t in reached for t in _CHANGING)


def _trains(program: Program, call: Place) -> bool:
    reached = reached_by(program, call)
    ways = [reached[trait].chain[-1] for trait in _TRAINING if trait in reached]
    return any(traits_of(program, way).isdisjoint(ASKING) for way in ways)


def _is_fixed(unit: Unit, region: int, part: Term) -> bool:
    """Whether a part of a term is the same for all iterations, but for what is written to it."""
    if part[:1] == ("inside",):
        return False
    if part[:1] == (EACH,):
        return part[1:4] != (*unit.key, region)
    if part[:1] == ("made",):
        return part[1:3] == unit.key and not unit.within(unit.ops[part[3]].region, region)
    if part[:1] == ("variable",) and part[1:3] == unit.key:
        bound = unit.bindings.get(part[3], ())
        return not any(unit.within(unit.ops[one].region, region) for one in bound)
    return True


def _apart_from_runs(program: Program, unit: Unit, written: tuple[Write, ...]) -> tuple[Write, ...]:
    """The writes but for those that calls may do only in so far as they run models."""
    return tuple([one for one in written if not _may_only_run(program, unit, one)])


def _may_only_run(program: Program, unit: Unit, write: Write) -> bool:
    call = (*unit.key, write.at)
    is_call = unit.ops[write.at].kind is Kind.CALL
    return write.way is Way.UNKNOWN and is_call and bool(runs_by(program, call))
