"""Edits by which a number is no static argument any more, where the body takes an array for it."""

from __future__ import annotations

from deepperf.fixes.arguments import remove_keyword, replace_argument
from deepperf.fixes.imports import unimport
from deepperf.fixes.traced_numbers import takes_array
from deepperf.knowledge.schema import ParameterRole, Trait
from deepperf.records import Edit, Fix, Safety
from deepperf.semantics.query import Call, Compilation, Function, Kind, Number, Value, number_of

_SEQUENCES = (Kind.TUPLE, Kind.LIST)


def as_array(call: Call, parameter: str, compiled: Compilation) -> Fix | None:
    """A parameter that is static no more: all that is done with it can be done with an array."""
    if len(call.runs) != 1 or compiled.path != call.path:
        return None
    function = call.runs[0]
    index = next((at for at, name in enumerate(function.parameter_names) if name == parameter), -1)
    if not 0 <= index < len(function.parameters) or not _is_number_everywhere(function, index):
        return None
    if not takes_array(function.parameters[index]):
        return None
    edits = _without(compiled, parameter, index)
    title = f"compile one version for every `{parameter}`"
    return Fix(title, edits, Safety.UNSAFE) if edits else None


def _is_number_everywhere(function: Function, index: int) -> bool:
    """Whether all that call it pass a number: a text or a function has to stay static."""
    given = [call.passed_for(function, index) for call in function.callers()]
    if any(call.passes_unseen for call in function.callers()):
        return False
    default = number_of(function.parameters[index])
    return all((default if one is None else number_of(one)) is not Number.UNKNOWN for one in given)


def _without(compiled: Compilation, parameter: str, index: int) -> tuple[Edit, ...]:
    """The edits that leave a parameter out of those that are static."""
    text, (start, end) = compiled.file_text, compiled.span
    if compiled.op.kind is not Kind.CALL:
        return ()
    call = Call(compiled.program, compiled.place)
    statics = [
        (one.name, given)
        for one in compiled.fact.parameters
        if one.role is ParameterRole.STATIC and (given := call.argument(one.name)) is not None
    ]
    if len(statics) != 1:
        return ()
    name, given = statics[0]
    if given.kind in _SEQUENCES and len(given.operands) > 1:
        kept = [one for one in given.operands if one.constant not in (parameter, index)]
        if len(kept) == len(given.operands):
            return ()
        edit = replace_argument(text, start, end, name, _listed(given, kept))
        return (edit,) if edit is not None else ()
    if set(call.keywords) == {name} and len(call.arguments) == 2 and not call.has(Trait.COMPILES):
        # Nothing is left for `partial` to hold.
        bound = call.name.partition(".")[0]
        return (Edit(start, end, compiled.compiler), *unimport(text, bound, start, end))
    if set(call.keywords) == {name} and len(call.arguments) == 1:
        return (Edit(start, end, compiled.compiler),)
    edit = remove_keyword(text, start, end, name)
    return (edit,) if edit is not None else ()


def _listed(given: Value, kept: list[Value]) -> str:
    inner = ", ".join(one.source for one in kept)
    if given.kind is Kind.LIST:
        return f"[{inner}]"
    return f"({inner},)" if len(kept) == 1 else f"({inner})"
