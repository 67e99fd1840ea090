"""A function of the project, as rules see it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from deepperf.knowledge.schema import Trait
from deepperf.records import Location
from deepperf.semantics import bridge
from deepperf.semantics.batching.effects import only_computes
from deepperf.semantics.callgraph.calls import callers
from deepperf.semantics.callgraph.uses import uses
from deepperf.semantics.callgraph.workers import runs_in_worker
from deepperf.semantics.compiled.reach import ways
from deepperf.semantics.device.drains import drains
from deepperf.semantics.device.in_python import is_run_by_python
from deepperf.semantics.device.traced import is_traced
from deepperf.semantics.forwards.again import runs_again, runs_each_call
from deepperf.semantics.forwards.runs import Sought
from deepperf.semantics.forwards.twice import run_twice
from deepperf.semantics.frequency.runs import how_often
from deepperf.semantics.gradients.leaving import may_ask_for_gradients, may_leave_graph
from deepperf.semantics.ir.table import LOOPS, Kind, Span
from deepperf.semantics.objects.classes import library_bases
from deepperf.semantics.objects.origin import UnitKey
from deepperf.semantics.program.program import Program
from deepperf.semantics.query.call import Call
from deepperf.semantics.query.loop import Loop, Wait, waits_of
from deepperf.semantics.query.run import RunAgain, RunTwice
from deepperf.semantics.query.spot import Spot
from deepperf.semantics.query.value import Value
from deepperf.semantics.summaries.reach import Reached, summary
from deepperf.semantics.summaries.traits import calls_in_unit
from deepperf.semantics.summaries.unused import is_unused
from deepperf.semantics.summaries.writes import Written, written_below, written_in

if TYPE_CHECKING:
    from deepperf.semantics.query.compilation import Compilation
    from deepperf.semantics.query.file import File


class Function(Spot):
    """A function, lambda, class body or module."""

    __slots__ = ("_calls",)

    def __init__(self, program: Program, key: UnitKey, file: File | None = None) -> None:
        super().__init__(program, (*key, 0), file)
        self._calls: list[Call] | None = None  # each rule asks for them

    @property
    def _span(self) -> Span:
        return self.unit.span

    @property
    def location(self) -> Location:
        """The line of its header."""
        line, column = self._span[:2]
        text = bridge.line(self.program.project, self.path, line)
        return Location(self.path, line, column + 1, line, max(column + 2, len(text) + 1))

    @property
    def name(self) -> str:
        return self.unit.name

    @property
    def is_function(self) -> bool:
        """Whether it is a function or lambda, and no class body or module."""
        return self.unit.kind in ("function", "lambda")

    @property
    def is_async(self) -> bool:
        return self.unit.is_async

    @property
    def is_generator(self) -> bool:
        return self.unit.is_generator

    @property
    def parameters(self) -> tuple[Value, ...]:
        """Its parameters, `self` included, in the order of the signature."""
        return tuple(
            [
                Value(self.program, (*self.place[:2], index))
                for index, op in enumerate(self.unit.ops)
                if op.kind is Kind.PARAMETER
            ]
        )

    @property
    def parameter_names(self) -> tuple[str, ...]:
        return tuple([parameter.name for parameter in self.unit.parameters])

    @property
    def is_method(self) -> bool:
        """Whether it stands in the body of a class."""
        return self.program.enclosing_class(self.unit) is not None

    @property
    def takes_object(self) -> bool:
        """Whether its first parameter is the object, or class, whose method it is."""
        owner = self.program.enclosing_class(self.unit)
        if owner is None:
            return False
        parent = self.program.unit((self.path, self.unit.parent))
        listed = parent.ops[self.unit.definition].args
        return all(parent.ops[index].data != "staticmethod" for index in listed)

    @property
    def class_bases(self) -> tuple[str, ...]:
        """The library classes that the class in which it is a method inherits from."""
        owner = self.program.enclosing_class(self.unit)
        return library_bases(self.program, owner) if owner is not None else ()

    @property
    def traits(self) -> frozenset[Trait]:
        """When a framework runs it: what is known of the method that it overrides."""
        found: frozenset[Trait] = frozenset()
        for base in self.class_bases:
            method = self.program.knowledge.method(base, self.name)
            fact = self.program.fact(method) if method else None
            if fact is not None:
                found |= fact.traits
        return found

    @property
    def definition(self) -> Value:
        """Where it is defined, in the function or module around it; a lambda's expression."""
        unit = self.unit
        return Value(self.program, (unit.path, max(unit.parent, 0), max(unit.definition, 0)))

    @property
    def decorators(self) -> tuple[Value, ...]:
        """What it is decorated with; of a decorator that is called, the call."""
        unit = self.unit
        if unit.parent < 0:
            return ()
        parent = self.program.unit((unit.path, unit.parent))
        op = parent.ops[unit.definition]
        listed = op.args[op.data[1] :] if op.kind is Kind.CLASS else op.args
        return tuple([Value(self.program, (*parent.key, index)) for index in listed])

    def is_decorated(self, *traits: Trait) -> bool:
        """Whether one of its decorators has one of some traits."""
        for decorator in self.decorators:
            if decorator.call is not None and decorator.call.has(*traits):
                return True
            facts = (self.program.fact(name) for name in decorator.names)
            if any(fact is not None and not fact.traits.isdisjoint(traits) for fact in facts):
                return True
        return False

    def calls(self, *traits: Trait) -> Iterator[Call]:
        """The calls in its body that have one of some traits by themselves; all for none."""
        key = self.place[:2]
        if traits:
            for place in calls_in_unit(self.program, key, traits):
                yield Call(self.program, place)
            return
        if self._calls is None:
            calls = self.unit.calls
            self._calls = [Call(self.program, (*key, index), self._file) for index in calls]
        yield from self._calls

    def values(self, *kinds: Kind) -> Iterator[Value]:
        """The operations of some kinds in its body."""
        for index, op in enumerate(self.unit.ops):
            if op.kind in kinds:
                yield Value(self.program, (*self.place[:2], index))

    def loops(self) -> Iterator[Loop]:
        """The loops of its body, comprehensions included, in the order of the text."""
        for number, region in enumerate(self.unit.regions):
            if region.block in LOOPS:
                yield Loop(self.program, self.place[:2], number, self._file)

    def callers(self) -> tuple[Call, ...]:
        """The calls that may run it."""
        edges = callers(self.program, self.place[:2])
        return tuple([Call(self.program, edge.call) for edge in edges])

    @property
    def runs_in_worker(self) -> bool:
        """Whether it is seen to be work that a thread, a process or a pool is given."""
        return runs_in_worker(self.program, self.place[:2])

    @property
    def runs_natively(self) -> bool:
        """Whether machine code is made of it, or of a function around it, where loops cost
        next to nothing.
        """
        if self.is_decorated(Trait.RUNS_NATIVELY):
            return True
        parent = self.unit.parent
        return parent > 0 and Function(self.program, (self.unit.path, parent)).runs_natively

    @property
    def only_computes(self) -> bool | None:
        """Whether running it changes nothing; None where it calls something unknown."""
        return only_computes(self.program, self.unit, 0)

    @property
    def may_need_gradients(self) -> bool:
        """Whether anybody may tell that gradients are recorded in it: by what a run of it leaves,
        or since what it runs may compute otherwise without.
        """
        key = self.place[:2]
        return may_leave_graph(self.program, key) or may_ask_for_gradients(self.program)

    def writes_to(self, value: Value) -> Written:
        """Whether a run of it writes to a value of it, or to a part of that."""
        if value.place[:2] != self.place[:2]:
            return Written.UNKNOWN
        return written_in(self.program, value.place, 0)

    def writes_below(self, value: Value) -> Written:
        """The same, where keys of a dict that it is are set for nothing."""
        if value.place[:2] != self.place[:2]:
            return Written.UNKNOWN
        return written_below(self.program, value.place)

    @property
    def is_unused(self) -> bool | None:
        """Whether nobody runs it in a program that is started; None where that is not known."""
        return is_unused(self.program, self.place[:2])

    @property
    def callers_by_name(self) -> tuple[Call, ...]:
        """The calls of a method with its name where nothing is known of the object."""
        if not self.is_method or self.name.startswith("__"):
            return ()
        named = uses(self.program, self.name).unknown
        users = ((place, Value(self.program, place).users) for place in named)
        calls = [(place, user.call) for place, found in users for user in found]
        return tuple([c for place, c in calls if c is not None and c.callee.place == place])

    @property
    def runs_for(self) -> frozenset[str]:
        """For what it runs: "step", "batch", "item", "request", "run"…; nothing: not known."""
        return how_often(self.program, self.place[:2])

    @property
    def returned(self) -> tuple[Value, ...]:
        """What its `return` statements give."""
        from deepperf.semantics.query.value import Value

        unit = self.unit
        given = [unit.ops[index].args[0] for index in unit.returns]
        return tuple([Value(self.program, (*self.place[:2], index)) for index in given])

    @property
    def local_names(self) -> frozenset[str]:
        """The names that it, or a function around it, binds."""
        unit, found = self.unit, set[str]()
        while unit.parent >= 0 and unit.kind != "module":
            found.update(unit.bindings if unit.kind == "function" else ())
            unit = self.program.unit((unit.path, unit.parent))
        return frozenset(found)

    @property
    def rebound(self) -> tuple[tuple[str, Value], ...]:
        """What it binds names of the file, or of a function around it, to."""
        from deepperf.semantics.query.value import Value

        unit = self.unit
        bound = [
            (name, index) for name in unit.outer_names for index in unit.bindings.get(name, ())
        ]
        return tuple([(name, Value(self.program, (*unit.key, index))) for name, index in bound])

    def names_file_variable(self, name: str) -> bool:
        """Whether a name that it reads is bound at the top of its file, and nowhere between."""
        units = self.program.table(self.path).units
        number = self.unit.number
        while number > 0:
            if name in units[number].bindings and name not in units[number].outer_names:
                return False
            number = units[number].parent
        return name in units[0].bindings

    @property
    def is_traced(self) -> bool:
        """Whether it runs as a part of what JAX or TensorFlow compiles, on some way to it."""
        return is_traced(self.program, self.place[:2])

    @property
    def is_run_by_python(self) -> bool:
        """Whether it is seen to run outside of all that is traced, each operation by itself."""
        return is_run_by_python(self.program, self.place[:2])

    @property
    def compilations(self) -> tuple[Compilation, ...]:
        """How it comes to be compiled, the shortest way first; none where it is not seen to."""
        from deepperf.semantics.query.compilation import Compilation

        return tuple([Compilation(self.program, way) for way in ways(self.program, self.place[:2])])

    @property
    def compiled_itself(self) -> Compilation | None:
        """How a compiler is passed this function, and not one that calls it."""
        return next((one for one in self.compilations if not one.calls), None)

    @property
    def runs_twice(self) -> tuple[RunTwice, ...]:
        """The models that a call of it runs again on the same, with unchanged weights."""
        found = run_twice(self.program, self.place[:2])
        return tuple([RunTwice(self.program, twice) for twice in found])

    @property
    def runs_again(self) -> tuple[RunAgain, ...]:
        """The models that its loops, or all calls of it where a framework or optimizer calls it
        again and again, run on the same with the same weights.
        """
        return self._again(Sought.MODELS)

    @property
    def computes_again(self) -> tuple[RunAgain, ...]:
        """The costly operations of libraries that these compute of the same operands."""
        return self._again(Sought.OPERATIONS)

    def _again(self, sought: Sought) -> tuple[RunAgain, ...]:
        key = self.place[:2]
        loops = [
            RunAgain(self.program, one.run, Loop(self.program, key, one.region))
            for one in runs_again(self.program, key, sought)
        ]
        own = runs_each_call(self.program, key, sought)
        return (*loops, *[RunAgain(self.program, run, None) for run in own])

    def reaches(self, trait: Trait) -> Reached | None:
        """How calling it reaches a trait."""
        return summary(self.program, self.place[:2]).get(trait)

    @property
    def waits(self) -> tuple[Wait, ...]:
        """Where each call waits for the device; empty where no wait finds work queued."""
        return waits_of(self.program, drains(self.program, self.place[:2], 0))
