"""The guard rail against breaks: an option by which the compiler raises an error at one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from deepperf.fixes.arguments import add_keyword
from deepperf.knowledge.schema import ParameterRole
from deepperf.records import Edit, Fix, Safety
from deepperf.rules.tracing.graph_break.breaks import Break, breaks
from deepperf.rules.tracing.graph_break.mending import mend
from deepperf.semantics.query import Compilation, Function, Kind


def guarded(function: Function, found: Sequence[Break], fix: Fix) -> Fix | None:
    """The fix of a function's breaks with the guard rail besides, where it takes away the last
    break that is seen in what each compiler that reaches the function compiles.
    """
    if not all(mend(function, one)[0] for one in found):
        return None
    compilations = function.compilations
    others = {one for compiled in compilations for one in compiled.functions} - {function}
    seen = {one.at for one in found}
    left = [one for one in _running(function) if one.at not in seen]
    if left or any(True for other in others for _ in _running(other)):
        return None
    name, edits = "", list[Edit]()
    for compiled in compilations:
        option = next(
            (one.name for one in compiled.fact.parameters if one.role is ParameterRole.WHOLE), ""
        )
        edit = _with_option(compiled, option) if option and compiled.path == function.path else None
        if edit is None:
            return None
        name = option
        edits.append(edit)
    title = f"{fix.title}, and set `{name}=True`, which raises an error where a break is left"
    return Fix(title, tuple(dict.fromkeys((*fix.edits, *edits))), Safety.UNSAFE)


def _running(function: Function) -> Iterator[Break]:
    return (one for one in breaks(function) if not one.at.runs_eagerly)


def _with_option(compiled: Compilation, name: str) -> Edit | None:
    start, end = compiled.span
    if compiled.op.kind is Kind.CALL:
        return add_keyword(compiled.file_text, start, end, name, "True")
    return Edit(end, end, f"({name}=True)")
