"""Value numbering: what an expression computes, as a term; equal terms compute the same.

Terms are equal where the operations, and what these are made of, are: `x.to(device)` twice is
one term. What may give something else each time (a call of something unknown, a draw, the
element of a loop) is known by its operation alone. A term says nothing of when it is computed:
whoever compares two asks what was written between.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from deepperf.knowledge import members
from deepperf.knowledge.schema import Trait
from deepperf.knowledge.words import FREEZING_ATTRIBUTES
from deepperf.semantics.batching.effects import only_computes
from deepperf.semantics.callgraph.arguments import supplied
from deepperf.semantics.callgraph.callees import Callee, callees
from deepperf.semantics.frequency.loops import LoopKind, is_over_batches, loop_kind
from deepperf.semantics.ir.table import UNBOUND, Block, Kind, Op, Unit, has_default
from deepperf.semantics.objects.holds import holds
from deepperf.semantics.objects.origin import Place, What
from deepperf.semantics.program.program import Program
from deepperf.semantics.summaries.aliases import written_with
from deepperf.semantics.summaries.memory import Root, roots, variable
from deepperf.semantics.summaries.reach import reached_by
from deepperf.semantics.summaries.traits import facts_of, traits_of
from deepperf.semantics.summaries.writes import Way, Write, reaches, writes

Term = tuple[Any, ...]
DEEPEST = 16
"""Operations inside each other that a term shows; what lies deeper is known by its operation."""
LARGEST = 400
"""Terms of which one may be made; what is larger is known by its operation, as what lies deeper."""
EACH = "each"
"""How the term of the elements begins that a loop goes over, in the same order each time."""
_SAME_RESULT = frozenset(
    (
        *(Trait.COMPUTES, Trait.ARRANGES, Trait.VIEWS, Trait.CASTS, Trait.MOVES, Trait.ADDS_AXIS),
        *(Trait.CREATES_ARRAY, Trait.CONVERTS, Trait.PURE, Trait.TELLS_SHAPE, Trait.CUTS_GRADIENT),
        *(Trait.TOKENIZES, Trait.GIVES_BACK),
    )
)
ANOTHER_RESULT = frozenset(
    (
        *(Trait.RANDOM, Trait.DRAWS, Trait.DRAWS_ELEMENT, Trait.READS_STATE, Trait.WRITES_STATE),
        *(Trait.READS_FILE, Trait.GIVES_NEXT, Trait.CREATES_VARIABLE, Trait.CREATES_LAYER),
    )
)
_OVER_DATA = frozenset((LoopKind.STEP, LoopKind.EPOCH))
_BY_NAME = (Trait.VIEWS, Trait.MOVES, Trait.CASTS, Trait.ADDS_AXIS, Trait.CUTS_GRADIENT)
_FIXED = frozenset((What.LIBRARY, What.FUNCTION, What.CLASS, What.MODULE))
_STRUCTURAL = frozenset(
    (
        *(Kind.BINARY, Kind.UNARY, Kind.COMPARE, Kind.SLICE, Kind.LIST, Kind.TUPLE, Kind.STAR),
        *(Kind.ATTRIBUTE, Kind.PART, Kind.FORMAT),
    )
)


_NOTHING: frozenset[int] = frozenset()
_Sized = tuple[Term, int]
"""A term, and of how many terms it is made."""
_Known = dict[tuple[Place, int], _Sized]


def term(program: Program, place: Place) -> Term:
    """What the result of an operation is computed as, in the words of its function."""
    return _sized(program, place, DEEPEST, {})[0]


def _sized(program: Program, place: Place, depth: int, known: _Known) -> _Sized:
    # What is read twice is a part twice: computed once, or that would double with each level.
    found = known.get((place, depth))
    if found is None:
        found = known[place, depth] = _computed(program, place, depth, known)
    return found


def _computed(program: Program, place: Place, depth: int, known: _Known) -> _Sized:
    unit = program.unit(place[:2])
    if place[2] == UNBOUND:
        return ("unbound",), 1
    op = unit.ops[place[2]]
    if op.kind is Kind.PARAMETER:
        return ("parameter", *place[:2], op.data), 1
    if op.kind is Kind.CONSTANT:
        return ("constant", type(op.data).__name__, repr(op.data)), 1
    if op.kind is Kind.NAME:
        name = _name(program, unit, place, op)
        return name, size(name)
    if op.kind is Kind.IMPORT and (fixed := _fixed(program, place)):
        return fixed, size(fixed)
    made = _parts_of(program, unit, place, op) if depth else None
    if made is None:
        return ("made", *place), 1
    head, operands = made
    inner = [_sized(program, (*place[:2], one), depth - 1, known) for one in operands]
    whole = 1 + sum(count for _, count in inner)
    if whole > LARGEST:
        return ("made", *place), 1
    return (*head, *[part for part, _ in inner]), whole


def _parts_of(
    program: Program, unit: Unit, place: Place, op: Op
) -> tuple[Term, tuple[int, ...]] | None:
    """How a term begins, and the operands of which it is made; None where all of it is unknown,
    or where it is an object that is written to: two of those are not the same.
    """
    if is_written_to(program, place):
        return None
    if op.kind in _STRUCTURAL and not str(op.data).endswith("="):
        return ("of", op.kind, str(op.data)), op.args
    if op.kind is Kind.DICT and -1 not in op.data:
        return ("of", op.kind, ""), (*op.data, *op.args)
    if op.kind is Kind.ITEM and not _is_own_class(program, (*unit.key, op.args[0])):
        return ("of", op.kind, ""), op.args
    if op.kind is Kind.PART:
        beside = _beside(unit, op)
        if beside is not None and _is_list(program, unit, unit.ops[op.args[0]]):
            return (EACH, *unit.key, unit.ops[op.args[0]].data), (beside,)
    if op.kind is Kind.ELEMENT and _is_list(program, unit, op):
        return (EACH, *unit.key, op.data), op.args
    if op.kind is Kind.COLLECT and not _is_filtered(unit, op):
        return ("of", op.kind, str(op.data)), op.args
    if op.kind is Kind.CALL and unit.ops[op.args[0]].data == "super" and len(op.args) == 1:
        return ("super",), _object(unit)
    if op.kind is Kind.CALL and _gives_the_same(program, unit, place, op):
        return ("of", op.kind, str(op.data)), op.args
    return None


def is_written_to(program: Program, place: Place) -> bool:
    """Whether its function writes to the result of an operation."""
    return place[2] in program.answers.ask(_written_to, place[:2], bottom=_NOTHING)


def _written_to(program: Program, path: str, number: int) -> frozenset[int]:
    """The operations of a function whose results it writes to, or to what holds them."""
    unit = program.unit((path, number))
    return frozenset(
        base[1]
        for write in writes(program, unit.key)
        if write.way is not Way.UNKNOWN
        for base in written_with(program, unit, write)
        if base[0] == "made"
    )


def _object(unit: Unit) -> tuple[int, ...]:
    """The object of a method: its first parameter."""
    return tuple([n for n, op in enumerate(unit.ops) if op.kind is Kind.PARAMETER][:1])


def _name(program: Program, unit: Unit, place: Place, op: Op) -> Term:
    fixed = _fixed(program, place)
    if fixed:
        return fixed
    found = variable(program, unit, op.data)
    return ("builtin", op.data) if found is None else found.base


def _fixed(program: Program, place: Place) -> Term:
    """The term of a library's or the project's function, class or module; () for others."""
    held = holds(program, place)
    if held and all(origin.what in _FIXED for origin in held):
        return ("fixed", *sorted((o.what, o.name, str(o.place)) for o in held))
    return ()


def _beside(unit: Unit, part: Op) -> int | None:
    """What a part of each element comes from, of a loop over what `zip` puts side by side."""
    element = unit.ops[part.args[0]]
    over = unit.ops[element.args[0]] if element.kind is Kind.ELEMENT else part
    if over.kind is not Kind.CALL or type(part.data) is not int or over.data:
        return None
    name, given = unit.ops[over.args[0]].data, over.args[1:]
    if name == "enumerate" and part.data == 1:
        return given[0]
    return given[part.data] if name == "zip" and part.data < len(given) else None


def _is_list(program: Program, unit: Unit, op: Op) -> bool:
    """Whether a loop goes over the same each time that it is come to: no batches of a loader."""
    if loop_kind(program, (*unit.key, op.data)) in _OVER_DATA:
        return False
    if is_over_batches(program, unit, op.data):
        return False
    return not _is_own_class(program, (*unit.key, op.args[0]))


def _is_filtered(unit: Unit, op: Op) -> bool:
    """Whether a comprehension leaves elements out, or is not told from another by its elements."""
    inner = {region for value in op.args for region in unit.around(unit.ops[value].region)}
    own = inner - set(unit.around(op.region))
    return not own or any(unit.regions[region].block is not Block.COMPREHENSION for region in own)


def _is_own_class(program: Program, place: Place) -> bool:
    """Whether indexing a value may run a method of the project, which may give anything."""
    return any(origin.what is What.INSTANCE for origin in holds(program, place))


def _gives_the_same(program: Program, unit: Unit, place: Place, op: Op) -> bool:
    """Whether a call is known to give the same for the same arguments, and to change nothing."""
    if not FREEZING_ATTRIBUTES.isdisjoint(op.data):
        return False  # a training may change what it makes
    facts = facts_of(program, place)
    if facts:
        return all(
            fact.traits & _SAME_RESULT and not fact.traits & ANOTHER_RESULT for fact in facts
        )
    run = callees(program, place)
    if run:
        whole = all(only_computes(program, program.unit(one.unit), 0) for one in run)
        return whole and not ANOTHER_RESULT & reached_by(program, place).keys()
    traits = traits_of(program, place)
    if traits:
        return not traits.isdisjoint(_SAME_RESULT) and traits.isdisjoint(ANOTHER_RESULT)
    callee = unit.ops[op.args[0]]
    name = callee.data if callee.kind is Kind.ATTRIBUTE else ""
    is_named = name in members.TEXT_METHODS or name in program.knowledge.method_names(_BY_NAME)
    return is_named and not program.definitions_of(name)


def inlined(program: Program, call: Place, callee: Callee, found: Term) -> Term:
    """A term of a function in the words of a call of it: arguments stand for its parameters."""
    target = program.unit(callee.unit)
    passed: dict[int, Term] = {}

    def one(part: Term) -> Term:
        if part[:1] == ("parameter",) and part[1:3] == callee.unit:
            number = part[3]
            if number not in passed:
                passed[number] = _supplied(program, call, callee, target, number)
            return passed[number]
        if part[:1] == ("variable",) and part[1:3] == callee.unit:
            return ("inside", call, part)
        if part[:1] in (("made",), ("inside",)):
            return ("inside", call, part)
        whole = tuple([one(inner) if isinstance(inner, tuple) else inner for inner in part])
        return _passed_on(whole) if whole[:2] == ("of", Kind.STAR) else whole

    return one(found)


def _passed_on(star: Term) -> Term:
    """`*arguments` or `**options`, where a function passes on all that it was passed as such."""
    rest = star[3]
    if rest[0] != "rest" or len(rest) != 2:
        return star
    alone = rest[1][1] if rest[1][0] == "**" else rest[1]
    return alone if alone[:2] == ("of", Kind.STAR) else star


def _supplied(program: Program, call: Place, callee: Callee, target: Unit, number: int) -> Term:
    passing = target.parameters[number].passing
    if passing in ("*", "**") and number >= callee.skip:
        return _rest(program, call, callee, target, passing)
    operand = supplied(program, call, callee, number)
    if operand is None:
        return ("default", *target.key, number) if has_default(target, number) else _new(call)
    if operand == UNBOUND:
        return ("inside", call, ("argument", number))
    return term(program, (*call[:2], operand))


def _new(call: Place) -> Term:
    """What a call alone makes or knows: a new object, or what `partial` has bound."""
    return ("inside", call, ("new",))


def _rest(program: Program, call: Place, callee: Callee, target: Unit, passing: str) -> Term:
    """What `*args` or `**options` of a function get from a call."""
    op = program.op(call)
    positional = len(op.args) - 1 - len(op.data)
    if passing == "*":
        named = sum(one.passing == "" for one in target.parameters) - callee.skip
        rest = op.args[callee.start + named : 1 + positional]
        return ("rest", *[term(program, (*call[:2], operand)) for operand in rest])
    names = {one.name for one in target.parameters}
    given = zip(op.data, op.args[1 + positional :], strict=True)
    others = sorted((name, operand) for name, operand in given if name not in names)
    return ("rest", *[(name, term(program, (*call[:2], operand))) for name, operand in others])


def is_of_object(found: Term) -> bool:
    """Whether it reads an attribute of an object, and is no name of a library."""
    owner = found
    while owner[:2] == ("of", Kind.ATTRIBUTE):
        owner = owner[3]
    return owner is not found and owner[:1] != ("fixed",)


def attributes_read(found: Term) -> Iterator[Term]:
    """The attributes whose values a term is made of, but for the names of what it calls."""
    called = found[3] if found[:2] == ("of", Kind.CALL) else None
    for part in found[1:]:
        if isinstance(part, tuple):
            if part is not called and part[:2] == ("of", Kind.ATTRIBUTE):
                yield part
            yield from attributes_read(part)


def parts(found: Term) -> Iterator[Term]:
    """A term, and the terms that it is made of."""
    yield found
    for part in found[1:]:
        if isinstance(part, tuple):
            yield from parts(part)


def size(found: Term) -> int:
    return sum(1 for _ in parts(found))


def roots_of(program: Program, found: Term) -> frozenset[Root]:
    """What a term reads: the variables and objects, and their attributes, a write may change."""
    read: set[Root] = set()
    _collect(program, found, (), read.update)
    return frozenset(read)


def may_change(write: Write, model: frozenset[Root], given: frozenset[Root]) -> bool:
    """Whether a write may make another run of a model, on what it was given, another."""
    # Code that is not known may train a model; hardly any changes what it is given.
    read = model if write.way is Way.UNKNOWN else model | given
    return any(reaches(write, root) for root in read)


def _collect(
    program: Program, found: Term, path: tuple[str, ...], add: Callable[[Any], None]
) -> None:
    head = found[:1]
    if head == ("parameter",):
        add([Root(("parameter", found[3])).on(*path)])
    elif head == ("variable",):
        add([Root(found).on(*path)])
    elif head == ("made",):
        add([root.on(*path) for root in roots(program, (found[1], found[2], found[3]))])
    elif found[:2] == ("of", Kind.ATTRIBUTE):
        _collect(program, found[3], (found[2], *path), add)
    else:
        for part in found[1:]:
            if isinstance(part, tuple):
                _collect(program, part, (), add)
