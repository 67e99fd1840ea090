"""Whether anything uses what a compiler gives, and the edit by which something does."""

from __future__ import annotations

from deepperf.records import Edit, Fix, Safety
from deepperf.semantics.query import Call, Function, Kind, Value


def kept_result(call: Call, compiled: Value) -> Fix | None:
    """The variable that holds what is compiled, set to what compiling it gives."""
    start, end = call.span
    line = call.file_text[:start].rpartition("\n")[2]
    behind = call.file_text[end:].partition("\n")[0].strip()
    is_statement = not line.strip() and (not behind or behind.startswith("#"))
    if not is_statement or call.result.variable or not compiled.source.isidentifier():
        return None
    edit = Edit(start, start, f"{compiled.source} = ")
    return Fix(f"keep the compiled `{compiled.source}`", (edit,), Safety.UNSAFE)


def unused(call: Call) -> str:
    """How nothing uses what a call gives; "" where something may."""
    result = call.result
    if result.users:
        return ""
    name = result.variable
    if not name:
        # An interactive file shows what stands last in a cell.
        return "nothing keeps it"
    function = call.function
    is_local = function.is_function and name not in function.unit.outer_names
    if not is_local or any(_reads(one, name) for one in call.file.functions()):
        return ""
    return f"nothing calls `{name}`"


def _reads(function: Function, name: str) -> bool:
    return any(one.data == name for one in function.values(Kind.NAME))
