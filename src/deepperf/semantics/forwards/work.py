"""Whether a run of a model does work worth sparing: a product of matrices, a convolution, more."""

from __future__ import annotations

from deepperf.knowledge.layer_forms import LayerKind, layer_forms
from deepperf.knowledge.schema import Trait
from deepperf.semantics.callgraph.callees import run_by
from deepperf.semantics.ir.table import Kind
from deepperf.semantics.objects.holds import holds
from deepperf.semantics.objects.origin import Origin, Place, UnitKey, What, in_order
from deepperf.semantics.program.program import Program
from deepperf.semantics.program.three_valued import any_true
from deepperf.semantics.summaries.traits import facts_of, traits_of

_WORKING = frozenset(
    (
        *(Trait.MULTIPLIES_MATRICES, Trait.CONVOLVES, Trait.ATTENDS, Trait.CUBIC),
        *(Trait.RUNS_MODEL, Trait.GENERATES, Trait.INFERS, Trait.ASKS, Trait.PREDICTS),
    )
)
_CHEAP = frozenset(
    (
        *(Trait.ELEMENTWISE, Trait.REDUCES, Trait.ARRANGES, Trait.VIEWS, Trait.CASTS, Trait.MOVES),
        *(Trait.ADDS_AXIS, Trait.CREATES_ARRAY, Trait.CONVERTS, Trait.PURE, Trait.TELLS_SHAPE),
        *(Trait.DRAWS, Trait.GATHERS, Trait.SELECTS, Trait.JOINS, Trait.READS_NUMBERS),
        *(Trait.CREATES_VARIABLE, Trait.PRINTS, Trait.CUTS_GRADIENT),
    )
)
_WORKING_LAYERS = frozenset(
    (
        *(LayerKind.CONVOLUTION, LayerKind.TRANSPOSED, LayerKind.DEPTHWISE, LayerKind.SEPARABLE),
        *(LayerKind.DENSE, LayerKind.RECURRENT, LayerKind.RECURRENT_CONVOLUTION),
        *(LayerKind.PER_STEP, LayerKind.BOTH_WAYS),
    )
)
_NONE: bool | None = False


def does_work(program: Program, call: Place) -> bool | None:
    """Whether a call does more than go over numbers some times, whichever object it runs.

    None where a part of what it runs is not known. Of a model that may be one of two, it is asked
    of both: a schedule that is learnt or fixed is no work where the fixed one is none.
    """
    unit, op = program.unit(call[:2]), program.op(call)
    origins = in_order(holds(program, (*unit.key, op.args[0])))
    found = {_origin_works(program, one) for one in origins if _is_followed(one)}
    if False in found:
        return False
    if found:
        return None if None in found else True
    traits = traits_of(program, call)
    if not traits.isdisjoint(_WORKING):
        return True
    if not traits.isdisjoint(_CHEAP):
        return False
    return _told_by_name(program, call)


def _is_followed(origin: Origin) -> bool:
    return origin.what in (What.OBJECT, What.INSTANCE, What.BOUND, What.FUNCTION)


def _told_by_name(program: Program, call: Place) -> bool | None:
    """What the name of a function or method tells of a call of which nothing else is known."""
    unit = program.unit(call[:2])
    callee = unit.ops[unit.ops[call[2]].args[0]]
    held = holds(program, (*unit.key, program.op(call).args[0]))
    if held and all(one.name.startswith("builtins.") for one in held):
        return False
    if callee.kind is not Kind.ATTRIBUTE or facts_of(program, call):
        return None
    names = program.knowledge.method_names
    if callee.data in names(_WORKING):
        return True
    return False if callee.data in names(_CHEAP) else None


def _origin_works(program: Program, origin: Origin) -> bool | None:
    """Whether calling a layer, a model or a function does."""
    if origin.what is What.OBJECT:
        return _object_works(program, origin)
    return _of_parts([_unit_works(program, one.unit) for one in run_by(program, origin)])


def _object_works(program: Program, origin: Origin) -> bool | None:
    """Whether an object of a library's class does."""
    forms = [layer_forms().get(name) for name in program.knowledge.ancestry(origin.name)]
    for form in forms:
        if form is not None:
            return form.kind in _WORKING_LAYERS
    known = program.knowledge.type(origin.name)
    traits = known.call_traits if known is not None else frozenset[Trait]()
    if not traits.isdisjoint(_WORKING):
        return True
    if Trait.RUNS_PARTS in traits and origin.place:
        return program.answers.ask(_parts_work, origin.place[:3], bottom=_NONE)
    return False if not traits.isdisjoint(_CHEAP) else None


def _parts_work(program: Program, path: str, number: int, index: int) -> bool | None:
    """Whether one of the modules that a model is made of does."""
    made = (path, number, index)
    found: list[bool | None] = []
    for operand in program.op(made).args[1:]:
        held = holds(program, (*made[:2], operand))
        found += [_origin_works(program, one) if _is_followed(one) else None for one in held]
        found += [] if held else [None]
    return _of_parts(found)


def _unit_works(program: Program, key: UnitKey) -> bool | None:
    return program.answers.ask(_works, key, bottom=_NONE)


def _works(program: Program, path: str, number: int) -> bool | None:
    """Whether a function does; None of one that gives nothing, as of a base class does."""
    unit = program.unit((path, number))
    if any(op.kind is Kind.BINARY and op.data in ("MatMult", "MatMult=") for op in unit.ops):
        return True
    found = [does_work(program, (path, number, index)) for index in unit.calls]
    return _of_parts(found) if unit.returns else True if True in found else None


def _of_parts(found: list[bool | None]) -> bool | None:
    """Whether one does, None where there are no parts: then nothing is known of what is run."""
    return any_true(found) if found else None
