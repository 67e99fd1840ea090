"""What runs again and again around a call, and which values are others each time."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from deepperf.knowledge.schema import Trait
from deepperf.semantics.dependence.loop_dependence import Dependence
from deepperf.semantics.ir.table import Block, Kind
from deepperf.semantics.query.call import Call
from deepperf.semantics.query.function import Function
from deepperf.semantics.query.loop import Loop
from deepperf.semantics.query.spot import Spot
from deepperf.semantics.query.told import MISSING
from deepperf.semantics.query.value import Value

_REPEATING = frozenset(("request", "item", "step", "batch", "token", "row", "unknown"))


class Repeated(NamedTuple):
    """A loop of a function, or the whole of one that runs for each request, step or item.

    Of a function that something repeated calls, `call` is that call, and `outer` is the rest.
    """

    function: Function
    loop: Loop | None = None
    call: Call | None = None
    outer: Repeated | None = None

    def contains(self, spot: Spot) -> bool:
        """Whether it runs each time anew."""
        if self.loop is not None:
            return self.loop.contains(spot)
        return spot.place[:2] == self.function.place[:2]

    @property
    def is_in_loop(self) -> bool:
        """Whether it is a loop, or a function that a loop's call runs."""
        return self.loop is not None or (self.outer is not None and self.outer.is_in_loop)

    def is_new(self, value: Value) -> bool:
        """Whether a value of its function may be another one each time."""
        if self.loop is not None and value.dependence(self.loop) is not Dependence.INVARIANT:
            return True
        return any(map(self._comes_anew, self._made_of(value)))

    def chooses(self, call: Call) -> bool:
        """Whether an `if` around a call in its function may choose otherwise each time.

        What is given up early, such as nothing to do, is no choice; another way to a result is.
        """
        unit = call.unit
        for number in unit.around(call.op.region):
            region = unit.regions[number]
            if self.loop is not None and number == self.loop.region:
                break
            if region.block not in (Block.THEN, Block.ELSE):
                continue
            test = Value(call.program, (*unit.key, unit.ops[region.op].args[0]))
            is_choice = region.block is Block.THEN or not self._gives_up(call, region.op)
            if is_choice and not test.is_missing and self.is_new(test):
                return True
        return False

    def _gives_up(self, call: Call, test: int) -> bool:
        """Whether the branch in which a test holds leaves with nothing."""
        unit = call.unit
        for number, region in enumerate(unit.regions):
            if region.block is Block.THEN and region.op == test:
                given = [
                    Value(call.program, (*unit.key, op.args[0]))
                    for op in unit.ops
                    if op.kind is Kind.RETURN and op.region == number
                ]
                return region.leaves and not any(map(self.is_new, given))
        return False

    def inside(self, call: Call, function: Function) -> Repeated:
        """The same of a function that one of its calls runs."""
        return Repeated(function, call=call, outer=self)

    def _made_of(self, value: Value) -> Iterator[Value]:
        pending, seen = [value], {value}
        while pending:
            one = pending.pop()
            if not self.contains(one):
                continue
            yield one
            new = [part for part in one.operands if part not in seen]
            seen.update(new)
            pending += new

    def _comes_anew(self, part: Value) -> bool:
        if part.kind is Kind.PARAMETER:
            return self.loop is None and self._is_new_parameter(part)
        call = part.call
        if call is not None and call.has(Trait.RANDOM):
            return True
        if call is None or call.receiver is None or call.runs or call.facts:
            return False
        # What a queue or a connection gives: in a loop that goes over something, that is new.
        goes_over = self.loop is not None and not self.loop.is_while
        return not goes_over and call.callee.is_unknown

    def _is_new_parameter(self, parameter: Value) -> bool:
        function, index = self.function, parameter.data
        if self.call is not None and self.outer is not None:
            given = self.call.passed_for(function, index)
            return given is not None and self.outer.is_new(given)
        if index == 0 and function.takes_object:
            return False
        is_required = all(one.is_missing for one in parameter.operands[1:])
        if "request" in function.runs_for:
            return is_required
        return any(_is_new_at(call, function, index) for call in function.callers())


def _is_new_at(call: Call, function: Function, index: int) -> bool:
    loop, given = call.long_loop, call.passed_for(function, index)
    if loop is None or given is None or given.constant is not MISSING:
        return False
    return given.dependence(loop) is not Dependence.INVARIANT


def repeated(call: Call) -> Repeated | None:
    """What a call is repeated by: the innermost loop around it, or how its function runs."""
    loop, function = call.long_loop, call.function
    if loop is not None:
        return Repeated(function, loop)
    is_repeated = function.is_function and not _REPEATING.isdisjoint(function.runs_for)
    return Repeated(function) if is_repeated else None
