"""Edits by which a compiled function is traced once: for a number as a tensor, for all lengths."""

from __future__ import annotations

from deepperf.fixes.arguments import argument_text, replace_argument
from deepperf.fixes.imports import Spelling, spell
from deepperf.fixes.relaxing import relaxed
from deepperf.knowledge.schema import Trait
from deepperf.records import Fix, Safety
from deepperf.semantics.query import (
    Call,
    Compilation,
    Function,
    Kind,
    Number,
    Value,
    number_of,
)

CONSTANT, FLOAT = "tensorflow.constant", "tensorflow.float32"
INTEGER = "tensorflow.int32"


def as_tensor(call: Call, argument: str, parameter: str) -> Fix | None:
    """A number passed as a tensor, where the body takes one in its place."""
    function = call.runs[0]
    names = function.parameter_names
    if parameter not in names or _is_of_python(call, function):
        return None
    index = names.index(parameter)
    given = call.passed_for(function, index)
    holder = call.passing(given) if given is not None else None
    if given is None or holder is None or holder.path != call.path:
        return None
    wanted = _wanted(function.parameters[index], number_of(given))
    constant = spell(call.file_text, CONSTANT, alias="tf")
    kind = spell(call.file_text, FLOAT, alias="tf") if wanted is Number.FLOAT else Spelling("", ())
    if wanted is Number.UNKNOWN or constant is None or kind is None:
        return None
    which = parameter if parameter in holder.keywords else holder.arguments.index(given)
    written = argument_text(call.file_text, *holder.span, which)
    # Of a float, and of an integer that is wanted as one, the type follows.
    more = f", {kind.text}" if kind.text and number_of(given) is Number.INTEGER else ""
    value = f"{constant.text}({written}{more})"
    edit = replace_argument(call.file_text, *holder.span, which, value)
    if edit is None:
        return None
    title = f"pass `{argument}` as a tensor"
    return Fix(title, (edit, *constant.edits), Safety.UNSAFE)


def as_indices(call: Call, argument: str, parameter: str, compiled: Compilation) -> Fix | None:
    """A list of indices passed as a tensor, of which one trace is made for all lengths."""
    function, names = call.runs[0], call.runs[0].parameter_names
    users = function.parameters[names.index(parameter)].users
    only_looks_up = users and all(
        user.call is not None and user.call.has(Trait.GATHERS) for user in users
    )
    text = call.file_text
    constant, kind = (spell(text, name, alias="tf") for name in (CONSTANT, INTEGER))
    more = relaxed(call, compiled)
    given = call.passed_for(function, names.index(parameter))
    if len(call.runs) != 1 or not only_looks_up or constant is None or kind is None or more is None:
        return None
    if given is None or given not in call.arguments:
        return None
    which = parameter if parameter in call.keywords else call.arguments.index(given)
    written = argument_text(text, *call.span, which)
    value = f"{constant.text}({written}, {kind.text})"
    edit = replace_argument(text, *call.span, which, value)
    title = f"pass `{argument}` as a tensor, and {more[0]}"
    return Fix(title, (edit, *more[1], *constant.edits), Safety.UNSAFE) if edit else None


def _is_of_python(call: Call, function: Function) -> bool:
    """Whether there is no tensor that the number would meet: Python does better without."""
    is_plain = all(number_of(one) is not Number.UNKNOWN for one in call.arguments)
    return is_plain and all(
        fact.framework == "python" for one in function.calls() for fact in one.facts
    )


def _wanted(parameter: Value, given: Number) -> Number:
    """As what kind of tensor a body takes a number; unknown where Python itself needs one."""
    wanted, pending, seen = given, [(parameter, given)], set[Value]()
    while pending:
        value, kind = pending.pop()
        for user in value.users:
            if user in seen:
                continue
            seen.add(user)
            if user.kind in (Kind.PHI, Kind.UNARY):
                pending.append((user, kind))
            elif user.kind is Kind.RETURN:
                continue
            elif user.kind is Kind.COMPARE and kind is Number.FLOAT:
                # Compared with a tensor, it gives one either way.
                if not any(one.is_array for one in user.operands if one != value):
                    return Number.UNKNOWN
            elif user.kind is Kind.BINARY:
                other = _partner(user, value)
                if kind is Number.INTEGER and (user.data == "Div" or other is Number.FLOAT):
                    wanted = kind = Number.FLOAT
                elif kind is Number.INTEGER and other is not Number.INTEGER:
                    return Number.UNKNOWN
                # A tensor times a number is one already.
                if other is not Number.UNKNOWN or user.is_array is False:
                    pending.append((user, kind))
            elif user.call is None or not _takes(user.call, value, kind):
                return Number.UNKNOWN
    return wanted


def _partner(user: Value, value: Value) -> Number:
    others = [one for one in user.operands if one != value]
    return number_of(others[0]) if others else Number.INTEGER


def _takes(call: Call, value: Value, kind: Number) -> bool:
    """Whether a callable of the framework takes a tensor of a kind where it takes a number."""
    if not call.facts or any(fact.framework != "tensorflow" for fact in call.facts):
        return False
    if call.has(Trait.CASTS):
        return call.arguments[:1] == (value,)
    return kind is Number.FLOAT and call.has(Trait.ELEMENTWISE)
