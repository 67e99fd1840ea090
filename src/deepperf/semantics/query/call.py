"""A call, as rules see it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from deepperf.knowledge.members import INDEXED_PLACES, INDEXED_UPDATES
from deepperf.knowledge.schema import Fact, Parameter, ParameterRole, Trait
from deepperf.knowledge.words import LEFT_TO_PYTHON, NOT_LEFT_TO_PYTHON, RECORD_COPIERS
from deepperf.semantics.callgraph.callees import argument_for, callees
from deepperf.semantics.device.accelerator import tells_accelerator
from deepperf.semantics.device.traced import compiler_of
from deepperf.semantics.forwards.frozen import is_frozen
from deepperf.semantics.forwards.input_kinds import InputKind, input_kinds
from deepperf.semantics.forwards.runs import is_run
from deepperf.semantics.frequency.guards import Guard, guard_of
from deepperf.semantics.gradients.parameters import is_seen_to_learn
from deepperf.semantics.ir.table import UNBOUND, Kind
from deepperf.semantics.objects.entries import unpacked
from deepperf.semantics.objects.literals import sources
from deepperf.semantics.query.spot import Spot, shortened
from deepperf.semantics.query.value import Value
from deepperf.semantics.summaries.makers import gradient_makers
from deepperf.semantics.summaries.reach import reached_by
from deepperf.semantics.summaries.self_tests import is_main_guard
from deepperf.semantics.summaries.traits import facts_of, surely_has, traits_of

if TYPE_CHECKING:
    from deepperf.semantics.query.function import Function
    from deepperf.semantics.query.loop import Loop

_PARTIAL = "functools.partial"
_COMPILERS = 2
"""Compilers, one around the other, that are passed what `partial` gives."""


class Call(Spot):
    """A call expression."""

    __slots__ = ("_loops",)
    _loops: tuple[Loop, ...]

    @property
    def facts(self) -> tuple[Fact, ...]:
        """What is known of the library callables that it may run."""
        return facts_of(self.program, self.place)

    @property
    def framework(self) -> str:
        return next((f.framework for f in self.facts if f.framework != "python"), super().framework)

    @property
    def name(self) -> str:
        """The callee as it is written, for messages."""
        callee = self.callee
        # A local function's operation is its definition, which stands elsewhere.
        is_here = callee._span[:2] == self._span[:2]
        return callee.text if is_here else self.text.partition("(")[0].rstrip()

    def has(self, *traits: Trait) -> bool:
        """Whether what it runs has one of some traits by itself."""
        return not traits_of(self.program, self.place).isdisjoint(traits)

    def surely_has(self, trait: Trait) -> bool:
        """Whether all that it is known to run has a trait by itself."""
        return surely_has(self.program, self.place, trait)

    def may_have(self, trait: Trait) -> bool:
        """As `has`, where a method of something unknown is taken for the one of its name."""
        receiver = self.receiver
        if receiver is None or not receiver.is_unknown:
            return self.has(trait)
        return self.callee.data in self.program.knowledge.method_names((trait,))

    def is_named_as(self, trait: Trait) -> bool:
        """Whether it calls a method of which only the name is known, that of one with a trait."""
        if self.receiver is None or self.facts or self.runs:
            return False
        return self.callee.data in self.program.knowledge.method_names((trait,))

    @property
    def copies_record(self) -> bool:
        """Whether it is named as what copies an object of a data class with other values."""
        callee = self.callee
        return callee.kind in (Kind.NAME, Kind.ATTRIBUTE) and callee.data in RECORD_COPIERS

    def is_of(self, *names: str) -> bool:
        """Whether it may run one of the library callables with these canonical names."""
        return any(fact.name in names for fact in self.facts)

    @property
    def package_left_to_python(self) -> str:
        """The package of the library function that it runs, where PyTorch's compiler traces none
        of that package's; "" for none.
        """
        for name in sorted(self.callee.names):
            package = name.partition(".")[0]
            if package in LEFT_TO_PYTHON and not name.startswith(NOT_LEFT_TO_PYTHON):
                return package
        return ""

    def way_to(self, *traits: Trait) -> tuple[Call, ...]:
        """The calls, itself first, through which it reaches one of some traits; () for none."""
        found = reached_by(self.program, self.place)
        ways = [found[trait].chain for trait in traits if trait in found]
        return tuple([Call(self.program, place) for place in min(ways, key=len)]) if ways else ()

    def surely_reaches(self, trait: Trait) -> bool:
        """Whether whatever it may run reaches a trait, all overrides of a method."""
        if self.has(trait):
            return True
        return not self.callee.is_unknown and all(one.reaches(trait) for one in self.runs)

    @property
    def runs_compiled(self) -> bool:
        """Whether what it runs was compiled by JAX or TensorFlow, so that it only queues work."""
        return bool(self.compiler)

    @property
    def compiler(self) -> str:
        """The framework, JAX or TensorFlow, that compiled what it runs; "" for none."""
        return compiler_of(self.program, self.place)

    @property
    def updated_array(self) -> Value | None:
        """The array of which it gives a copy, changed in some places: `x` of `x.at[i].set(v)`."""
        callee = self.callee
        if callee.kind is not Kind.ATTRIBUTE or callee.data not in INDEXED_UPDATES:
            return None
        place = callee.operands[0]
        owner = place.operands[0] if place.kind is Kind.ITEM else place
        is_at = owner.kind is Kind.ATTRIBUTE and owner.data == INDEXED_PLACES
        return owner.operands[0] if is_at else None

    @property
    def updated_name(self) -> str:
        """That array as it is written here."""
        return shortened(self.source.partition(f".{INDEXED_PLACES}[")[0].rstrip())

    @property
    def gradient_makers(self) -> tuple[Call, ...]:
        """The calls of `grad` and the like whose result it runs, outside of a compiler."""
        found = gradient_makers(self.program, self.place)
        return tuple([Call(self.program, place) for place in found])

    @property
    def is_seen_to_learn(self) -> bool:
        """Whether it runs a model in which something is seen that training may change."""
        return is_seen_to_learn(self.program, self.place)

    @property
    def callee(self) -> Value:
        return Value(self.program, (*self.place[:2], self.op.args[0]))

    @property
    def receiver(self) -> Value | None:
        """The object whose method it calls, if it is written `receiver.method(…)`."""
        callee = self.unit.ops[self.op.args[0]]
        if callee.kind is not Kind.ATTRIBUTE:
            return None
        return Value(self.program, (*self.place[:2], callee.args[0]))

    @property
    def arguments(self) -> tuple[Value, ...]:
        """All arguments, positional ones first."""
        return tuple([Value(self.program, (*self.place[:2], o)) for o in self.op.args[1:]])

    @property
    def keywords(self) -> tuple[str, ...]:
        """The names of the keywords, `**` for those that are unpacked."""
        return tuple(self.op.data)

    @property
    def written_arguments(self) -> tuple[tuple[str, Value], ...]:
        """All arguments, each with what stands before it: `name=`, or nothing."""
        count = len(self.op.args) - 1 - len(self.op.data)
        names = [*[""] * count, *(f"{name}=" for name in self.keywords)]
        return tuple(zip(names, self.arguments, strict=True))

    def argument(self, name: str, position: int | None = None) -> Value | None:
        """The argument passed by a name, or at a position counted from 0."""
        op = self.op
        positional = len(op.args) - 1 - len(op.data)
        if name in op.data:
            return Value(
                self.program, (*self.place[:2], op.args[1 + positional + op.data.index(name)])
            )
        partial = self._partial
        bound = len(partial.arguments) - len(partial.keywords) - 1 if partial is not None else 0
        if partial is not None and position is not None and position < bound:
            return partial.arguments[position + 1]
        if position is not None and position - bound < positional:
            first = op.args[1 : position - bound + 2]
            if not any(self.unit.ops[o].kind is Kind.STAR for o in first):
                return Value(self.program, (*self.place[:2], first[-1]))
        found = self._unpacked(name)
        return partial.argument(name) if found is None and partial is not None else found

    def passing(self, argument: Value) -> Call | None:
        """Where one of its arguments is written: in itself, or in the `partial` that binds it."""
        bound = (self, self._partial)
        return next((one for one in bound if one is not None and argument in one.arguments), None)

    @property
    def _partial(self) -> Call | None:
        """The call of `partial` that binds some of its arguments, compiled or not."""
        if not self.program.naming("partial"):
            return None
        held = self.callee
        for _ in range(_COMPILERS + 1):
            made = held.makers
            if len(made) != 1 or sources(self.program, held.place) != frozenset((made[0].place,)):
                return None
            if _PARTIAL in made[0].callee.names:
                return made[0]
            given = made[0].in_role(ParameterRole.FUNCTION) if made[0].has(Trait.COMPILES) else None
            if given is None:
                return None
            held = given
        return None

    def _unpacked(self, name: str) -> Value | None:
        """The argument that `**` of a dict, which is written out, passes by a name."""
        found = unpacked(self.program, self.place) if "**" in self.op.data else None
        place = dict(found.under).get(name) if found is not None else None
        return Value(self.program, place) if place is not None else None

    def encloses(self, value: Value) -> bool:
        """Whether a value is written in the call itself: in `run(x, size=4)` the `4`, in
        `run(x, size=SIZE)` not that of `SIZE = 4`.
        """
        (start, end), (first, last) = self.span, value.span
        return value.path == self.path and start <= first and last <= end

    def passed_for(self, function: Function, parameter: int) -> Value | None:
        """What it passes for a parameter of a function that it may run, by its number."""
        for callee in callees(self.program, self.place):
            if callee.unit == function.place[:2]:
                target = function.unit
                if self._partial is not None and callee.start == 1:
                    position = parameter - callee.skip
                    name = target.parameters[parameter].name
                    return self.argument(name, position) if position >= 0 else None
                operand = argument_for(self.program, self.place, callee, target, parameter)
                if operand is not None and operand != UNBOUND:
                    return Value(self.program, (*self.place[:2], operand))
        return None

    def in_role(self, role: ParameterRole) -> Value | None:
        """The argument for the parameter that the knowledge gives a role."""
        return next((value for _, value in self.all_in_role(role)), None)

    def all_in_role(self, role: ParameterRole) -> tuple[tuple[Parameter, Value], ...]:
        """The arguments for all parameters of a role, and these."""
        found = []
        for parameter in dict.fromkeys(p for fact in self.facts for p in fact.parameters):
            if parameter.role is role:
                value = self.argument(parameter.name, parameter.position)
                if value is not None:
                    found.append((parameter, value))
        return tuple(found)

    def takes(self, role: ParameterRole) -> bool:
        """Whether something that it may run has a parameter of a role."""
        return any(p.role is role for fact in self.facts for p in fact.parameters)

    @property
    def passes_unseen(self) -> bool:
        """Whether `*args` or `**options` may pass what cannot be seen."""
        starred = any(self.unit.ops[o].kind is Kind.STAR for o in self.op.args[1:])
        partial = self._partial
        return starred or (partial is not None and partial.passes_unseen)

    @property
    def passes_unknown(self) -> bool:
        """Whether `*args` or `**options` may pass more than `argument` finds."""
        if not self.passes_unseen:
            return False
        partial = self._partial
        if partial is not None and partial.passes_unknown:
            return True
        found = unpacked(self.program, self.place)
        return found is None or not found.is_all

    @property
    def result(self) -> Value:
        return Value(self.program, self.place)

    @property
    def runs(self) -> tuple[Function, ...]:
        """The functions of the project that it may run."""
        from deepperf.semantics.query.function import Function

        return tuple([Function(self.program, c.unit) for c in callees(self.program, self.place)])

    @property
    def runs_model(self) -> bool:
        """Whether it runs what is known to be a model, and no single layer."""
        return is_run(self.program, self.place)

    @property
    def runs_frozen_model(self) -> bool | None:
        """Whether the model that it runs has the same weights all the time; None: not known."""
        return is_frozen(self.program, self.place)

    def input_kinds(self, way: tuple[Call, ...] = ()) -> frozenset[InputKind]:
        """What its arguments are computed from: data, draws, models that are trained.

        The calls of `way`, the innermost first, say from where its function is called.
        """
        key, places = self.place[:2], tuple([call.place for call in way])
        operands = self.op.args[1:]
        found = [input_kinds(self.program, (*key, operand), places) for operand in operands]
        return frozenset[InputKind]().union(*found)

    @property
    def loops(self) -> tuple[Loop, ...]:
        """The loops of its function around it, the innermost first."""
        try:
            return self._loops
        except AttributeError:  # most calls are never asked
            from deepperf.semantics.query.loop import Loop

        key, around = self.place[:2], self.unit.loops_around(self.place[2])
        self._loops = tuple([Loop(self.program, key, region) for region in around])
        return self._loops

    @property
    def long_loop(self) -> Loop | None:
        """The innermost loop of its function around it that may have more than a handful of
        iterations.
        """
        from deepperf.semantics.query.loop import Loop

        key = self.place[:2]
        around = self.unit.loops_around(self.place[2])
        loops = (Loop(self.program, key, region) for region in around)
        return next((loop for loop in loops if not loop.is_short), None)

    def guard(self, loop: Loop | None = None) -> Guard:
        """The rarest condition that it stands under, inside a loop where one is named."""
        found = Guard.UNKNOWN
        for region in self.unit.around(self.op.region):
            if loop is not None and loop.place[:2] == self.place[:2] and region == loop.region:
                break
            found = max(found, guard_of(self.program, self.unit, region))
        return found

    def is_conditional(self, loop: Loop | None = None) -> bool:
        """Whether it stands in an `if`, inside a loop where one is named.

        One that only asks whether there is an accelerator is none: it holds where there is one.
        """
        from deepperf.semantics.ir.table import Block

        for region in self.unit.around(self.op.region):
            if loop is not None and loop.place[:2] == self.place[:2] and region == loop.region:
                return False
            block = self.unit.regions[region]
            if block.block is Block.THEN and not is_main_guard(self.unit, block.op):
                test = (*self.place[:2], self.unit.ops[block.op].args[0])
                if not tells_accelerator(self.program, test):
                    return True
        return False

    @property
    def contexts(self) -> tuple[Value, ...]:
        """The context managers of the `with` blocks of its function around it, innermost first."""
        from deepperf.semantics.ir.table import Block

        unit = self.unit
        blocks = (unit.regions[region] for region in unit.around(self.op.region))
        entered = [block.op for block in blocks if block.block is Block.WITH]
        return tuple([Value(self.program, (*self.place[:2], unit.ops[o].args[0])) for o in entered])
