"""Where the host waits for the device, and where it gives it work."""

from __future__ import annotations

from typing import NamedTuple

from deepperf.knowledge.schema import Fact, ParameterRole, Trait
from deepperf.semantics.callgraph.callees import bases_of, instance_bases
from deepperf.semantics.device.accelerator import uses_accelerator
from deepperf.semantics.device.masks import is_mask
from deepperf.semantics.device.residence import DEVICE_ARRAYS, Residence, is_array, residence
from deepperf.semantics.device.told_kinds import is_no_tensor
from deepperf.semantics.device.traced import compiler_of, output_of
from deepperf.semantics.frequency.guards import reached_parts
from deepperf.semantics.ir.table import UNBOUND, Kind, Op, Unit
from deepperf.semantics.objects.contents import elements
from deepperf.semantics.objects.holds import holds
from deepperf.semantics.objects.origin import NOTHING, UNKNOWN, Place, What
from deepperf.semantics.program.program import Program
from deepperf.semantics.summaries.traits import facts_of, traits_of

_SHOWING = frozenset(
    f"builtins.{name}"
    for name in ("print", "float", "int", "bool", "str", "max", "min", "sum", "round", "range")
)
"""Python's own functions that read the value of a tensor that they are given."""
_PRINTING = frozenset(("builtins.print", "builtins.str"))
_WHOLE = ("method", "call", "format", "log")
"""Ways of waiting for structures of arrays as well."""
_ARRAYS = {"jax": "jax.Array", "tensorflow": "tensorflow.Tensor"}
_LAUNCHING = frozenset(
    (
        Trait.COMPUTES,
        Trait.RUNS_MODULE,
        Trait.BACKPROPAGATES,
        Trait.STEPS_OPTIMIZER,
        Trait.GENERATES,
        Trait.MOVES,
    )
)


class Wait(NamedTuple):
    """An operation at which the host waits; `tensor` is what it waits for.

    `way` says by what: "method", "call", "list", "test", "format", "index" or "log".
    """

    place: Place
    tensor: Place
    way: str
    framework: str


WAITING = frozenset((Kind.CALL, Kind.TEST, Kind.UNARY, Kind.FORMAT, Kind.ITEM))
"""The operations at which the host may wait."""


def wait_at(program: Program, place: Place) -> Wait | None:
    """How the host waits at an operation, if it does."""
    return program.answers.ask(_wait_at, place, bottom=None)


def _wait_at(program: Program, path: str, number: int, index: int) -> Wait | None:
    unit = program.unit((path, number))
    op = unit.ops[index]
    place = (path, number, index)
    kind = op.kind
    if kind is Kind.CALL:
        return _at_call(program, unit, place, op)
    if kind is Kind.TEST and op.data != "match":
        return _on(program, unit, place, _tested(program, unit, op.args[0]), "test")
    if kind is Kind.UNARY and op.data == "Not":
        return _on(program, unit, place, _tested(program, unit, op.args[0]), "test")
    if kind is Kind.FORMAT:
        return _on(program, unit, place, list(op.args), "format")
    if kind is Kind.ITEM:
        return _at_index(program, unit, place, op)
    return None


def _tested(program: Program, unit: Unit, index: int) -> list[int]:
    """What is asked for its truth: of `a and b`, each part that is often looked at."""
    if index == UNBOUND or unit.ops[index].kind is not Kind.LOGIC:
        return [index]
    parts = reached_parts(program, unit, unit.ops[index])
    return [one for part in parts for one in _tested(program, unit, part)]


def _on(program: Program, unit: Unit, place: Place, tensors: list[int], way: str) -> Wait | None:
    for tensor in tensors:
        if tensor == UNBOUND:
            continue
        there = (*unit.key, tensor)
        # A method that only tensors have tells enough of what it is called on.
        known = is_array(program, there)
        made_by = output_of(program, there)
        is_tensor = known or (known is None and way == "method") or (made_by and way in _WHOLE)
        if (
            is_tensor
            and _is_on_device(program, there)
            and not _is_ruled_out(program, unit, place, tensor)
        ):
            framework = made_by or _framework(instance_bases(program, there))
            is_read = way == "method" or (way == "call" and framework != "torch")
            return Wait(place, there, "method" if is_read else way, framework)
    return None


def _is_ruled_out(program: Program, unit: Unit, place: Place, tensor: int) -> bool:
    return is_no_tensor(program, unit, tensor, unit.ops[place[2]].region)


def _framework(types: frozenset[str]) -> str:
    return next((name for name, array in _ARRAYS.items() if array in types), "torch")


def _is_on_device(program: Program, tensor: Place) -> bool:
    """Whether a tensor lives on the accelerator; one of which nothing tells counts as there."""
    found = residence(program, tensor)
    if found is Residence.UNKNOWN and is_array(program, tensor):
        return uses_accelerator(program)
    return found is Residence.ACCELERATOR


def _at_call(program: Program, unit: Unit, place: Place, op: Op) -> Wait | None:
    callee = unit.ops[op.args[0]]
    for fact in _facts(program, unit, place, op):
        if Trait.SYNCS_HOST in fact.traits and Trait.WAITS_FOR_ALL not in fact.traits:
            if "non_blocking" in op.data:
                return None
            receiver = [callee.args[0]] if callee.kind is Kind.ATTRIBUTE else []
            found = _on(program, unit, place, receiver, "method")
            return found or _on(program, unit, place, list(op.args[1:]), "call")
        counting = _counting(fact, op)
        if counting:
            return _on(program, unit, place, counting, "call")
        if Trait.READS_SIZES in fact.traits:
            found = _on(program, unit, place, _sizes(program, unit, fact, op), "call")
            if found is not None:
                return found
        # JAX and TensorFlow join arrays on the device.
        if Trait.CONVERTS in fact.traits and len(op.args) > 1 and fact.framework not in _ARRAYS:
            found = _on_elements(program, unit, place, op.args[1])
            if found is not None:
                return found
        if Trait.LOGS_METRICS in fact.traits:
            return _on(program, unit, place, _inside(unit, op.args[1:]), "log")
        if fact.name.startswith("numpy.") and Trait.PURE not in fact.traits:
            return _on(program, unit, place, list(op.args[1:]), "call")
        if Trait.MOVES in fact.traits and residence(program, place) is Residence.HOST:
            if "non_blocking" in op.data:
                return None
            return _on(program, unit, place, list(callee.args[:1]), "method")
    for origin in holds(program, (*unit.key, op.args[0])):
        if origin.what is What.LIBRARY and origin.name in _SHOWING:
            way = "format" if origin.name in _PRINTING else "call"
            return _on(program, unit, place, _shown(unit, origin.name, op), way)
    return None


def _counting(fact: Fact, op: Op) -> list[int]:
    """The arguments whose values say how long the result is, unless its length is passed."""
    roles = {parameter.role: parameter for parameter in fact.parameters}
    counts, length = roles.get(ParameterRole.COUNTS), roles.get(ParameterRole.LENGTH)
    if counts is None or (length is not None and length.name in op.data):
        return []
    positional = len(op.args) - 1 - len(op.data)
    if counts.name in op.data:
        return [op.args[1 + positional + op.data.index(counts.name)]]
    if counts.position is None or counts.position >= positional:
        return []
    return [op.args[1 + counts.position]]


def _sizes(program: Program, unit: Unit, fact: Fact, op: Op) -> list[int]:
    """The arguments that say how large a result is, or its parts are."""
    is_method = program.knowledge.type(fact.name.rpartition(".")[0]) is not None
    is_given_array = Trait.VIEWS in fact.traits and not is_method
    return _inside(unit, op.args[1 + is_given_array : len(op.args) - len(op.data)])


def _on_elements(program: Program, unit: Unit, place: Place, index: int) -> Wait | None:
    """A list of tensors whose numbers are read one by one."""
    source, display = (*unit.key, index), unit.ops[index]
    listed = display.args if display.kind in (Kind.LIST, Kind.TUPLE) else ()
    if listed and all(_is_ruled_out(program, unit, place, one) for one in listed):
        return None
    held = holds(program, source)
    if not held or any(origin.what is not What.CONTAINER for origin in held):
        return None
    inside = NOTHING.union(*[elements(program, origin) for origin in held])
    is_tensor = DEVICE_ARRAYS & bases_of(program, inside) and UNKNOWN not in inside
    if is_tensor and residence(program, source) is Residence.ACCELERATOR:
        return Wait(place, source, "list", _framework(bases_of(program, inside)))
    return None


def _facts(program: Program, unit: Unit, place: Place, op: Op) -> tuple[Fact, ...]:
    """What is known of what a call runs; of an array of unknown type, what such arrays have."""
    callee = unit.ops[op.args[0]]
    by = output_of(program, (*unit.key, callee.args[0])) if callee.kind is Kind.ATTRIBUTE else ""
    method = program.knowledge.method(_ARRAYS[by], callee.data) if by else None
    fact = program.fact(method) if method else None
    return facts_of(program, place) if fact is None else (fact,)


def _shown(unit: Unit, name: str, op: Op) -> list[int]:
    if name in ("builtins.max", "builtins.min", "builtins.sum") and len(op.args) == 2:
        inner = unit.ops[op.args[1]]
        # Over the elements of a tensor, or of a list of tensors: each is read.
        return _inside(unit, (op.args[1],)) if inner.kind is not Kind.CALL else [op.args[1]]
    return list(op.args[1:])


def _inside(unit: Unit, operands: tuple[int, ...]) -> list[int]:
    """Operands, and those of the displays among them."""
    found = []
    for operand in operands:
        op = unit.ops[operand]
        if op.kind in (Kind.DICT, Kind.LIST, Kind.TUPLE):
            found += _inside(unit, op.args)
        else:
            found.append(operand)
    return found


def _at_index(program: Program, unit: Unit, place: Place, op: Op) -> Wait | None:
    """A mask of booleans has a result whose size the host must know; so has a bound."""
    base = (*unit.key, op.args[0])
    if not is_array(program, base) or residence(program, base) is not Residence.ACCELERATOR:
        return None
    for number in _indices(unit, op.args[1]):
        index = unit.ops[number]
        if index.kind is Kind.SLICE:
            found = _on(program, unit, place, list(index.args), "index")
        elif is_mask(program, (*unit.key, number)) is not False:
            found = _on(program, unit, place, [number], "index")
        else:
            found = None
        if found is not None:
            return found
    return None


def _indices(unit: Unit, index: int) -> tuple[int, ...]:
    op = unit.ops[index]
    return op.args if op.kind is Kind.TUPLE else (index,)


def _is_unknown(program: Program, path: str, number: int, op: Op) -> bool:
    """Whether a call may run anything; on what lives on the device that is work for it."""
    callee = holds(program, (path, number, op.args[0]))
    return any(origin.what is What.UNKNOWN for origin in callee)


def launches(program: Program, place: Place) -> bool:
    """Whether an operation gives the device work."""
    return program.answers.ask(_launches, place, bottom=False)


def _launches(program: Program, path: str, number: int, index: int) -> bool:
    place = (path, number, index)
    op = program.op(place)
    if op.kind is Kind.CALL:
        if compiler_of(program, place):
            return True
        traits = traits_of(program, place)
        if not traits & _LAUNCHING and not _is_unknown(program, path, number, op):
            return False
        if Trait.STEPS_OPTIMIZER in traits or Trait.BACKPROPAGATES in traits:
            return True
        return residence(program, place) is Residence.ACCELERATOR
    if op.kind in (Kind.BINARY, Kind.COMPARE, Kind.UNARY):
        return bool(is_array(program, place)) and residence(program, place) is Residence.ACCELERATOR
    return False
