"""A loop, as rules see it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, NamedTuple

from deepperf.knowledge.schema import Trait
from deepperf.records import Location
from deepperf.semantics import bridge
from deepperf.semantics.batching.effects import only_computes
from deepperf.semantics.dependence.loop_dependence import Dependence
from deepperf.semantics.device.drains import Drain, drains
from deepperf.semantics.device.needed import is_needed
from deepperf.semantics.frequency.implied import implied_count
from deepperf.semantics.frequency.loops import (
    FEW_ITERATIONS,
    LOADER,
    LoopKind,
    loop_kind,
    source_of,
    trip_count,
)
from deepperf.semantics.ir.table import LOOPS, Block, Kind, Region, Span
from deepperf.semantics.objects.lengths import length
from deepperf.semantics.objects.origin import UnitKey
from deepperf.semantics.program.program import Program
from deepperf.semantics.query.call import Call
from deepperf.semantics.query.spot import Spot, shortened
from deepperf.semantics.query.value import Value
from deepperf.semantics.summaries.reach import reached_by
from deepperf.semantics.summaries.traits import calls_in_unit
from deepperf.semantics.summaries.writes import Written, written_in

if TYPE_CHECKING:
    from deepperf.semantics.query.file import File


class Wait(NamedTuple):
    """A place where the host waits for the device; `calls` lead to it from the loop."""

    at: Value
    tensor: Value
    calls: tuple[Call, ...]
    empties: bool
    """Whether the device has work queued that it waits for; right behind another wait, not."""
    is_last: bool
    """Whether the iteration gives the device no more work behind it."""
    is_explicit: bool
    """Whether something that reads values does it: `.item()`, `.cpu()`."""
    selects: bool
    """Whether it must know how many elements a mask selects."""
    framework: str
    """The framework whose array it is."""

    @property
    def is_needed(self) -> bool:
        """Whether the value decides what is done next, or becomes work for the device again."""
        chain = [call.place for call in self.calls[:-1]]
        return is_needed(self.at.program, [*chain, self.at.place])


def waits_of(program: Program, found: Iterable[Drain]) -> tuple[Wait, ...]:
    """What rules are told of the waits of a loop or function."""
    return tuple(
        [
            Wait(
                at=Value(program, drain.wait.place),
                tensor=Value(program, drain.wait.tensor),
                calls=tuple([Call(program, place) for place in drain.chain]),
                empties=drain.empties,
                is_last=drain.is_last,
                is_explicit=drain.wait.way == "method",
                selects=drain.wait.way == "index",
                framework=drain.wait.framework,
            )
            for drain in found
        ]
    )


class Loop(Spot):
    """A `for` or `while` loop, or one `for` of a comprehension."""

    __slots__ = ("_calls", "_reached", "region")

    def __init__(
        self, program: Program, key: UnitKey, region: int, file: File | None = None
    ) -> None:
        super().__init__(program, (*key, program.unit(key).regions[region].op), file)
        self.region = region
        self._calls: list[Call] | None = None  # each rule asks for them
        self._reached: frozenset[Trait] | None = None

    @property
    def _block(self) -> Region:
        return self.unit.regions[self.region]

    @property
    def _span(self) -> Span:
        return self._block.span

    @property
    def location(self) -> Location:
        """The loop's header."""
        is_comprehension = self._block.block is Block.COMPREHENSION
        span = self._span if is_comprehension else self._block.header
        return bridge.location(self.program.project, self.path, span)

    @property
    def header(self) -> str:
        """`for target in iterable` or `while test`, on one line and shortened."""
        if self._block.block is Block.COMPREHENSION:
            return f"for … in {self.iterable.text}"
        start, end = bridge.offsets(self.program.project, self.path, self._block.header)
        return shortened(bridge.text(self.program.project, self.path)[start:end])

    @property
    def kind(self) -> LoopKind:
        """What one iteration is: a step, an epoch, a layer, a row…"""
        return loop_kind(self.program, (*self.place[:2], self.region))

    @property
    def is_comprehension(self) -> bool:
        return self._block.block is Block.COMPREHENSION

    @property
    def is_while(self) -> bool:
        return self._block.block is Block.WHILE

    @property
    def is_kept_in_graph(self) -> bool:
        """Whether TensorFlow compiles it as a loop: over a tensor, or while one says so."""
        compiled = (one.framework for one in self.function.compilations)
        if self.is_comprehension or "tensorflow" not in compiled:
            return False
        if not self.is_while:
            return self.iterable.is_array_argument
        test = Value(self.program, self.place).operands[0]
        return any(part.is_array_argument for part in (test, *test.operands))

    @property
    def trip_count(self) -> int | None:
        """How many iterations it has, where constants tell."""
        return trip_count(self.program, (*self.place[:2], self.region))

    @property
    def known_count(self) -> int | None:
        """How many iterations it has, over a `range` or list, where constants tell."""
        return None if self.is_while else length(self.program, self.iterable.place)

    @property
    def implied_count(self) -> int | None:
        """As `known_count`, or what an option of the command line says by default."""
        if self.is_while:
            return None
        known = self.known_count
        return implied_count(self.program, self.iterable.place) if known is None else known

    @property
    def is_short(self) -> bool:
        """Whether it has a handful of iterations, as far as constants of the project tell."""
        count = self.known_count
        return self.kind is LoopKind.FEW or (count is not None and count <= FEW_ITERATIONS)

    @property
    def only_computes(self) -> bool | None:
        """Whether an iteration changes nothing but lists and arrays that it adds to; None where
        it calls something of which nothing is known.
        """
        return only_computes(self.program, self.unit, self.region)

    @property
    def iterable(self) -> Value:
        """What it goes over, without `enumerate`, `zip` or a progress bar around it."""
        return Value(self.program, (*self.place[:2], source_of(self.unit, self.region)))

    @property
    def is_over_loader(self) -> bool:
        """Whether a loader, which gives batches, is what it goes over."""
        return LOADER in self.iterable.types

    @property
    def element(self) -> Value | None:
        """What an iteration is given."""
        element = self.unit.element(self.region)
        return None if element is None else Value(self.program, (*self.place[:2], element))

    @property
    def outer(self) -> tuple[Loop, ...]:
        """The loops of its function around it, the innermost first."""
        unit = self.unit
        around = unit.around(unit.regions[self.region].parent)
        key = self.place[:2]
        return tuple([Loop(self.program, key, r) for r in around if unit.regions[r].block in LOOPS])

    def contains(self, spot: Spot) -> bool:
        """Whether something stands in its body, or is decided at its head."""
        here = spot.place[:2] == self.place[:2]
        return here and self.unit.within(spot.op.region, self.region)

    @property
    def exits(self) -> tuple[Value, ...]:
        """What the `if`s test behind which `break` leaves it."""
        unit = self.unit
        ends = {op.region for op in unit.ops if op.kind in (Kind.RETURN, Kind.RAISE)}
        found = []
        for number, region in enumerate(unit.regions):
            if region.block is Block.THEN and region.leaves and number not in ends:
                inner = unit.loops_around(region.op)
                if next(iter(inner), -1) == self.region:
                    test = unit.ops[region.op].args[0]
                    found.append(Value(self.program, (*self.place[:2], test)))
        return tuple(found)

    def calls(self, *traits: Trait) -> Iterator[Call]:
        """The calls in its body that have one of some traits by themselves; all for none."""
        unit = self.unit
        if traits:
            for place in calls_in_unit(self.program, unit.key, traits):
                if unit.within(unit.ops[place[2]].region, self.region):
                    yield Call(self.program, place)
            return
        if self._calls is None:
            self._calls = [
                Call(self.program, (*unit.key, index), self._file)
                for index in unit.calls
                if unit.within(unit.ops[index].region, self.region)
            ]
        yield from self._calls

    def values(self, *kinds: Kind) -> Iterator[Value]:
        """The operations of some kinds in its body."""
        unit = self.unit
        for index, op in enumerate(unit.ops):
            if op.kind in kinds and unit.within(op.region, self.region):
                yield Value(self.program, (*unit.key, index))

    def reaches(self, *traits: Trait) -> tuple[Call, ...]:
        """The calls through which an iteration reaches one of some traits; () if it does not."""
        if self._reached is None:
            reached = [reached_by(self.program, call.place) for call in self.calls()]
            self._reached = frozenset().union(*reached)
        if self._reached.isdisjoint(traits):
            return ()
        ways = [way for call in self.calls() if (way := call.way_to(*traits))]
        return min(ways, key=len) if ways else ()

    @property
    def carried(self) -> tuple[Value, ...]:
        """The variables that one iteration hands to the next, at the head of the loop."""
        unit = self.unit
        return tuple(
            [
                Value(self.program, (*unit.key, index))
                for index, op in enumerate(unit.ops)
                if op.kind is Kind.CYCLE
                and op.data == self.region
                and any(part not in (index, op.args[0]) for part in op.args[1:])
            ]
        )

    def lengthens(self, value: Value) -> bool:
        """Whether a list or dict that was there before gets longer in each iteration."""
        if value.python_type not in ("list", "dict"):
            return False
        for call in self.calls(Trait.KEEPS_ARGUMENT):
            grown = call.receiver
            if grown is not None and self._is_same(grown, value) and not call.is_conditional(self):
                return True
        for put in self.values(Kind.SET_ITEM):
            changes = put.operands[1].dependence(self) is not Dependence.INVARIANT
            if changes and self._is_same(put.operands[0], value):
                return True
        return False

    def writes_to(self, value: Value) -> Written:
        """Whether an iteration writes to a value of its function, or to a part of it.

        Also by another name, in functions that it calls, or in code that is not known.
        """
        if value.place[:2] != self.place[:2]:
            return Written.UNKNOWN
        return written_in(self.program, value.place, self.region)

    def _is_same(self, one: Value, other: Value) -> bool:
        """Whether two uses are of one object, made before the loop."""
        is_one = one == other or (one.kind is Kind.ATTRIBUTE and one.text == other.text)
        return is_one and (one.kind is Kind.ATTRIBUTE or not self.contains(one))

    @property
    def waits(self) -> tuple[Wait, ...]:
        """Where each iteration waits for the device; empty where no wait finds work queued."""
        return waits_of(self.program, drains(self.program, self.place[:2], self.region))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Loop) and (other.place[:2], other.region) == (
            self.place[:2],
            self.region,
        )

    def __hash__(self) -> int:
        return hash((self.place[:2], self.region))
