"""What of a traced function's body belongs to Python, and happens only while it is traced."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from deepperf.knowledge.schema import Trait
from deepperf.records import Level
from deepperf.semantics.query import Call, Compilation, Function, Kind, Number, Value, number_of

_CHANGING = frozenset(("Add", "Sub", "Mult"))
_COUNT = "count in a `tf.Variable` (`assign_add`), or return the value and keep it outside"
_RETURN = "return the new value from the compiled function, and keep it where that is called"
_OF_PYTHON = frozenset(("python", "numpy"))


class Effect(NamedTuple):
    """Where a traced function does something in Python, what happens then, and what to write."""

    at: Value | Call
    says: str
    remedy: str
    level: Level = Level.WARNING


def effects(function: Function, compiled: Compilation) -> Iterator[Effect]:
    """What a function does in Python, unconditionally, while it is traced."""
    instead = _instead(compiled)
    for stored in function.values(Kind.SET_ATTRIBUTE):
        if _counts(stored) and not stored.conditions:
            name = f"{stored.operands[0].text}.{stored.data}"
            says = f"`{name}` counts how often it is traced, not how often it runs"
            yield Effect(stored, says, instead)
    for name, value in function.rebound:
        if value.kind is Kind.BINARY and not value.conditions:
            says = f"`{name}` changes when it is traced, not when it runs"
            # Some count traces on purpose.
            yield Effect(value, says, instead, Level.NOTE)
    for stored in function.values(Kind.SET_ITEM):
        found = None if stored.conditions else _of_entry(stored, compiled)
        if found is not None:
            yield found
    for call in function.calls():
        found = None if call.conditions else _of_call(call, compiled)
        if found is not None:
            yield found


def _of_entry(stored: Value, compiled: Compilation) -> Effect | None:
    """Of a dict, kept by an object or outside of the function, whose entry is counted up."""
    owner, key, value = stored.operands
    if value.kind is not Kind.BINARY or value.data.rstrip("=") not in _CHANGING:
        return None
    old, added = value.operands
    is_same = old.kind is Kind.ITEM and old.source == stored.source
    is_outer = owner.kind is Kind.NAME and stored.function.names_file_variable(owner.data)
    is_kept = owner.kind is Kind.ATTRIBUTE or is_outer
    if not is_same or not is_kept or owner.python_type != "dict":
        return None
    name = f"{owner.text}[{key.text}]"
    if added.is_array_by_method:
        says = f"`{name}` gets a symbolic tensor once, while it is traced"
        return Effect(stored, says, _instead(compiled))
    if number_of(added) is Number.UNKNOWN:
        return None
    says = f"`{name}` counts how often it is traced, not how often it runs"
    level = Level.NOTE if is_outer else Level.WARNING  # some count traces on purpose
    return Effect(stored, says, _instead(compiled), level)


def _instead(compiled: Compilation) -> str:
    """What to do instead of changing what stands outside."""
    return _RETURN if compiled.framework == "jax" else _COUNT


def _of_call(call: Call, compiled: Compilation) -> Effect | None:
    is_jax = compiled.framework == "jax"
    grown = _grown(call)
    if grown is not None:
        says = f"`{grown.text}` gets a symbolic tensor once, while it is traced"
        return Effect(call, says, _instead(compiled))
    if not is_jax and not compiled.calls and _makes_variables(call):
        says = f"`{call.name}` makes variables in each trace, which fails in the second"
        return Effect(call, says, "make it once, outside of the compiled function")
    facts = call.facts
    if not facts or any(fact.framework not in _OF_PYTHON for fact in facts):
        return None
    if call.has(Trait.RANDOM):
        draw = "pass a key, and draw with `jax.random`" if is_jax else "draw with `tf.random`"
        return Effect(call, "the number drawn is a constant of what is compiled", draw)
    if call.has(Trait.TELLS_TIME):
        says = "the time is a constant of what is compiled"
        return Effect(call, says, "take the time around the call, when its result is there")
    if call.has(Trait.PRINTS) and any(map(_shows_array, call.arguments)):
        show = "`jax.debug.print`" if is_jax else "`tf.print`"
        says = "a symbolic tensor is shown once, while it is traced"
        return Effect(call, says, f"print what the call returns, or use {show}", Level.NOTE)
    if call.is_of("builtins.next") and call.arguments and _is_of_python(call.arguments[0]):
        says = "it takes one item while it is traced, a constant of what is compiled"
        return Effect(call, says, "pass each item as an argument")
    return None


def _makes_variables(call: Call) -> bool:
    """Whether it makes variables by itself, or calls a function that does whatever it is passed."""
    making = (Trait.CREATES_VARIABLE, Trait.CREATES_LAYER)
    way = call.way_to(*making)
    # Layers make their variables in the first call of their model, and there alone.
    is_plain = not any(run.takes_object for step in way for run in step.runs)
    # A loss holds nothing but its settings.
    if not way or Trait.STATELESS in way[-1].result.class_traits:
        return False
    return is_plain and not any(step.conditions for step in way)


def _shows_array(value: Value) -> bool:
    if value.kind is Kind.FORMAT:
        return any(map(_shows_array, value.operands))
    return bool(value.is_array_by_method)


def _is_of_python(value: Value) -> bool:
    """Whether an iterator, made outside, goes over something of Python."""
    makers = value.makers
    for made in makers:
        if any(function.is_generator for function in made.runs):
            continue
        over = made.arguments[0] if made.is_of("builtins.iter") and made.arguments else None
        if over is None or not (over.python_type or _is_range(over)):
            return False
    return bool(makers) and value.kind is not Kind.CALL


def _is_range(value: Value) -> bool:
    return value.call is not None and value.call.is_of("builtins.range")


def _counts(stored: Value) -> bool:
    """Whether a number that an object has is counted up."""
    owner, value = stored.operands
    if value.kind is not Kind.BINARY or value.data.rstrip("=") not in _CHANGING:
        return False
    read = value.operands[0]
    is_same = read.kind is Kind.ATTRIBUTE and read.data == stored.data
    return is_same and read.operands[0] == owner and read.python_type in ("int", "float")


def _grown(call: Call) -> Value | None:
    """The list, kept by an object or outside of the function, that gets what was computed."""
    receiver = call.receiver
    if not call.has(Trait.KEEPS_ARGUMENT) or receiver is None or not call.arguments:
        return None
    if receiver.python_type != "list":
        return None
    while receiver.kind is Kind.ITEM:  # one of several that are kept by their names
        receiver = receiver.operands[0]
    if receiver.kind not in (Kind.ATTRIBUTE, Kind.NAME):
        return None
    function = call.function
    # A list that is set anew in the same function is gone when the next trace begins; one of an
    # enclosing function that is traced itself belongs to that trace.
    anew = {(one.data, one.operands[0]) for one in function.values(Kind.SET_ATTRIBUTE)}
    is_new = receiver.kind is Kind.ATTRIBUTE and (receiver.data, receiver.operands[0]) in anew
    if is_new or (receiver.kind is Kind.NAME and not function.names_file_variable(receiver.data)):
        return None
    return receiver if call.arguments[-1].is_array_by_method else None
