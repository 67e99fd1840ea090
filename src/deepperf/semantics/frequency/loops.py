"""What a loop goes over, and so how often its body runs."""

from __future__ import annotations

import enum
from collections.abc import Iterator

from deepperf.knowledge.schema import Trait
from deepperf.knowledge.words import ITERATION_WRAPPERS
from deepperf.semantics.callgraph.callees import bases_of, instance_bases
from deepperf.semantics.ir.table import LOOPS, UNBOUND, Block, Kind, Op, Unit
from deepperf.semantics.objects.classes import library_bases
from deepperf.semantics.objects.holds import ARRAYS, holds
from deepperf.semantics.objects.lengths import range_length
from deepperf.semantics.objects.origin import UNKNOWN, Origin, Place, What
from deepperf.semantics.program.program import Program
from deepperf.semantics.summaries.reach import reached_by
from deepperf.semantics.summaries.traits import facts_of, traits_of

PARAMETER = "torch.nn.Parameter"
MODULE = "torch.nn.Module"
LOADER = "torch.utils.data.DataLoader"
_ENTRIES = ("items", "values", "keys")
_DICTS = ("dict", "OrderedDict")
Loop = tuple[str, int, int]
"""A loop: path of its file, number of its unit and of its region there."""


class LoopKind(enum.Enum):
    """What one iteration is."""

    EPOCH = "epoch"  # contains a loop of steps, or one over the batches of a loader
    STEP = "step"  # one training step
    BATCH = "batch"  # one batch, without training
    TOKEN = "token"  # one run of a model whose input rests on the run before
    PARAMETER = "parameter"  # one parameter or buffer of a model
    LAYER = "layer"  # one layer that a model runs
    ROW = "row"  # one element of an array
    FEW = "few"  # a known, small number of iterations
    UNKNOWN = "unknown"


def calls_in(unit: Unit, region: int) -> Iterator[int]:
    """The calls that stand in a loop's body, deeper loops included."""
    for index in unit.calls:
        if unit.within(unit.ops[index].region, region):
            yield index


def innermost_loop(unit: Unit, index: int) -> int:
    """The region of the innermost loop around an operation, -1 where there is none."""
    return next(iter(unit.loops_around(index)), -1)


def loop_kind(program: Program, loop: Loop) -> LoopKind:
    """What one iteration of a loop is."""
    return program.answers.ask(_loop_kind, loop, bottom=LoopKind.UNKNOWN)


def _loop_kind(program: Program, path: str, number: int, region: int) -> LoopKind:
    unit = program.unit((path, number))
    trains = _trains(program, unit, region)
    if trains is not None:
        return LoopKind.STEP if trains else LoopKind.EPOCH
    block = unit.regions[region]
    if block.block is not Block.WHILE:
        count = trip_count(program, (path, number, region))
        over = iterated(program, unit, region)
        if Trait.LISTS_PARAMETERS in over or _gives_parameters(program, unit, region):
            return LoopKind.PARAMETER
        if count is not None and count <= FEW_ITERATIONS:
            return LoopKind.FEW
        if _runs_layers(program, unit, region):
            return LoopKind.LAYER
        bases = instance_bases(program, (path, number, _source(unit, block.op)))
        if any(array in bases for array in ARRAYS) or _counts_rows(program, unit, region):
            return LoopKind.ROW
        if is_over_batches(program, unit, region):
            return LoopKind.BATCH
    if _feeds_model_back(program, unit, region):
        return LoopKind.TOKEN
    if any(is_over_batches(program, unit, inner) for inner in _loops_in(unit, region)):
        return LoopKind.EPOCH
    runs = (reached_by(program, (path, number, index)) for index in _same_calls(unit, region))
    ways = [way for summary in runs if (way := summary.get(Trait.RUNS_MODULE))]
    if any(way.loops == 0 and not way.seldom for way in ways):
        return LoopKind.BATCH
    return LoopKind.UNKNOWN


def _loops_in(unit: Unit, region: int) -> Iterator[int]:
    """The loops inside of a loop."""
    for inner, block in enumerate(unit.regions):
        if block.block in LOOPS and inner != region and unit.within(inner, region):
            yield inner


def is_over_batches(program: Program, unit: Unit, region: int) -> bool:
    """Whether a loop goes over what a loader gives, or over what each iteration copies over."""
    block = unit.regions[region]
    if block.block is Block.WHILE:
        return False
    bases = instance_bases(program, (*unit.key, _source(unit, block.op)))
    return LOADER in bases or _moves_element(program, unit, region)


def _gives_parameters(program: Program, unit: Unit, region: int) -> bool:
    """Whether an iteration is given a parameter: of a list or generator of them, or of several."""
    element = unit.element(region)
    if element is None:
        return False
    parts = [part for part in unit.uses(element) if unit.ops[part].kind is Kind.PART]
    return any(_is_parameter(program, (*unit.key, one)) for one in (element, *parts))


def _is_parameter(program: Program, place: Place) -> bool:
    """Whether it is a parameter, and not one thing of several kinds."""
    if PARAMETER not in instance_bases(program, place):
        return False
    known = [origin for origin in holds(program, place) if origin.what is not What.UNKNOWN]
    return all(PARAMETER in bases_of(program, frozenset((origin,))) for origin in known)


def _runs_layers(program: Program, unit: Unit, region: int) -> bool:
    """Whether a module runs one of its parts in each iteration: the one that the loop gives, or
    the one at the place that the loop counts.
    """
    owner = program.enclosing_class(unit)
    if owner is None or MODULE not in library_bases(program, owner):
        return False
    for index in calls_in(unit, region):
        callee = unit.ops[index].args[0]
        is_part = _is_given(unit, callee, region)
        if not is_part and unit.ops[callee].kind is Kind.ITEM:
            is_part = _is_given(unit, unit.ops[callee].args[1], region)
        if is_part and MODULE in instance_bases(program, (*unit.key, callee)):
            return True
    return False


def _counts_rows(program: Program, unit: Unit, region: int) -> bool:
    """Whether a loop over a `range` goes as far as some axis of an array is long, row by row."""
    op = unit.ops[_source(unit, unit.regions[region].op)]
    if op.kind is not Kind.CALL or unit.ops[op.args[0]].data != "range":
        return False
    if len(op.args) > 3 and _constant(unit, op.args[3]) not in (1, -1):
        return False  # it goes from one part of several rows to the next
    return any(_is_length(program, unit, bound) for bound in op.args[1:])


def _is_length(program: Program, unit: Unit, index: int) -> bool:
    """Whether a number is the length of an axis of an array."""
    op = unit.ops[index]
    if op.kind is Kind.CALL and unit.ops[op.args[0]].data == "len" and len(op.args) > 1:
        measured = instance_bases(program, (*unit.key, op.args[1]))
        return any(array in measured for array in ARRAYS)
    held = holds(program, (*unit.key, index))
    return Origin(What.CONSTANT, "shape") in held or _is_asked_of_array(program, unit, op)


def _is_asked_of_array(program: Program, unit: Unit, op: Op) -> bool:
    """Whether it is asked of something unknown in the way that arrays alone are asked."""
    if op.kind in (Kind.ITEM, Kind.PART):
        asked = unit.ops[op.args[0]]
        is_length = asked.kind is Kind.ATTRIBUTE and asked.data == "shape"
    else:
        asked = unit.ops[op.args[0]] if op.kind is Kind.CALL else op
        is_length = asked.kind is Kind.ATTRIBUTE and asked.data == "size" and len(op.args) > 1
    return is_length and UNKNOWN in holds(program, (*unit.key, asked.args[0]))


FEW_ITERATIONS = 4
_TRAINING = (
    Trait.STEPS_OPTIMIZER,
    Trait.BACKPROPAGATES,
    Trait.STEPS_TRAINING,
    Trait.DIFFERENTIATES,
)


def _is_given(unit: Unit, index: int, region: int) -> bool:
    """Whether an operation is what a loop's iteration is given, or a part of it."""
    op = unit.ops[index]
    while op.kind in (Kind.PART, Kind.ITEM):
        op = unit.ops[op.args[0]]
    return op.kind is Kind.ELEMENT and op.data == region


def _same_calls(unit: Unit, region: int) -> Iterator[int]:
    """The calls in a loop's body, without those of the layers or models that it goes over."""
    for index in calls_in(unit, region):
        if not _is_given(unit, unit.ops[index].args[0], region):
            yield index


def _moves_element(program: Program, unit: Unit, region: int) -> bool:
    """Whether what an iteration is given is copied to the device in it, as batches are."""
    for index in calls_in(unit, region):
        callee = unit.ops[unit.ops[index].args[0]]
        if callee.kind is not Kind.ATTRIBUTE:
            continue
        is_element = _is_given(unit, callee.args[0], region)
        if is_element and Trait.MOVES in traits_of(program, (*unit.key, index)):
            return True
    return False


def _trains(program: Program, unit: Unit, region: int) -> bool | None:
    """True where each iteration takes a training step, False where an inner loop's does."""
    for trait in _TRAINING:
        found = _reaches_each(program, unit, region, trait)
        if found is not None:
            return found
    return None


def _reaches_each(program: Program, unit: Unit, region: int, trait: Trait) -> bool | None:
    """True where an iteration reaches a trait outside of all inner loops, False only inside.

    A function that takes a last step behind its loop of steps is an inner loop all the same.
    """
    found: bool | None = None
    for index in calls_in(unit, region):
        way = reached_by(program, (*unit.key, index)).get(trait)
        if way is None:
            continue
        if innermost_loop(unit, index) == region and way.deepest == 0:
            return True
        found = False
    return found


def iterated(program: Program, unit: Unit, region: int) -> frozenset[Trait]:
    """The traits of the call that gives what a loop goes over, or what a dict is made of whose
    entries it goes over.
    """
    source = _inside_dict(unit, _source(unit, unit.regions[region].op))
    if unit.ops[source].kind is not Kind.CALL:
        return frozenset()
    facts = facts_of(program, (*unit.key, source))
    return frozenset().union(*[fact.traits for fact in facts])


def _source(unit: Unit, index: int) -> int:
    """What is iterated over, without `enumerate`, `zip` or a progress bar around it."""
    for _ in range(5):
        op = unit.ops[index]
        if op.kind is not Kind.CALL or len(op.args) < 2:
            return index
        callee = unit.ops[op.args[0]]
        if callee.kind not in (Kind.NAME, Kind.ATTRIBUTE) or callee.data not in ITERATION_WRAPPERS:
            return index
        index = op.args[1]
    return index


def _inside_dict(unit: Unit, index: int) -> int:
    """What a dict is made of whose entries a call gives; the operation itself for all others."""
    for names in (_ENTRIES, _DICTS):
        op = unit.ops[index]
        callee = unit.ops[op.args[0]] if op.kind is Kind.CALL else op
        if op.kind is not Kind.CALL or callee.data not in names:
            return index
        if callee.data in _DICTS and len(op.args) > 1:
            index = op.args[1]
        elif callee.data in _ENTRIES and callee.kind is Kind.ATTRIBUTE:
            index = callee.args[0]
    return index


def source_of(unit: Unit, region: int) -> int:
    """The operation that gives what a loop goes over, without what only wraps it."""
    return _source(unit, unit.regions[region].op)


def trip_count(program: Program, loop: Loop) -> int | None:
    """How many iterations a loop has, where constants of its function tell, or the variables that
    all it gives is unpacked into.
    """
    unit = program.unit(loop[:2])
    block = unit.regions[loop[2]]
    if block.block is Block.WHILE:
        return None
    variables = _unpacked_into(unit, loop[2]) if block.block is Block.COMPREHENSION else 0
    if variables:
        return variables
    op = unit.ops[_source(unit, block.op)]
    if op.kind in (Kind.LIST, Kind.TUPLE, Kind.SET, Kind.DICT):
        starred = any(unit.ops[part].kind is Kind.STAR for part in op.args)
        return None if starred else len(op.args)
    if op.kind is Kind.CALL and unit.ops[op.args[0]].data == "range" and not op.data:
        return range_length([_constant(unit, part) for part in op.args[1:]])
    return None


def _unpacked_into(unit: Unit, region: int) -> int:
    """How many variables get what a comprehension gives: two in `a, b = (f(x) for x in pair)`."""
    span = unit.regions[region].span
    around = unit.regions[unit.regions[region].parent]
    inside = [block for block in unit.regions if block.parent == region]
    # Conditions leave some out, a second `for` gives more.
    if any(one.block is Block.THEN or one.span == span for one in (around, *inside)):
        return 0
    same = (n for n, op in enumerate(unit.ops) if op.kind is Kind.COLLECT and op.span == span)
    users = [unit.ops[user] for made in same for user in unit.uses(made)]
    places = {op.data for op in users if op.kind is Kind.PART}
    is_whole = all(type(place) is int and place >= 0 for place in places)
    return len(places) if is_whole else 0


def _constant(unit: Unit, index: int) -> int | None:
    op = unit.ops[index]
    if op.kind is Kind.NAME:
        return None
    return op.data if op.kind is Kind.CONSTANT and type(op.data) is int else None


def _feeds_model_back(program: Program, unit: Unit, region: int) -> bool:
    """Whether a model's input in an iteration rests on what it gave in the one before."""
    from deepperf.semantics.dependence.loop_dependence import carried_into

    for index in _same_calls(unit, region):
        summary = reached_by(program, (*unit.key, index))
        if Trait.RUNS_MODULE in summary or Trait.GENERATES in summary:
            for head in carried_into(unit, index, region):
                if _rests_on(unit, head, index, region):
                    return True
    return False


def _rests_on(unit: Unit, head: int, call: int, region: int) -> bool:
    """Whether what a loop carries around in a variable is made of a call's result."""
    pending, seen = list(unit.ops[head].args[1:]), set[int]()
    while pending:
        index = pending.pop()
        if index == call:
            return True
        if index in seen or index == UNBOUND or not unit.within(unit.ops[index].region, region):
            continue
        seen.add(index)
        pending.extend(unit.ops[index].args)
    return False
