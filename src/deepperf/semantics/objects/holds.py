"""What an expression may hold, over calls and files: one question, answered by fixpoint."""

from __future__ import annotations

from collections.abc import Callable

from deepperf.knowledge import members
from deepperf.knowledge.schema import Trait
from deepperf.semantics.ir.table import UNBOUND, Kind, Op, Unit
from deepperf.semantics.objects import contents
from deepperf.semantics.objects.classes import class_attribute, library_bases
from deepperf.semantics.objects.names import imported, looked_up
from deepperf.semantics.objects.origin import (
    ANYTHING,
    NOTHING,
    UNKNOWN,
    Held,
    Origin,
    Place,
    UnitKey,
    What,
    bounded,
    one,
)
from deepperf.semantics.objects.rests import RESTS
from deepperf.semantics.objects.shared_state import kept_on
from deepperf.semantics.objects.telling import corrected, told_of, typed
from deepperf.semantics.program.program import Parameters, Program

ARRAYS = ("torch.Tensor", "jax.Array", "tensorflow.Tensor", "numpy.ndarray")
"""Types of arrays, those that win when two meet in an operator first."""
_OF_CLASS = ("__new__", "__init_subclass__", "__class_getitem__")
"""Methods that get the class without a decorator."""


def holds(program: Program, place: Place) -> Held:
    """What the result of an operation may be; ANYTHING where that is not known."""
    return program.answers.ask(_held, place, bottom=NOTHING)


def returned(program: Program, key: UnitKey) -> Held:
    """What a call of a function may give."""
    return program.answers.ask(_returned, key, bottom=NOTHING)


def _held(program: Program, path: str, number: int, index: int) -> Held:
    unit = program.unit((path, number))
    op = unit.ops[index]
    find = _BY_KIND.get(op.kind)
    return ANYTHING if find is None else bounded(find(program, unit, index, op))


def _at(program: Program, unit: Unit, index: int) -> Held:
    if index == UNBOUND:
        return NOTHING
    if (op := unit.ops[index]).kind is Kind.CONSTANT:  # sooner found than looked up
        return _constant(program, unit, index, op)
    return holds(program, (unit.path, unit.number, index))


def _union(program: Program, unit: Unit, _: int, op: Op) -> Held:
    return NOTHING.union(*[_at(program, unit, operand) for operand in op.args])


def _first(program: Program, unit: Unit, _: int, op: Op) -> Held:
    return _at(program, unit, op.args[0])


def _constant(_: Program, __: Unit, ___: int, op: Op) -> Held:
    return one(What.CONSTANT, type(op.data).__name__)


def _name(program: Program, unit: Unit, _: int, op: Op) -> Held:
    return looked_up(program, unit, op.data)


def _import(program: Program, unit: Unit, _: int, op: Op) -> Held:
    return imported(program, op.data, unit.path)


def _container(_: Program, unit: Unit, index: int, op: Op) -> Held:
    is_filled_dict = op.kind is Kind.COLLECT and op.data == "dict"
    name = "entries" if is_filled_dict else op.kind.name.lower()
    return one(What.CONTAINER, name, (*unit.key, index))


def _function(_: Program, unit: Unit, __: int, op: Op) -> Held:
    return one(What.FUNCTION, "", (unit.path, op.data))


def _class(_: Program, unit: Unit, __: int, op: Op) -> Held:
    return one(What.CLASS, "", (unit.path, op.data[0]))


def _attribute(program: Program, unit: Unit, _: int, op: Op) -> Held:
    held = _at(program, unit, op.args[0])
    found = NOTHING.union(*[attribute_of(program, origin, op.data) for origin in held])
    owner = unit.ops[op.args[0]]
    is_open = UNKNOWN in found and owner.kind is Kind.ATTRIBUTE
    return found | kept_on(program, owner.data, op.data) if is_open else found


def attribute_of(program: Program, origin: Origin, name: str) -> Held:
    """What an attribute of one abstract value may be."""
    what = origin.what
    if what is What.LIBRARY:
        whole = program.knowledge.canonical(f"{origin.name}.{name}")
        if program.fact(whole) is None and program.knowledge.type(origin.name):
            whole = program.knowledge.method(origin.name, name) or whole
        return one(What.LIBRARY, whole)
    if what is What.OBJECT:
        method = program.knowledge.method(origin.name, name)
        if method is not None:
            return one(What.METHOD, method, (origin,))
        found = _of_array(program, origin.name, name) or contents.kept_under(program, origin, name)
        return found or _of_subclass(program, origin, name)
    if what is What.METHOD and program.fact(f"{origin.name}.{name}") is not None:
        return one(What.METHOD, f"{origin.name}.{name}", origin.place)
    if what is What.MODULE:
        return imported(program, f".{name}", origin.place[0], of=origin.place[0])
    if what in (What.INSTANCE, What.CLASS):
        return class_attribute(program, origin, name)
    if what is What.UNKNOWN and name in program.knowledge.told:
        return one(What.METHOD, program.knowledge.told[name])
    if what is What.CONTAINER or (what is What.CONSTANT and origin.name == "str"):
        kind = contents.PYTHON_TYPES.get(origin.name, "str")
        return one(What.METHOD, f"builtins.{kind}.{name}", (origin,))
    return ANYTHING


def _of_array(program: Program, type_name: str, name: str) -> Held:
    if not _array_of(program, Origin(What.OBJECT, type_name)):
        return NOTHING
    if name in members.SHAPE_ATTRIBUTES or name in members.SHAPE_METHODS:
        return one(What.CONSTANT, "shape")
    if name in members.TENSOR_FLAGS or name.startswith("__"):
        return one(What.CONSTANT, "flag")
    if name in members.VIEW_ATTRIBUTES or name in ("data", "grad"):
        return one(What.OBJECT, type_name)
    # A structure of tensors, such as a model's outputs or a batch, has other things as well.
    return one(What.OBJECT, type_name) | ANYTHING


def _of_subclass(program: Program, origin: Origin, name: str) -> Held:
    """What an object of a known class may have by a subclass: the method that its name tells."""
    method = program.knowledge.told.get(name, "")
    if program.knowledge.is_subtype(method.rpartition(".")[0], origin.name):
        return one(What.METHOD, method, (origin,))
    return ANYTHING


def _call(program: Program, unit: Unit, index: int, op: Op) -> Held:
    callees = _at(program, unit, op.args[0])
    found = NOTHING.union(*[called(program, callee, unit, index, op) for callee in callees])
    return corrected(program, found, told_of(program, unit, index))


def called(program: Program, callee: Origin, unit: Unit, index: int, op: Op) -> Held:
    """What one callee gives at a call."""
    what = callee.what
    if what in (What.FUNCTION, What.BOUND):
        return _of_function(program, callee.place[:2])
    if what is What.CLASS:
        return one(What.INSTANCE, "", callee.place[:2])
    if what is What.INSTANCE:
        return _of_instance(program, callee)
    if what is What.OBJECT:
        known = program.knowledge.type(callee.name)
        return one(What.OBJECT, known.call_returns) if known and known.call_returns else ANYTHING
    if what in (What.LIBRARY, What.METHOD):
        return _of_library(program, callee, unit, index, op)
    return ANYTHING


def _of_function(program: Program, key: UnitKey) -> Held:
    unit = program.unit(key)
    if unit.is_generator:
        return one(What.CONTAINER, "generator", key)
    return returned(program, key)


def _returned(program: Program, path: str, number: int) -> Held:
    unit = program.unit((path, number))
    found = [_at(program, unit, unit.ops[index].args[0]) for index in unit.returns]
    return bounded(NOTHING.union(*found)) if found else one(What.CONSTANT, "NoneType")


def _of_instance(program: Program, origin: Origin) -> Held:
    for name in ("__call__", "forward", "call"):
        methods = class_attribute(program, origin, name)
        keys = [method.place[:2] for method in methods if method.what is What.BOUND]
        if keys:
            found = NOTHING.union(*[_of_function(program, key) for key in keys])
            return _tensors_for_unknown(program, origin, found)
    return _tensors_for_unknown(program, origin, ANYTHING)


def _tensors_for_unknown(program: Program, origin: Origin, found: Held) -> Held:
    """A layer gives tensors, or structures of them, where nothing better is known."""
    if not any(one_.what is What.UNKNOWN for one_ in found):
        return found
    for base in library_bases(program, origin.place[:2]):
        known = program.knowledge.type(base)
        if known is not None and known.call_returns:
            return one(What.OBJECT, known.call_returns)
    return found


def _of_library(program: Program, callee: Origin, unit: Unit, index: int, op: Op) -> Held:
    name = callee.name
    fact = program.fact(name)
    if fact is not None and Trait.GIVES_BACK in fact.traits:
        return _given_back(program, unit, index, op)
    special = contents.made_by(program, name, unit, index, op)
    if special is not None:
        return special
    if callee.what is What.METHOD and name.rpartition(".")[2] in members.SHAPE_METHODS:
        return one(What.CONSTANT, "shape")
    known = program.knowledge.type(name)
    if known is not None and (
        known.yields in (contents.GIVEN, contents.KEYED) or Trait.RUNS_PARTS in known.call_traits
    ):
        return one(What.OBJECT, name, (*unit.key, index))
    if fact is None:
        return one(What.OBJECT, name) if known else ANYTHING
    if Trait.COMPILES in fact.traits or Trait.WRAPS_FUNCTION in fact.traits:
        return _at(program, unit, op.args[1]) if len(op.args) > 1 else ANYTHING
    owner = name.rpartition(".")[0]
    if fact.returns == "$class":
        return contents.of_its_class(program, unit, op) or one(What.OBJECT, owner)
    if fact.returns == "$self" or (callee.place and fact.returns == owner):
        if callee.what is What.METHOD:
            return frozenset(callee.place[:1]) or one(What.OBJECT, owner)
        return ANYTHING
    return one(What.OBJECT, fact.returns) if fact.returns else ANYTHING


def _given_back(program: Program, unit: Unit, index: int, op: Op) -> Held:
    """What is given back wrapped: the argument itself, several as a tuple of them."""
    positional = len(op.args) - 1 - len(op.data)
    if positional > 1:
        return one(What.CONTAINER, "arguments", (*unit.key, index))
    return _at(program, unit, op.args[1]) if len(op.args) > 1 else ANYTHING


def _item(program: Program, unit: Unit, _: int, op: Op) -> Held:
    key = unit.ops[op.args[1]]
    found: set[Origin] = set()
    for origin in _at(program, unit, op.args[0]):
        if key.kind is Kind.SLICE and origin.what in (What.CONTAINER, What.OBJECT):
            found.add(origin)
        elif key.kind is Kind.CONSTANT:
            found |= contents.part(program, origin, key.data)
        elif contents.PYTHON_TYPES.get(origin.name) == "dict" and origin.place:
            found |= contents.values(program, origin) or ANYTHING
        else:
            found |= contents.elements(program, origin)
    return frozenset(found)


def _element(program: Program, unit: Unit, _: int, op: Op) -> Held:
    found = [contents.elements(program, origin) for origin in _at(program, unit, op.args[0])]
    return NOTHING.union(*found)


def _part(program: Program, unit: Unit, _: int, op: Op) -> Held:
    found = [contents.part(program, origin, op.data) for origin in _at(program, unit, op.args[0])]
    return NOTHING.union(*found)


def _operator(program: Program, unit: Unit, _: int, op: Op) -> Held:
    return joined(program, [_at(program, unit, operand) for operand in op.args])


def joined(program: Program, operands: list[Held]) -> Held:
    """What an operator gives: surely an array where one of its operands surely is one."""
    maybe: Held = NOTHING
    for held in operands:
        arrays = frozenset(_array_of(program, origin) for origin in held)
        found = frozenset(Origin(What.OBJECT, name) for name in arrays if name)
        if found and "" not in arrays:
            return found
        maybe |= found
    if maybe:
        return maybe | ANYTHING
    whole = NOTHING.union(*operands)
    if whole and all(origin.what in (What.CONSTANT, What.CONTAINER) for origin in whole):
        return whole
    return ANYTHING if whole else NOTHING


def _array_of(program: Program, origin: Origin) -> str:
    """The type of array that an abstract value is; "" for anything else."""
    if origin.what is not What.OBJECT:
        return ""
    line = program.knowledge.ancestry(origin.name)
    return next((array for array in ARRAYS if array in line), "")


def _compare(program: Program, unit: Unit, index: int, op: Op) -> Held:
    if op.data[0] in ("Is", "IsNot", "In", "NotIn"):
        return one(What.CONSTANT, "bool")
    found = _operator(program, unit, index, op)
    return found if any(o.what is What.OBJECT for o in found) else one(What.CONSTANT, "bool")


def _unary(program: Program, unit: Unit, index: int, op: Op) -> Held:
    return one(What.CONSTANT, "bool") if op.data == "Not" else _operator(program, unit, index, op)


def _parameter(program: Program, unit: Unit, index: int, op: Op) -> Held:
    from deepperf.semantics.callgraph.calls import arguments_for, is_entered

    owner = program.enclosing_class(unit)
    if owner is not None and op.data == 0 and not _is_decorated(program, unit, "staticmethod"):
        is_of_class = unit.name in _OF_CLASS or _is_decorated(program, unit, "classmethod")
        return one(What.CLASS if is_of_class else What.INSTANCE, "", owner)
    passing = unit.parameters[op.data].passing
    if passing in ("*", "**"):
        is_followed = program.parameters is Parameters.EXPANDED
        here = (*unit.key, index)
        return one(What.CONTAINER, RESTS[passing], here) if is_followed else ANYTHING
    annotated = _annotated(program, unit, op.args[0])
    if annotated:
        return annotated
    found: set[Origin] = set(_at(program, unit, op.args[1]))
    found -= {Origin(What.CONSTANT, "NoneType")}
    places: tuple[Place, ...] = ()
    if program.parameters is Parameters.EXPANDED:
        places = arguments_for(program, unit.key, op.data)
    if places and not is_entered(program, unit.key):
        found |= ANYTHING
    for place in places:
        found |= ANYTHING if place[2] == UNBOUND else holds(program, place)
    told = typed(told_of(program, unit, index))
    if told and (not found or any(origin.what is What.UNKNOWN for origin in found)):
        return told
    return frozenset(found) if places or told else frozenset(found) | ANYTHING


def _is_decorated(program: Program, unit: Unit, name: str) -> bool:
    parent = program.unit((unit.path, unit.parent))
    return name in parent.plain_decorators(parent.ops[unit.definition])


def _annotated(program: Program, unit: Unit, index: int) -> Held:
    """What an annotation says: the classes that it names, whatever stands around them."""
    found: set[Origin] = set()
    pending = [index] if index != UNBOUND else []
    while pending:
        op = unit.ops[(number := pending.pop())]
        if op.kind in (Kind.NAME, Kind.ATTRIBUTE):
            for origin in _at(program, unit, number):
                if origin.what is What.CLASS:
                    found.add(Origin(What.INSTANCE, "", origin.place[:2]))
                elif origin.what is What.LIBRARY and program.knowledge.type(origin.name):
                    found.add(Origin(What.OBJECT, origin.name))
        elif op.kind is Kind.BINARY:
            pending.extend(op.args)
        elif op.kind is Kind.ITEM and _is_optional(unit.ops[op.args[0]]):
            pending.append(op.args[1])
    return frozenset(found)


def _is_optional(op: Op) -> bool:
    return op.kind in (Kind.NAME, Kind.ATTRIBUTE) and op.data in ("Optional", "Annotated", "Final")


_BY_KIND: dict[Kind, Callable[[Program, Unit, int, Op], Held]] = {
    Kind.UNBOUND: lambda *_: NOTHING,
    Kind.PARAMETER: _parameter,
    Kind.CONSTANT: _constant,
    Kind.NAME: _name,
    Kind.CALL: _call,
    Kind.ATTRIBUTE: _attribute,
    Kind.ITEM: _item,
    Kind.BINARY: _operator,
    Kind.UNARY: _unary,
    Kind.COMPARE: _compare,
    Kind.LOGIC: _union,
    Kind.CHOICE: lambda program, unit, index, op: _union(
        program, unit, index, Op(op.kind, op.args[1:], None, op.region, op.span)
    ),
    Kind.FORMAT: lambda *_: one(What.CONSTANT, "str"),
    Kind.LIST: _container,
    Kind.TUPLE: _container,
    Kind.SET: _container,
    Kind.DICT: _container,
    Kind.COLLECT: _container,
    Kind.ELEMENT: _element,
    Kind.PART: _part,
    Kind.PHI: _union,
    Kind.CYCLE: _union,
    Kind.FUNCTION: _function,
    Kind.CLASS: _class,
    Kind.IMPORT: _import,
    Kind.AWAIT: _first,
    Kind.ENTER: _first,
}
