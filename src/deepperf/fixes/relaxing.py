"""Edits by which one version is compiled for all shapes."""

from __future__ import annotations

from deepperf.fixes.arguments import add_keyword, remove_keyword
from deepperf.fixes.imports import spell
from deepperf.knowledge.schema import ParameterRole, Trait
from deepperf.records import Edit
from deepperf.semantics.query import Call, Compilation, Function, Kind, Number, number_of

_KINDS = {Number.FLOAT: "tensorflow.float32", Number.INTEGER: "tensorflow.int32"}
"""What TensorFlow makes of Python's numbers."""
_TITLES = {
    "tensorflow": "trace once for all shapes",
    "torch": "let the compiler find out which axes change",
}


def relaxed(call: Call, compiled: Compilation | Call) -> tuple[str, tuple[Edit, ...]] | None:
    """What to do, and the edits: one version for all shapes, where no shape is read in Python."""
    text, (start, end) = compiled.file_text, compiled.span
    if compiled.path != call.path or compiled.framework not in _TITLES:
        return None
    if any(_reads_shapes(function) for function in call.runs):
        return None
    title = _TITLES[compiled.framework]
    if compiled.has(Trait.BREAKS_GRAPH):
        edit = remove_keyword(text, start, end, "dynamic") or _undecided(compiled)
        return (title, (edit,)) if edit is not None else None
    signed = _signature(call)
    name, value, imports = signed or ("reduce_retracing", "True", ())
    if compiled.op.kind is Kind.CALL:
        edit = add_keyword(text, start, end, name, value)
    else:
        edit = Edit(end, end, f"({name}={value})")
    return (title, (edit, *imports)) if edit is not None else None


def _signature(call: Call) -> tuple[str, str, tuple[Edit, ...]] | None:
    """The option that says what a function takes, where its only call passes it one list of
    numbers, made a tensor.
    """
    given, runs = call.arguments, call.runs
    made = given[0].call if len(given) == 1 else None
    if made is None or len(runs) != 1 or len(runs[0].callers()) != 1:
        return None
    bound = 1 if runs[0].takes_object else 0
    parts = made.arguments
    is_list = len(parts) == 1 and parts[0].kind is Kind.COLLECT and parts[0].data == "list"
    if len(runs[0].parameters) != 1 + bound or not made.has(Trait.MAKES_TENSOR) or not is_list:
        return None
    kind = _KINDS.get(number_of(parts[0].operands[0]))
    spec = spell(call.file_text, "tensorflow.TensorSpec", alias="tf")
    spelled = spell(call.file_text, kind, alias="tf") if kind is not None else None
    if spec is None or spelled is None:
        return None
    return "input_signature", f"[{spec.text}([None], {spelled.text})]", spec.edits


def _undecided(compiled: Compilation | Call) -> Edit | None:
    """The edit that leaves it open whether shapes change, where a dict or a data class, unpacked,
    says that they don't.
    """
    role = ParameterRole.DYNAMIC
    given = compiled.in_role(role) if isinstance(compiled, Call) else compiled.option(role)
    written = (given.written_at or (given,)) if given is not None else ()
    if len(written) != 1 or written[0].path != compiled.path or written[0].constant is not False:
        return None
    return Edit(*written[0].span, "None")


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
