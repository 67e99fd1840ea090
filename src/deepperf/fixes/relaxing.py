"""Edits by which one version is compiled for all shapes."""

from __future__ import annotations

from deepperf.fixes.arguments import add_keyword, remove_keyword
from deepperf.knowledge.schema import ParameterRole, Trait
from deepperf.records import Edit
from deepperf.semantics.query import Call, Compilation, Function, Kind

_TITLES = {
    "tensorflow": "trace once for all shapes",
    "torch": "let the compiler find out which axes change",
}


def relaxed(call: Call, compiled: Compilation | Call) -> tuple[str, Edit] | None:
    """What to do, and the edit: one version for all shapes, where no shape is read in Python."""
    text, (start, end) = compiled.file_text, compiled.span
    if compiled.path != call.path or compiled.framework not in _TITLES:
        return None
    if any(_reads_shapes(function) for function in call.runs):
        return None
    if compiled.has(Trait.BREAKS_GRAPH):
        edit = remove_keyword(text, start, end, "dynamic")
    elif compiled.op.kind is Kind.CALL:
        edit = add_keyword(text, start, end, "reduce_retracing", "True")
    else:
        edit = Edit(end, end, "(reduce_retracing=True)")
    return (_TITLES[compiled.framework], edit) if edit is not None else None


def freed(marking: Call) -> Edit | None:
    """The edit that has an axis change where a call says that it stays as it is."""
    text, (start, _) = marking.file_text, marking.span
    axis = marking.in_role(ParameterRole.AXIS)
    old, new = "mark_static", "maybe_mark_dynamic"
    stop = start + len(marking.name)
    is_named = axis is not None and text[:stop].endswith(f".{old}")
    return Edit(stop - len(old), stop, new) if is_named else None


def _reads_shapes(function: Function) -> bool:
    reads = any(one.data in ("shape", "ndim") for one in function.values(Kind.ATTRIBUTE))
    return reads or any(call.is_of("builtins.len") for call in function.calls())
