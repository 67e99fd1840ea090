"""The edit by which what a function reads from around it is passed, and no other function made."""

from __future__ import annotations

from deepperf.fixes.imports import spell
from deepperf.fixes.traced_numbers import takes_array
from deepperf.fixes.wrapping import wrap_call
from deepperf.knowledge.schema import ParameterRole, Trait
from deepperf.records import Fix, Safety
from deepperf.semantics.query import Function, Kind, Value
from deepperf.semantics.view import Compilation

_DEEPEST = 4
_WRITTEN = frozenset((Kind.FUNCTION, Kind.NAME))
_OTHERS = frozenset((Kind.PARAMETER, Kind.CALL, Kind.ATTRIBUTE, Kind.ITEM, Kind.PHI, Kind.CYCLE))


def passing(made: Compilation) -> Fix | None:
    """Compile the whole call in a function that takes what its functions read from around them."""
    calls = made.file.queried.calls()
    call = next((one for one in calls if one.location == made.location), None)
    if call is None or call.passes_unseen:
        return None
    names: dict[str, None] = {}
    local = call.function.local_names
    for given in call.arguments:
        for function in given.functions:
            read = _captured(function, local, 0)
            if read is None or given.kind not in _WRITTEN:
                return None
            names.update(dict.fromkeys(read))
    if any(given.kind in _OTHERS for _, given in call.all_in_role(ParameterRole.FUNCTION)):
        return None
    shaped = made.file.names_with(Trait.TRACES_EACH_SHAPE)
    compilers = [one for one in made.file.names_with(Trait.COMPILES) if one in shaped]
    own = [one for one in compilers if one.startswith(f"{made.framework}.")]
    spelling = spell(made.file.text, *own, alias=made.framework) if own else None
    edits = wrap_call(made.file.text, *made.span, [*names], spelling.text) if spelling else None
    if spelling is None or edits is None:
        return None
    read_names = " and ".join(f"`{name}`" for name in names)
    title = f"compile it once, with {read_names} passed" if names else "compile it once"
    return Fix(title, (*edits, *spelling.edits), Safety.UNSAFE)


def _captured(function: Function, local: frozenset[str], depth: int) -> list[str] | None:
    """The names of functions around it that it computes with; None where an array won't do."""
    found: list[str] = []
    if depth > _DEEPEST or function.rebound or function.only_computes is False:
        return None
    for read in function.values(Kind.NAME):
        if read.data not in local:
            continue
        if not _is_array(read) and not takes_array(read):
            return None
        found.append(read.data)
    for inner in function.values(Kind.FUNCTION):
        for one in inner.functions:
            more = _captured(one, local, depth + 1)
            if more is None:
                return None
            found += more
    return found


def _is_array(read: Value) -> bool:
    return bool(read.bound) and all(one.is_array is True for one in read.bound)
