"""How a function comes to be compiled, as rules see it."""

from __future__ import annotations

from deepperf.knowledge.schema import Fact, ParameterRole, Trait
from deepperf.semantics.compiled.reach import Way, reached_from
from deepperf.semantics.ir.table import Kind
from deepperf.semantics.program.program import Program
from deepperf.semantics.query.call import Call
from deepperf.semantics.query.function import Function
from deepperf.semantics.query.spot import Spot
from deepperf.semantics.query.value import Value

_PARTIAL = "functools.partial"
_DEEPEST = 3
"""Functions, each returning what the next one does, through which compiled ones are followed."""


def _gives_compiled(made: Call, depth: int) -> bool:
    """Whether a call gives what a compiler does, or runs a function that returns that."""
    if made.has(Trait.COMPILES):
        return True
    returned = [one for run in made.runs for one in run.returned] if depth else ()
    return any(_gives_compiled(one, depth - 1) for value in returned for one in value.makers)


class Compilation(Spot):
    """Where a compiler is passed a function: its call, or the decorator; and the calls from it."""

    __slots__ = ("way",)

    def __init__(self, program: Program, way: Way) -> None:
        super().__init__(program, way.at)
        self.way = way

    @property
    def fact(self) -> Fact:
        fact = self.program.fact(self.way.compiler)
        assert fact is not None
        return fact

    @property
    def framework(self) -> str:
        """The framework whose compiler it is: of what Keras compiles, TensorFlow."""
        framework = self.fact.framework
        return "tensorflow" if framework == "keras" else framework

    @property
    def compiler(self) -> str:
        """The compiler as it is written, for messages."""
        is_call = self.op.kind is Kind.CALL
        call = Call(self.program, self.place) if is_call else None
        if call is not None and call.arguments and not call.has(Trait.COMPILES):
            bound = call.arguments[0]  # `partial(jax.jit, …)`
            if self.program.fact(self.way.compiler) in [
                self.program.fact(name) for name in bound.names
            ]:
                return bound.text
        return self.text.partition("(")[0].removeprefix("@").rstrip()

    def has(self, *traits: Trait) -> bool:
        return not self.fact.traits.isdisjoint(traits)

    @property
    def calls(self) -> tuple[Call, ...]:
        """The calls from the function that the compiler is passed to the one in question."""
        return tuple([Call(self.program, place) for place in self.way.chain])

    @property
    def functions(self) -> tuple[Function, ...]:
        """The functions that what it gives is seen to run compiled, in the order of the text."""
        found = reached_from(self.program, self.way.at)
        return tuple([Function(self.program, key) for key in found])

    def may_run_in(self, call: Call) -> bool:
        """Whether a call may run what it gives. `torch.compile(model)` is an object around the
        model: whoever calls the model, or its methods that call it, runs it as it is.
        """
        if not self.has(Trait.BREAKS_GRAPH) or self.op.kind is not Kind.CALL:
            return True
        if Call(self.program, self.place).in_role(ParameterRole.FUNCTION) is None:
            return True  # compiled in place
        makers = call.callee.makers
        if makers:
            return any(_gives_compiled(made, _DEEPEST) for made in makers)
        around = call.function
        own = around.parameters[:1] if around.takes_object else ()
        return not own or own[0] not in (call.callee, call.receiver)

    def by_value(self, function: Function) -> frozenset[str]:
        """The parameters of the function that it compiles anew for each Python number or text."""
        names = function.parameter_names[1 if function.takes_object else 0 :]
        if self.has(Trait.TRACES_EACH_VALUE):
            is_signed = self.option(ParameterRole.SIGNATURE) is not None
            return frozenset() if is_signed else frozenset(names)
        statics = [
            part.constant
            for parameter in self.fact.parameters
            if parameter.role is ParameterRole.STATIC and self.op.kind is Kind.CALL
            for given in (Call(self.program, self.place).argument(parameter.name),)
            if given is not None
            for part in (given.operands if given.kind in (Kind.TUPLE, Kind.LIST) else (given,))
        ]
        numbered = enumerate(function.parameter_names)
        return frozenset(name for at, name in numbered if name in statics or at in statics)

    @property
    def bound_before(self) -> int:
        """The positional arguments that a `partial` binds of the function that it is passed: what
        it compiles takes, and counts, only those behind them.
        """
        if self.op.kind is not Kind.CALL:
            return 0
        given = Call(self.program, self.place).in_role(ParameterRole.FUNCTION)
        made = given.makers if given is not None else ()
        bound = [one for one in made if _PARTIAL in one.callee.names]
        return max((len(one.arguments) - len(one.keywords) - 1 for one in bound), default=0)

    def option(self, role: ParameterRole) -> Value | None:
        """The argument that the compiler is passed in a role."""
        if self.op.kind is not Kind.CALL:
            return None
        call = Call(self.program, self.place)
        for parameter in self.fact.parameters:
            if parameter.role is role:
                found = call.argument(parameter.name)
                if found is not None:
                    return found
        return None
