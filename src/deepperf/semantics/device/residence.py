"""Where a tensor lives: on the host or on the accelerator."""

from __future__ import annotations

import enum
from collections.abc import Iterable

from deepperf.knowledge.schema import ParameterRole, Trait
from deepperf.semantics.callgraph.callees import EdgeKind, callees, instance_bases
from deepperf.semantics.callgraph.calls import arguments_for, callers, rest_for
from deepperf.semantics.device.accelerator import uses_accelerator
from deepperf.semantics.device.traced import compiler_of, output_of
from deepperf.semantics.ir.table import UNBOUND, Kind, Op, Unit
from deepperf.semantics.objects.classes import library_bases, stores
from deepperf.semantics.objects.filling import puts
from deepperf.semantics.objects.holds import holds
from deepperf.semantics.objects.names import places_bound
from deepperf.semantics.objects.origin import Origin, Place, What
from deepperf.semantics.program.program import Program
from deepperf.semantics.summaries.traits import facts_of, traits_of

DEVICE_ARRAYS = frozenset(("torch.Tensor", "jax.Array", "tensorflow.Tensor"))


class Residence(enum.IntEnum):
    """Where the elements of an array lie. Where two meet in an operator, the greater wins."""

    NOTHING = 0  # no array
    HOST = 1
    UNKNOWN = 2
    ACCELERATOR = 3  # there, if there is one


def residence(program: Program, place: Place) -> Residence:
    """Where the result of an operation lives."""
    if place[2] == UNBOUND:
        return Residence.NOTHING
    return program.answers.ask(_residence, place, bottom=Residence.NOTHING)


def is_array(program: Program, place: Place) -> bool | None:
    """Whether the result of an operation is an array that may live on a device; None: unknown."""
    held = holds(program, place)
    kinds = {_is_array(program, origin) for origin in held}
    if kinds == {True}:
        return True
    return None if True in kinds or None in kinds else False


def _is_array(program: Program, origin: Origin) -> bool | None:
    if origin.what is What.UNKNOWN:
        return None
    if origin.what is not What.OBJECT:
        return False
    line = program.knowledge.ancestry(origin.name)
    return any(name in DEVICE_ARRAYS for name in line)


def _join(found: Iterable[Residence]) -> Residence:
    return max(found, default=Residence.NOTHING)


def _residence(program: Program, path: str, number: int, index: int) -> Residence:
    unit = program.unit((path, number))
    op = unit.ops[index]
    kind = op.kind
    if kind is Kind.CALL and Trait.LISTS_PARAMETERS in traits_of(program, (path, number, index)):
        return _of_module(program)
    if kind not in _STRUCTURES and not _may_hold_arrays(program, (path, number, index)):
        return Residence.NOTHING
    if kind is Kind.CALL:
        return _of_call(program, unit, index, op)
    if output_of(program, (path, number, index)):
        return Residence.ACCELERATOR
    if kind is Kind.PARAMETER:
        return _of_parameter(program, unit, op)
    if kind is Kind.ATTRIBUTE:
        return _of_attribute(program, unit, op)
    if kind is Kind.NAME:
        return _of_name(program, unit, op)
    if kind is Kind.ELEMENT:
        return max(_of_element(program, unit, op), _of_added(program, unit, index))
    if kind is Kind.ITEM:
        return _at(program, unit, op.args[0])
    if kind is Kind.CHOICE:
        return _join(_at(program, unit, part) for part in op.args[1:])
    if kind in (Kind.BINARY, Kind.COMPARE):
        return _of_operands(program, unit, op.args)
    found = _join(_at(program, unit, part) for part in op.args)
    return max(found, _of_added(program, unit, index)) if kind in _FILLED else found


_STRUCTURES = frozenset(
    (Kind.LIST, Kind.TUPLE, Kind.SET, Kind.DICT, Kind.COLLECT, Kind.ELEMENT, Kind.PART, Kind.ITEM)
)


_FILLED = frozenset((Kind.LIST, Kind.DICT, Kind.COLLECT))


def _of_added(program: Program, unit: Unit, index: int) -> Residence:
    """Where what is put into a list or dict after it is made lives."""
    return _join(_at(program, put.unit, put.value) for put in puts(program, unit, index))


def _may_hold_arrays(program: Program, place: Place) -> bool:
    """Whether something may be an array, or hold some: no number, text, function or module."""
    for origin in holds(program, place):
        if origin.what in (What.UNKNOWN, What.CONTAINER):
            return True
        if origin.what is What.OBJECT:
            known = program.knowledge.type(origin.name)
            if _is_array(program, origin) or (known is not None and known.yields):
                return True
    return False


def _at(program: Program, unit: Unit, index: int) -> Residence:
    return residence(program, (*unit.key, index))


def _of_call(program: Program, unit: Unit, index: int, op: Op) -> Residence:
    place = (*unit.key, index)
    traits = traits_of(program, place)
    if Trait.MOVES in traits:
        return _moved(program, unit, op)
    if Trait.GIVES_HOST in traits:
        return Residence.HOST
    asked = _asked_device(program, unit, place, op)
    if asked is not None:
        return asked
    if compiler_of(program, place) or _is_placed(program, unit, index, op):
        return Residence.ACCELERATOR
    callee = unit.ops[op.args[0]]
    if _is_taken_to_host(program, unit, op, callee):
        return Residence.HOST
    if Trait.RUNS_MODULE in traits or Trait.GENERATES in traits:
        given = _join(_at(program, unit, part) for part in op.args[1:])
        return max(given, _of_module(program))
    own = callees(program, place)
    if own:
        found = []
        for callee_ in own:
            target = program.unit(callee_.unit)
            found += [_at(program, target, target.ops[r].args[0]) for r in target.returns]
        return _join(found)
    if Trait.CREATES_ARRAY in traits or Trait.CONVERTS in traits or Trait.MAKES_TENSOR in traits:
        return _made(program, unit, place, op)
    receiver = [callee.args[0]] if callee.kind is Kind.ATTRIBUTE else []
    return _of_operands(program, unit, (*receiver, *op.args[1:]))


def _asked_device(program: Program, unit: Unit, place: Place, op: Op) -> Residence | None:
    """Where a call is told to put its result; None where it is not."""
    roles = [parameter for fact in facts_of(program, place) for parameter in fact.parameters]
    for parameter in roles:
        if parameter.role is not ParameterRole.DEVICE:
            continue
        given = op.args[1 : len(op.args) - len(op.data)]
        if parameter.name in op.data:
            return _device(program, unit, op.args[op.data.index(parameter.name) - len(op.data)])
        if parameter.position is not None and parameter.position < len(given):
            return _device(program, unit, given[parameter.position])
    return None


def _of_operands(program: Program, unit: Unit, parts: Iterable[int]) -> Residence:
    """Where an operation computes: where its arrays are, as they have to be in one place."""
    found = {part: _at(program, unit, part) for part in parts}
    known = [
        one
        for part, one in found.items()
        if one in (Residence.HOST, Residence.ACCELERATOR) and is_array(program, (*unit.key, part))
    ]
    return _join(known or found.values())


def _is_placed(program: Program, unit: Unit, index: int, op: Op) -> bool:
    """Whether a framework puts a result on an accelerator without being asked: JAX, or Keras."""
    if "jax.Array" in instance_bases(program, (*unit.key, index)):
        return True
    return "keras.Layer" in instance_bases(program, (*unit.key, op.args[0]))


def _moved(program: Program, unit: Unit, op: Op) -> Residence:
    """Where `.to(…)`, `.cuda()` and the like put something; a mere type leaves it where it is."""
    callee = unit.ops[op.args[0]]
    stays = _at(program, unit, callee.args[0]) if callee.args else Residence.UNKNOWN
    if callee.data == "cuda":
        return Residence.ACCELERATOR
    if callee.data == "type_as" and len(op.args) > 1:
        return _at(program, unit, op.args[1])
    devices = [_device(program, unit, part) for part in op.args[1:]]
    named = [device for device in devices if device is not None]
    return named[0] if named else stays


def _is_taken_to_host(program: Program, unit: Unit, op: Op, callee: Op) -> bool:
    """Whether something unknown is moved by a method that arrays have, to a device on the host."""
    if callee.kind is not Kind.ATTRIBUTE or len(op.args) < 2 or not callee.args:
        return False
    if callee.data not in program.knowledge.method_names((Trait.MOVES,)):
        return False
    if all(origin.what is not What.UNKNOWN for origin in holds(program, (*unit.key, op.args[0]))):
        return False
    return any(_device(program, unit, part) is Residence.HOST for part in op.args[1:])


def _device(program: Program, unit: Unit, index: int) -> Residence | None:
    """The device that an argument names; None for what is none."""
    op = unit.ops[index]
    if op.kind is Kind.CONSTANT:
        if isinstance(op.data, str):
            return Residence.HOST if op.data == "cpu" else Residence.ACCELERATOR
        return Residence.ACCELERATOR if type(op.data) is int else None
    if is_array(program, (*unit.key, index)):
        return _at(program, unit, index)  # where another tensor is
    for origin in holds(program, (*unit.key, index)):
        if origin.what is What.LIBRARY:
            fact = program.fact(origin.name)
            if fact is None or Trait.HALVES in fact.traits:
                return None  # a type of numbers or a layout: a constant of the library
        if origin.what is What.CONSTANT and origin.name == "bool":
            return None
    if op.kind is Kind.ATTRIBUTE and op.data == "device":
        found = _at(program, unit, op.args[0])
        return found if found in (Residence.HOST, Residence.ACCELERATOR) else Residence.ACCELERATOR
    if op.kind is Kind.ATTRIBUTE and op.data in ("dtype", "type"):
        return None
    if op.kind is Kind.CALL and len(op.args) > 1 and not op.data:
        inner = unit.ops[op.args[1]]
        if inner.kind is Kind.CONSTANT and inner.data == "cpu":
            return Residence.HOST
    bound = _bound(program, unit, op)
    devices = {program.answers.ask(_device_at, place, bottom=None) for place in bound}
    return Residence.HOST if devices == {Residence.HOST} else Residence.ACCELERATOR


def _device_at(program: Program, path: str, number: int, index: int) -> Residence | None:
    return _device(program, program.unit((path, number)), index)


def _bound(program: Program, unit: Unit, op: Op) -> list[Place]:
    """What a name, or an attribute of an object of the project, is set to."""
    if op.kind is Kind.NAME:
        return list(places_bound(program, unit, op.data))
    if op.kind is not Kind.ATTRIBUTE:
        return []
    owners = holds(program, (*unit.key, op.args[0]))
    places = [
        place
        for origin in sorted(owners)
        if origin.what is What.INSTANCE
        for place in stores(program, origin.place[:2], op.data)
    ]
    return [(*place[:2], program.op(place).args[1]) for place in places]


def _of_module(program: Program) -> Residence:
    """Where a model's parameters are: on the accelerator where the project moves anything there."""
    return Residence.ACCELERATOR if uses_accelerator(program) else Residence.UNKNOWN


def _made(program: Program, unit: Unit, place: Place, op: Op) -> Residence:
    """Where a factory puts what it makes: the host, unless a device is named."""
    for name, operand in zip(op.data, op.args[len(op.args) - len(op.data) :], strict=True):
        if name == "device":
            return _device(program, unit, operand) or Residence.HOST
    names = [fact.name for fact in facts_of(program, place)]
    if any(name.startswith("jax.") for name in names):
        return Residence.ACCELERATOR
    if any(name.endswith("_like") or ".new_" in name for name in names) and len(op.args) > 1:
        return _at(program, unit, op.args[1])
    callee = unit.ops[op.args[0]]
    if callee.kind is Kind.ATTRIBUTE and is_array(program, (*unit.key, callee.args[0])):
        return _at(program, unit, callee.args[0])
    return Residence.HOST


def _of_parameter(program: Program, unit: Unit, op: Op) -> Residence:
    owner = program.enclosing_class(unit)
    if owner is not None and op.data > 0 and _fed_by_framework(program, owner, unit.name):
        return Residence.ACCELERATOR
    is_rest = unit.parameters[op.data].passing in ("*", "**")
    places = (rest_for if is_rest else arguments_for)(program, unit.key, op.data)
    found = [
        Residence.UNKNOWN if place[2] == UNBOUND else residence(program, place) for place in places
    ]
    found += [residence(program, place) for place in _mapped(program, unit)]
    if not found:
        return Residence.UNKNOWN
    return _join(found)


def _mapped(program: Program, unit: Unit) -> Iterable[Place]:
    """The structures of arrays of which each part is passed to a function."""
    for edge in callers(program, unit.key):
        if edge.kind is EdgeKind.CALLBACK and Trait.APPLIES in traits_of(program, edge.call):
            yield from ((*edge.call[:2], given) for given in program.op(edge.call).args[2:])


def _fed_by_framework(program: Program, owner: tuple[str, int], name: str) -> bool:
    """Whether a framework calls a method with batches that it moved to the device."""
    hooks = (Trait.RUNS_EACH_STEP,)
    for base in library_bases(program, owner):
        method = program.knowledge.method(base, name)
        fact = program.fact(method) if method else None
        if fact is not None and fact.traits.intersection(hooks):
            return True
    is_module = "torch.nn.Module" in library_bases(program, owner)
    return is_module and name == "forward" and uses_accelerator(program)


def _of_attribute(program: Program, unit: Unit, op: Op) -> Residence:
    found = []
    for origin in holds(program, (*unit.key, op.args[0])):
        if origin.what is What.OBJECT and _is_array(program, origin):
            return _at(program, unit, op.args[0])
        if origin.what is What.INSTANCE:
            for place in stores(program, origin.place[:2], op.data):
                value = program.op(place).args[1]
                found.append(residence(program, (place[0], place[1], value)))
            buffer = _buffer(program, origin, op.data)
            if buffer is not None and unit.key == buffer[:2]:
                found.append(residence(program, buffer))  # the module was not moved so far
            elif buffer is not None or _is_parameter(program, origin, op.data):
                found.append(
                    Residence.ACCELERATOR if uses_accelerator(program) else Residence.UNKNOWN
                )
    if found:
        return _join(found)
    # What somebody's object of several arrays holds went with it to the host.
    whole = _at(program, unit, op.args[0])
    return Residence.HOST if whole is Residence.HOST else Residence.UNKNOWN


def _is_parameter(program: Program, origin: Origin, name: str) -> bool:
    """Whether an attribute is a parameter of a module, which moves with it."""
    for place in stores(program, origin.place[:2], name):
        value = (place[0], place[1], program.op(place).args[1])
        if "torch.nn.Parameter" in instance_bases(program, value):
            return True
    return False


def _buffer(program: Program, origin: Origin, name: str) -> Place | None:
    """What is registered as a buffer of a module, which moves with it, under a name."""
    path, number = origin.place[:2]
    for place in program.uses_of("register_buffer", path):
        unit = program.unit(place[:2])
        if unit.parent != number:
            continue
        for user in unit.uses(place[2]):
            op = unit.ops[user]
            is_given = op.kind is Kind.CALL and len(op.args) > 2 and op.args[0] == place[2]
            if is_given and unit.ops[op.args[1]].data == name:
                return (*unit.key, op.args[2])
    return None


def _of_name(program: Program, unit: Unit, op: Op) -> Residence:
    units = program.units(unit.path)
    number = unit.parent
    while number >= 0:
        scope = units[number]
        if scope.kind != "class" and op.data in scope.bindings:
            return _join(_at(program, scope, index) for index in scope.bindings[op.data])
        number = scope.parent
    return Residence.UNKNOWN


def _of_element(program: Program, unit: Unit, op: Op) -> Residence:
    from deepperf.semantics.frequency.loops import LOADER, source_of

    source = source_of(unit, op.data)
    bases = instance_bases(program, (*unit.key, source))
    if LOADER in bases:
        return Residence.ACCELERATOR if _is_prepared(program, unit, source) else Residence.HOST
    if "tensorflow.data.Dataset" in bases:
        return Residence.HOST
    return _at(program, unit, op.args[0])


def _is_prepared(program: Program, unit: Unit, index: int) -> bool:
    """Whether a loader went through something that moves its batches, such as accelerate's."""
    op = unit.ops[index]
    if op.kind is Kind.PART:
        return _is_prepared(program, unit, op.args[0])
    if op.kind in (Kind.PHI, Kind.CYCLE):
        return any(part != index and _is_prepared(program, unit, part) for part in op.args[:2])
    if op.kind is not Kind.CALL:
        return False
    return {Trait.GIVES_BACK, Trait.MOVES} <= traits_of(program, (*unit.key, index))
