"""Whether anything uses what a compiler gives, and the edit by which something does."""

from __future__ import annotations

from deepperf.fixes.arguments import argument_text
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
