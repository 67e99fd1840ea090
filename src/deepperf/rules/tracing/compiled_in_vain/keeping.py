"""Whether anything uses what a compiler gives, and the edit by which something does."""

from __future__ import annotations

from deepperf.fixes.arguments import argument_text
from deepperf.knowledge.schema import ParameterRole
from deepperf.records import Edit, Fix, Safety
from deepperf.semantics.query import Call, Function, Kind


def kept_result(call: Call) -> Fix | None:
    """The variable that holds what is compiled, set to what compiling it gives."""
    start, end = call.span
    line = call.file_text[:start].rpartition("\n")[2]
    behind = call.file_text[end:].partition("\n")[0].strip()
    is_statement = not line.strip() and (not behind or behind.startswith("#"))
    # A variable's value is what it was made of: its name stands in the call.
    name = argument_text(call.file_text, start, end, 0) or ""
    if not is_statement or call.result.variable or not name.isidentifier():
        return None
    edit = Edit(start, start, f"{name} = ")
    return Fix(f"keep the compiled `{name}`", (edit,), Safety.UNSAFE)


def unused(call: Call) -> str:
    """How nothing uses what a call gives; "" where something may."""
    result = call.result
    kept = [user for user in result.users if user.kind is Kind.SET_ATTRIBUTE]
    if result.users and len(kept) != 1:
        return ""
    name = kept[0].data if kept else result.variable
    if not name:
        # An interactive file shows what stands last in a cell.
        return "nothing keeps it"
    kind = Kind.ATTRIBUTE if kept else Kind.NAME
    if any(_reads(one, name, kind) for one in call.file.functions()):
        return ""
    function = call.function
    is_local = function.is_function and name not in function.unit.outer_names
    if is_local and not kept:
        return f"nothing calls `{name}`"
    # Another file may call it, and so may whoever imports it, if this file doesn't run the other.
    is_known_elsewhere = any(path != call.path for path in call.program.naming(name))
    if is_known_elsewhere or not _runs_uncompiled(call):
        return ""
    return f"nothing calls `{kept[0].text if kept else name}`"


def _runs_uncompiled(call: Call) -> bool:
    """Whether its file calls what a call compiles, as it is."""
    given = call.in_role(ParameterRole.FUNCTION)
    if given is None or given.kind in (Kind.CALL, Kind.FUNCTION):
        name = given.variable if given is not None and given.kind is Kind.CALL else ""
        name = name or (argument_text(call.file_text, *call.span, 0) or "")
    else:
        name = given.source
    return bool(name) and any(
        one.callee.text == name and one != call
        for function in call.file.functions()
        for one in function.calls()
    )


def _reads(function: Function, name: str, kind: Kind) -> bool:
    return any(one.data == name for one in function.values(kind))
