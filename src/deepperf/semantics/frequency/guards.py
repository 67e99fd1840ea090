"""Conditions that hold in few iterations, once, or only where somebody asks for it."""

from __future__ import annotations

import enum

from deepperf.semantics.frequency.options import default_of, defaults, values_of
from deepperf.semantics.ir.table import LOOPS, UNBOUND, Block, Kind, Op, Unit
from deepperf.semantics.program.program import Program

_OPPOSITE = {Block.THEN: Block.ELSE, Block.ELSE: Block.THEN}
FEW = 5
"""`step < n` counts as seldom for a constant up to this one."""
RARE = 0.1
"""So does `random() < p`."""


class Guard(enum.IntEnum):
    """How often a condition holds."""

    UNKNOWN = 0
    SELDOM = 1  # in few iterations: `step % n == 0`, the first, the last, an error
    ONCE = 2  # the first time, or it leaves the loop
    OFF = 3  # only where an option that is false by default is set, or in no run of Python

    @property
    def is_rare(self) -> bool:
        """Whether it is known to hold in few iterations or calls, or in none."""
        return self is not Guard.UNKNOWN


def guard_of(program: Program, unit: Unit, region: int) -> Guard:
    """How often the condition of a region holds, beside the iterations of the loop around it."""
    if unit.regions[region].block not in _CONDITIONAL:
        return Guard.UNKNOWN
    return program.answers.ask(_guard_of, (*unit.key, region), bottom=Guard.UNKNOWN)


_CONDITIONAL = frozenset((Block.THEN, Block.ELSE, Block.HANDLER))


def _guard_of(program: Program, path: str, number: int, region: int) -> Guard:
    unit = program.unit((path, number))
    block = unit.regions[region]
    if block.block is Block.HANDLER:
        return Guard.SELDOM
    if block.leaves and any(unit.regions[outer].block in LOOPS for outer in unit.around(region)):
        return Guard.ONCE
    test = unit.ops[block.op]
    if test.data == "match":
        return Guard.UNKNOWN
    if block.block is Block.THEN and _is_filled_in(unit, region, test):
        return Guard.ONCE
    return _condition(program, unit, test.args[0], block.block)


def reached_parts(program: Program, unit: Unit, logic: Op) -> tuple[int, ...]:
    """The parts of `a and b` that are looked at often: none behind one that seldom goes on."""
    going_on = Block.THEN if logic.data == "and" else Block.ELSE
    for position, part in enumerate(logic.args[:-1]):
        if _condition(program, unit, part, going_on).is_rare:
            return logic.args[: position + 1]
    return logic.args


def _condition(program: Program, unit: Unit, index: int, wanted: Block) -> Guard:
    """How often an expression is true (or false, as `wanted` says)."""
    if index == UNBOUND:
        return Guard.UNKNOWN
    return program.answers.ask(_true, (*unit.key, index, wanted), bottom=Guard.UNKNOWN)


def _true(program: Program, path: str, number: int, index: int, wanted: Block) -> Guard:
    unit = program.unit((path, number))
    op = unit.ops[index]
    kind = op.kind
    if kind is Kind.UNARY and op.data == "Not":
        return _condition(program, unit, op.args[0], _OPPOSITE[wanted])
    if kind is Kind.LOGIC:
        # `a and b` holds no more often than its rarer part; `a or b` fails no more often.
        parts = [_condition(program, unit, part, wanted) for part in op.args]
        rarest = (op.data == "and") is (wanted is Block.THEN)
        return max(parts) if rarest else min(parts)
    if kind is Kind.BINARY and op.data == "Mod":
        return Guard.UNKNOWN if wanted is Block.THEN else Guard.SELDOM
    if kind is Kind.COMPARE:
        right = unit.ops[op.args[-1]]
        if op.data in (("Is",), ("Eq",)) and right.kind is Kind.CONSTANT and right.data is True:
            return _condition(program, unit, op.args[0], wanted)
        return _comparison(program, unit, op, wanted)
    if kind is Kind.CALL:
        return _called(program, unit, index, wanted)
    if kind in (Kind.PHI, Kind.CYCLE):
        return _met(program, unit, op, wanted)
    if kind is Kind.CONSTANT:
        return Guard.UNKNOWN if _agrees(op, wanted) else Guard.OFF
    return _flag(program, unit, op, wanted)


def _agrees(constant: Op, wanted: Block) -> bool:
    """Whether a literal has the truth that is wanted."""
    return bool(constant.data) is (wanted is Block.THEN)


def _comparison(program: Program, unit: Unit, op: Op, wanted: Block) -> Guard:
    if len(op.data) != 1:
        return Guard.UNKNOWN
    left, right = (unit.ops[operand] for operand in op.args)
    is_true = wanted is Block.THEN
    equal = op.data[0] in ("Eq", "Is")
    unequal = op.data[0] in ("NotEq", "IsNot")
    if (equal or unequal) and right.kind is Kind.CONSTANT:
        given = values_of(program, unit, op.args[0])
        if given and all((value == right.data) is not (equal is is_true) for value in given):
            return Guard.OFF
    if left.kind is Kind.BINARY and left.data == "Mod" and (equal or unequal):
        return Guard.SELDOM if equal is is_true else Guard.UNKNOWN
    if (equal and is_true) or (unequal and not is_true):
        if _counts(program, unit, op.args[0]) or _counts(program, unit, op.args[1]):
            return Guard.SELDOM
        return Guard.UNKNOWN
    if op.data[0] == ("In" if is_true else "NotIn") and _counts(program, unit, op.args[0]):
        return Guard.SELDOM  # one of the iterations that somebody chose
    below = op.data[0] in ("Lt", "LtE")
    if not (below and is_true and right.kind is Kind.CONSTANT):
        return Guard.UNKNOWN
    small = isinstance(right.data, int) and right.data <= FEW
    rare = isinstance(right.data, float) and right.data <= RARE
    if small and _counts(program, unit, op.args[0]):
        return Guard.SELDOM
    return Guard.SELDOM if rare and _is_drawn(program, unit, op.args[0]) else Guard.UNKNOWN


def _is_drawn(program: Program, unit: Unit, index: int) -> bool:
    """Whether an expression is a number from 0 to 1 that chance chooses."""
    from deepperf.knowledge.schema import Trait
    from deepperf.semantics.summaries.traits import traits_of

    is_call = unit.ops[index].kind is Kind.CALL
    return is_call and Trait.DRAWS_SHARE in traits_of(program, (*unit.key, index))


def _counts(program: Program, unit: Unit, index: int) -> bool:
    """Whether an expression counts iterations: of a range, of `enumerate`, or by adding."""
    return program.answers.ask(_counting, (*unit.key, index), bottom=False)


def _counting(program: Program, path: str, number: int, index: int) -> bool:
    from deepperf.semantics.callgraph.calls import arguments_for

    unit = program.unit((path, number))
    op = unit.ops[index]
    if op.kind is Kind.BINARY and op.data in ("Add", "Sub", "Add="):
        return any(
            _counts(program, unit, part)
            for part in op.args
            if unit.ops[part].kind is not Kind.CONSTANT
        )
    if op.kind is Kind.PART:
        element = unit.ops[op.args[0]]
        return (
            op.data == 0 and element.kind is Kind.ELEMENT and _called_by(unit, element, "enumerate")
        )
    if op.kind is Kind.ELEMENT:
        return _called_by(unit, op, "range")
    if op.kind is Kind.CYCLE:
        return any(_adds_to(unit, index, part) for part in op.args[1:])
    if op.kind is Kind.PHI:
        return any(_counts(program, unit, part) for part in op.args if part != UNBOUND)
    if op.kind is Kind.PARAMETER:
        given = arguments_for(program, unit.key, op.data)
        return any(
            _counts(program, program.unit(one[:2]), one[2]) for one in given if one[2] != UNBOUND
        )
    return False


def _adds_to(unit: Unit, head: int, index: int) -> bool:
    """Whether what a loop carries around is the value before and something added, perhaps."""
    pending, seen = [index], set[int]()
    while pending:
        part = pending.pop()
        op = unit.ops[part]
        if op.kind is Kind.BINARY and head in op.args:
            return True
        if op.kind is Kind.PHI and part not in seen:
            seen.add(part)
            pending.extend(op.args)
    return False


def _called_by(unit: Unit, element: Op, name: str) -> bool:
    """Whether what is iterated over is a call of a builtin, perhaps wrapped for a progress bar."""
    pending = [element.args[0]]
    for _ in range(4):
        op = unit.ops[pending.pop()] if pending else None
        if op is None or op.kind is not Kind.CALL:
            return False
        callee = unit.ops[op.args[0]]
        if callee.kind in (Kind.NAME, Kind.ATTRIBUTE) and callee.data == name:
            return True
        pending = list(op.args[1:2])
    return False


def _called(program: Program, unit: Unit, index: int, wanted: Block) -> Guard:
    from deepperf.knowledge.schema import Trait
    from deepperf.semantics.callgraph.callees import callees
    from deepperf.semantics.summaries.traits import facts_of

    place = (*unit.key, index)
    traits = {trait for fact in facts_of(program, place) for trait in fact.traits}
    if wanted is Block.THEN and Trait.TELLS_CAPTURE in traits:
        return Guard.OFF  # while Python runs the program, it is false
    if wanted is Block.THEN and Trait.FINDS_FAULT in traits:
        return Guard.SELDOM
    found = []
    for callee in callees(program, place):
        target = program.unit(callee.unit)
        for result in target.returns:
            value = target.ops[result].args[0]
            found.append(_condition(program, target, value, wanted))
    return min(found) if found else Guard.UNKNOWN


def _met(program: Program, unit: Unit, op: Op, wanted: Block) -> Guard:
    """A flag that several assignments set: as often as the most frequent of those that can."""
    found = []
    for part in op.args:
        source = unit.ops[part]
        if source.kind is Kind.CONSTANT and not _agrees(source, wanted):
            continue
        if source.kind is Kind.CONSTANT:
            around = [guard_of(program, unit, region) for region in unit.around(source.region)]
            found.append(max(around, default=Guard.UNKNOWN))
        elif source.kind is not Kind.CYCLE:
            found.append(_condition(program, unit, part, wanted))
    return min(found) if found else Guard.UNKNOWN


def _flag(program: Program, unit: Unit, op: Op, wanted: Block) -> Guard:
    """An option: a parameter, attribute or global that is false unless somebody says otherwise."""
    found = []
    for owner, value in defaults(program, unit, op):
        source = owner.ops[value]
        if source.kind is Kind.CONSTANT:
            found.append(Guard.UNKNOWN if _agrees(source, wanted) else Guard.OFF)
        else:
            found.append(_condition(program, owner, value, wanted))
    if found or op.kind is not Kind.ATTRIBUTE:
        return min(found, default=Guard.UNKNOWN)
    default = default_of(program, op.data)
    # A text or number of the command line that is left out may be one that people have to give.
    is_off = default is not None and type(default[0]) in (int, bool) and not default[0]
    return Guard.OFF if is_off and wanted is Block.THEN else Guard.UNKNOWN


def _is_filled_in(unit: Unit, region: int, test: Op) -> bool:
    """Whether a branch on something missing makes it: it is not missing the next time."""
    compared = unit.ops[test.args[0]]
    if (compared.kind is Kind.UNARY and compared.data == "Not") or (
        compared.kind is Kind.COMPARE and compared.data == ("Is",)
    ):
        missing = unit.ops[compared.args[0]]
    elif compared.kind is Kind.COMPARE and compared.data == ("NotIn",):
        return any(
            op.kind is Kind.SET_ITEM
            and unit.within(op.region, region)
            and unit.ops[op.args[0]].data == unit.ops[compared.args[1]].data
            for op in unit.ops
        )
    else:
        return False
    if missing.kind is Kind.CYCLE and compared.kind is Kind.COMPARE:
        return _is_assigned(unit, region, missing)
    return missing.kind is Kind.ATTRIBUTE and any(
        op.kind is Kind.SET_ATTRIBUTE and op.data == missing.data and unit.within(op.region, region)
        for op in unit.ops
    )


def _is_assigned(unit: Unit, region: int, head: Op) -> bool:
    """Whether a region gives something to a variable that a loop carries around."""
    pending, seen = list(head.args[1:]), set[int]()
    while pending:
        index = pending.pop()
        op = unit.ops[index]
        if index in seen:
            continue
        seen.add(index)
        if op.kind is Kind.PHI:
            pending.extend(op.args)
        elif op.kind is not Kind.CONSTANT and unit.within(op.region, region):
            return True
    return False
