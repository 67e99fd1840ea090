"""The result of an expression, as rules see it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from deepperf.knowledge.schema import Fact, Trait
from deepperf.semantics.batching.kept import is_kept
from deepperf.semantics.callgraph.callees import bases_of, functions_at, instance_bases
from deepperf.semantics.callgraph.read_results import is_read_by_callers
from deepperf.semantics.callgraph.unread import is_returned_unread, is_tried, is_unread
from deepperf.semantics.dependence.loop_dependence import Dependence, dependence
from deepperf.semantics.device.masks import is_array_by_method, is_mask
from deepperf.semantics.device.residence import DEVICE_ARRAYS, Residence, is_array, residence
from deepperf.semantics.device.waits import launches
from deepperf.semantics.gradients.carrying import carries_graph, is_backpropagated
from deepperf.semantics.gradients.showing import may_show_graph
from deepperf.semantics.ir.table import UNBOUND, Kind
from deepperf.semantics.objects.contents import elements
from deepperf.semantics.objects.filling import puts
from deepperf.semantics.objects.groups import grouped
from deepperf.semantics.objects.holds import attribute_of, holds
from deepperf.semantics.objects.names import places_rebound
from deepperf.semantics.objects.origin import Place, What
from deepperf.semantics.objects.pytrees import static_fields
from deepperf.semantics.query.products import Product, product_of
from deepperf.semantics.query.told import MISSING, Told
from deepperf.semantics.summaries.makers import makers

if TYPE_CHECKING:
    from deepperf.semantics.query.call import Call
    from deepperf.semantics.query.function import Function
    from deepperf.semantics.query.loop import Loop

_DISPLAYS = frozenset((Kind.LIST, Kind.TUPLE, Kind.SET, Kind.DICT, Kind.COLLECT))


class Value(Told):
    """What an expression may hold."""

    __slots__ = ()

    @property
    def types(self) -> frozenset[str]:
        """The canonical names of the library classes, bases included, it may be an instance of."""
        return instance_bases(self.program, self.place)

    @property
    def names(self) -> frozenset[str]:
        """The canonical names of the library functions, classes and modules it may be."""
        held = holds(self.program, self.place)
        return frozenset(o.name for o in held if o.what in (What.LIBRARY, What.METHOD))

    def members(self, name: str) -> tuple[Fact, ...]:
        """What is known of a member of the library classes, objects and modules it may be."""
        facts = (self.program.fact(f"{owner}.{name}") for owner in sorted(self.names))
        return tuple([fact for fact in facts if fact is not None])

    @property
    def contents(self) -> tuple[Value, ...]:
        """What is seen to be put into the lists and dicts that it may be."""
        found: list[Place] = []
        for origin in sorted(holds(self.program, self.place)):
            if origin.what is What.CONTAINER and len(origin.place) > 2:
                unit, index = self.program.unit(origin.place[:2]), origin.place[2]
                op = unit.ops[index]
                shown = op.args[-1:] if op.kind is Kind.COLLECT else op.args
                if op.kind in _DISPLAYS:
                    found += [(*unit.key, part) for part in shown]
                    found += [(*p.unit.key, p.value) for p in puts(self.program, unit, index)]
        return tuple([Value(self.program, place) for place in dict.fromkeys(found)])

    @property
    def grouped_parameters(self) -> tuple[Value, ...]:
        """What the dicts, written out, that it may be give an optimizer as one group."""
        return tuple([Value(self.program, one) for one in grouped(self.program, self.place)])

    @property
    def traits(self) -> frozenset[Trait]:
        """What is known of the library callables and attributes that it may be."""
        facts = (self.program.fact(name) for name in self.names)
        return frozenset().union(*[fact.traits for fact in facts if fact is not None])

    @property
    def class_traits(self) -> frozenset[Trait]:
        """What is known of the library classes, bases included, it may be an instance of."""
        facts = (self.program.fact(name) for name in self.types)
        return frozenset().union(*[fact.traits for fact in facts if fact is not None])

    @property
    def call_traits(self) -> frozenset[Trait]:
        """What is known of calling an instance of the library classes, bases included."""
        known = (self.program.knowledge.type(name) for name in self.types)
        return frozenset().union(*[one.call_traits for one in known if one is not None])

    @property
    def element_types(self) -> frozenset[str]:
        """As `types`, of what iterating over it gives."""
        held = holds(self.program, self.place)
        found = frozenset().union(*[elements(self.program, origin) for origin in held])
        return bases_of(self.program, found)

    @property
    def functions(self) -> tuple[Function, ...]:
        """The functions of the project that it may be, or that calling it runs."""
        from deepperf.semantics.query.function import Function

        return tuple(
            [Function(self.program, key) for key in functions_at(self.program, self.place)]
        )

    def methods(self, name: str) -> tuple[Function, ...]:
        """The methods of the project that its attribute of this name may be."""
        from deepperf.semantics.query.function import Function

        held = (attribute_of(self.program, o, name) for o in holds(self.program, self.place))
        bound = sorted({o.place[:2] for found in held for o in found if o.what is What.BOUND})
        return tuple([Function(self.program, key) for key in bound])

    def overrides(self, trait: Trait) -> bool:
        """Whether a class of the project that it may be an instance of has its own version of a
        library's method with a trait.
        """
        names = sorted(self.program.knowledge.method_names((trait,)))
        return any(trait in one.traits for name in names for one in self.methods(name))

    def stores(self, name: str) -> tuple[Value, ...]:
        """The operations of its class's file that set an attribute of the objects it may be."""
        held = holds(self.program, self.place)
        owners = {o.place[:2] for o in held if o.what is What.INSTANCE}
        found: list[Place] = []
        for path in sorted({path for path, _ in owners}):
            for place in self.program.stores_of(name, path):
                owner = holds(self.program, (*place[:2], self.program.op(place).args[0]))
                if any(o.what is What.INSTANCE and o.place[:2] in owners for o in owner):
                    found.append(place)
        return tuple([Value(self.program, place) for place in found])

    @property
    def bound(self) -> tuple[Value, ...]:
        """Of a name that its function doesn't bind: what the functions around it, or those that
        declare it as theirs, assign to it.
        """
        found = places_rebound(self.program, self.unit, self.data)
        return tuple([Value(self.program, place) for place in dict.fromkeys(found)])

    def method_traits(self, name: str) -> frozenset[Trait]:
        """What is known of the methods of libraries that its attribute of this name may be."""
        held = (attribute_of(self.program, o, name) for o in holds(self.program, self.place))
        names = {o.name for found in held for o in found if o.what is What.METHOD}
        facts = (self.program.fact(method) for method in names)
        return frozenset().union(*[fact.traits for fact in facts if fact is not None])

    @property
    def static_fields(self) -> frozenset[str]:
        """The fields of the objects it may be that are constants for JAX, as their class says."""
        return static_fields(self.program, self.place)

    @property
    def is_unknown(self) -> bool:
        """Whether it may be something of which nothing is known."""
        return any(o.what is What.UNKNOWN for o in holds(self.program, self.place))

    @property
    def python_type(self) -> str:
        """`list`, `tuple`, `dict`, `set`, `str`, `int`… where it can be nothing else; else ""."""
        from deepperf.semantics.objects.contents import PYTHON_TYPES

        held = holds(self.program, self.place)
        names = {
            PYTHON_TYPES.get(o.name, o.name)
            for o in held
            if o.what in (What.CONSTANT, What.CONTAINER)
        }
        whole = all(o.what in (What.CONSTANT, What.CONTAINER) for o in held)
        return names.pop() if len(names) == 1 and whole else ""

    @property
    def is_array(self) -> bool | None:
        """Whether it is a tensor that may live on a device; None where that is not known."""
        return is_array(self.program, self.place)

    @property
    def is_array_argument(self) -> bool:
        """Whether it is a tensor, a parameter of which nothing is known being taken for one."""
        is_array = self.is_array
        first = self.operands[0] if self.kind is Kind.CYCLE else self
        return is_array is True or (is_array is None and first.kind is Kind.PARAMETER)

    @property
    def may_be_array(self) -> bool:
        """Whether some of what it is seen to be is such a tensor."""
        return not self.types.isdisjoint(DEVICE_ARRAYS)

    @property
    def is_array_by_method(self) -> bool | None:
        """As `is_array`, where something unknown is taken for an array that is asked for a sum."""
        return is_array_by_method(self.program, self.place)

    @property
    def is_mask(self) -> bool | None:
        """Whether, as an index, it is an array of truth values; None where it may be."""
        return is_mask(self.program, self.place)

    @property
    def is_numpy(self) -> bool:
        """Whether it may be an array of NumPy, by what it is or by the method that gives it."""
        if "numpy.ndarray" in self.types:
            return True
        called = self.call.callee if self.call is not None else None
        if called is None or called.kind is not Kind.ATTRIBUTE or not called.is_unknown:
            return False
        return self.program.knowledge.read_types.get(called.data) == "numpy.ndarray"

    @property
    def residence(self) -> Residence:
        """Where its elements live."""
        return residence(self.program, self.place)

    @property
    def is_launched(self) -> bool:
        """Whether computing it, or writing it into a tensor, gives the accelerator work."""
        if self.kind is Kind.SET_ITEM:
            written = self.operands[0]
            return bool(written.is_array) and written.residence is Residence.ACCELERATOR
        return launches(self.program, self.place)

    @property
    def carries_graph(self) -> bool:
        """Whether it keeps what a model computed, for gradients, alive."""
        return carries_graph(self.program, self.place)

    @property
    def may_show_graph(self) -> bool:
        """Whether anybody may tell that it has a graph, by more than the numbers in it."""
        return may_show_graph(self.program, self.place)

    @property
    def is_backpropagated(self) -> bool:
        """Whether a gradient is computed from it."""
        return is_backpropagated(self.program, self.place)

    @property
    def constant(self) -> Any:
        """The literal that it is, `MISSING` for anything else."""
        op = self.op
        return op.data if op.kind is Kind.CONSTANT else MISSING

    @property
    def kind(self) -> Kind:
        """What kind of expression gives it."""
        return self.op.kind

    @property
    def data(self) -> Any:
        """What the kind says of it: a name, an operator, keywords."""
        return self.op.data

    @property
    def operands(self) -> tuple[Value, ...]:
        """The values that it is made of."""
        return tuple([Value(self.program, (*self.place[:2], o)) for o in self.op.args])

    @property
    def call(self) -> Call | None:
        """The call whose result it is, if it is one."""
        from deepperf.semantics.query.call import Call

        return Call(self.program, self.place) if self.op.kind is Kind.CALL else None

    @property
    def variable(self) -> str:
        """The name of a variable that it is assigned to; "" for none."""
        bound = self.unit.bindings
        return next((name for name in bound if self.place[2] in bound[name]), "")

    @property
    def makers(self) -> tuple[Call, ...]:
        """The calls whose result it may be, over variables, parameters and attributes."""
        from deepperf.semantics.query.call import Call

        return tuple([Call(self.program, place) for place in makers(self.program, self.place)])

    @property
    def users(self) -> tuple[Value, ...]:
        """The operations of its function that take it."""
        return tuple(
            [Value(self.program, (*self.place[:2], o)) for o in self.unit.uses(self.place[2])]
        )

    @property
    def readers(self) -> tuple[Value, ...]:
        """The operations that take it, also by variables in which several values meet."""
        found: list[Value] = []
        pending, seen = [self], {self}
        while pending:
            for user in pending.pop().users:
                if user not in seen:
                    seen.add(user)
                    (pending if user.kind in (Kind.PHI, Kind.CYCLE) else found).append(user)
        return tuple(found)

    @property
    def parts(self) -> Iterator[Value]:
        """Itself and what it is computed from in its function, each once: of `a * (b.c + f(d))`
        also the product, `a`, the sum, `b.c` and `f(d)`. What attributes and calls are made of is
        left out.
        """
        pending, seen = [self], {self}
        while pending:
            yield (value := pending.pop())
            if value.kind not in (Kind.ATTRIBUTE, Kind.CALL):
                new = [one for one in value.operands if one not in seen]
                seen.update(new)
                pending += reversed(new)

    @property
    def product(self) -> Product | None:
        """The product of two matrices, or stacks of them, that it is."""
        return product_of(self)

    @property
    def is_used_as_index(self) -> bool:
        """Whether its function looks up rows of a table by it, of any number."""
        for user in self.users:
            if user.kind is Kind.ITEM and user.operands[1] == self:
                return True
            if user.call is not None and user.call.has(Trait.GATHERS):
                return user.call.arguments[1:2] == (self,) or "indices" in user.call.keywords
        return False

    @property
    def is_transposed(self) -> bool:
        """Whether it is a matrix with its axes swapped."""
        if self.kind is Kind.ATTRIBUTE:
            return self.data in ("T", "mT")
        return self.call is not None and self.call.may_have(Trait.TRANSPOSES)

    @property
    def is_missing(self) -> bool:
        return self.place[2] == UNBOUND

    @property
    def is_unread(self) -> bool:
        """Whether a local variable is assigned it and nothing reads that."""
        return is_unread(self.program, self.place)

    @property
    def is_returned_unread(self) -> bool:
        """Whether its function only returns it, beside others, and no caller reads it."""
        return is_returned_unread(self.program, self.place)

    @property
    def is_tried(self) -> bool:
        """Whether a `try` stands around it, which may ask whether it can be computed."""
        return is_tried(self.program, self.place)

    def is_kept_by(self, loop: Loop) -> bool | None:
        """Whether each iteration puts it, or what arithmetic makes of it, into a list or array,
        and uses it for nothing else; None where something unknown takes it.
        """
        return is_kept(self.program, self.place, loop.region)

    @property
    def is_read_by_callers(self) -> bool | None:
        """Whether callers of its function, which returns it with others, read it whatever their
        options say; None where nobody is seen to call it.
        """
        return is_read_by_callers(self.program, self.place)

    @property
    def is_only_returned(self) -> bool | None:
        """The same of its function, which returns it."""
        return is_kept(self.program, self.place, 0)

    def dependence(self, loop: Loop) -> Dependence:
        """How it changes over the iterations of a loop of the same function."""
        if loop.place[:2] != self.place[:2]:
            return Dependence.INVARIANT
        return dependence(self.unit, self.place[2], loop.region)
