"""What is seen to be done with one model: with its weights, and what it is told."""

from __future__ import annotations

from deepperf.knowledge.words import FREEZING_ATTRIBUTES, FREEZING_METHODS
from deepperf.semantics.forwards.made_of import ABOUT, Made
from deepperf.semantics.ir.table import Kind, Unit
from deepperf.semantics.objects.origin import Place

SAME = frozenset((Kind.PHI, Kind.CYCLE, Kind.CHOICE, Kind.LOGIC, Kind.AWAIT))
"""Operations whose result is one of their operands."""


class Uses:
    """What is done with one model, as far as it was followed."""

    __slots__ = ("is_changed", "is_frozen", "is_lost", "is_part", "parts", "ran", "told", "whole")

    def __init__(self, made: Made) -> None:
        self.is_changed = made.is_renewed  # its weights are handed to an optimizer, or written to
        self.is_frozen = False  # all of it is told to need no gradients
        self.is_lost = False  # something unknown has it
        self.is_part = False  # a model has it, with whose weights its own may be trained
        self.whole = frozenset(made.same)
        self.parts = set(made.parts)  # where it is not the whole model that was followed
        self.ran: set[Place] = set()
        self.told = set[bool]()  # to evaluate or not

    def add_parts(self, places: list[Place], seen: set[Place]) -> None:
        self.parts.update(one for one in places if one not in seen and one not in self.whole)

    def freeze(self, place: Place) -> None:
        """Where a part is told to need no gradients, the rest may learn all the same."""
        self.is_frozen |= place not in self.parts


def told_by(unit: Unit, call: int) -> object:
    """What a method that switches gradients is told: to record them, if nothing."""
    given = [unit.ops[operand].data for operand in unit.ops[call].args[1:]]
    return given[0] if given else True


def note_weights(unit: Unit, model: int, listing: int, found: Uses) -> None:
    """Weights that are gone over one by one: to freeze them, to count them, or to change them."""
    for user in unit.uses(listing):
        op = unit.ops[user]
        if op.kind is Kind.ELEMENT:
            _weight(unit, model, user, found)
        elif not (op.kind is Kind.CALL and unit.ops[op.args[0]].data == "next"):
            found.is_changed = True


def _weight(unit: Unit, model: int, element: int, found: Uses) -> None:
    loop, pending, seen = unit.ops[element].data, [element], {element}
    while pending:
        weight = pending.pop()
        for user in unit.uses(weight):
            op = unit.ops[user]
            if op.kind is Kind.PART or op.kind in SAME:
                pending += {user} - seen
                seen.add(user)
            elif op.kind is Kind.SET_ATTRIBUTE and op.data in FREEZING_ATTRIBUTES:
                # Behind a condition, on its name say, it is one of some.
                is_each = op.region == loop
                if unit.ops[op.args[1]].data is not False:
                    found.is_changed = True
                elif is_each:
                    found.freeze((*unit.key, model))
            elif op.kind is Kind.ATTRIBUTE and op.data in FREEZING_METHODS:
                for call in unit.uses(user):
                    switch = told_by(unit, call)
                    if switch is not False:
                        found.is_changed = True
                    elif unit.ops[call].region == loop:
                        found.freeze((*unit.key, model))
            elif op.kind not in (Kind.COMPARE, Kind.FORMAT) and not (
                op.kind is Kind.ATTRIBUTE and op.data in ABOUT
            ):
                found.is_changed |= op.kind is not Kind.CALL
