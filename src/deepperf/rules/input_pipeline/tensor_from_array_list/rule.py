"""A tensor is made of a list of NumPy arrays, element by element."""

from __future__ import annotations

from collections.abc import Iterator

from deepperf.fixes.arguments import replace_argument
from deepperf.fixes.imports import spell
from deepperf.knowledge.schema import ParameterRole, Trait
from deepperf.records import Edit, Finding, Fix, Level, Safety
from deepperf.rules.rule import Rule, each_call
from deepperf.semantics.query import Call, Cost, Iteration, Kind, Value, share

rule = Rule(
    module=__name__,
    cause="inefficient-api-usage",
    symptoms=("slow-execution",),
    stage="data-preparation",
    level=Level.NOTE,
    frameworks=("torch", "tensorflow"),
)

_ARRAY = "ndarray"


@each_call(Trait.COPIES_ONE_BY_ONE)
def check(call: Call) -> Iterator[Finding]:
    if not call.arguments or call.passes_unseen:
        return
    whole = call.arguments[0]
    parts = whole.operands if whole.kind is Kind.TUPLE else (whole,)
    lists = [part for part in parts if part.python_type == "list" and _are_arrays(part)]
    if not lists:
        return
    joined = "torch.from_numpy(np.stack(...))" if call.framework == "torch" else "np.stack(...)"
    yield rule.finding(
        call,
        f"`{call.name}` copies the arrays in `{lists[0].text}` number by number",
        f"join them with NumPy first: `{joined}`",
        fix=_fix(call) if lists == [whole] else None,
        estimate=share(Cost.READ_FILE, 1, Iteration.STEP),
    )


def _are_arrays(given: Value) -> bool:
    if given.kind is Kind.LIST and len(given.operands) == 1:
        return False
    types = given.element_types
    if {name.rpartition(".")[2] for name in types} != {_ARRAY}:
        return False
    # Of an element whose type is not known, the types of the others say nothing.
    if any(not _is_array(element) for element in given.contents):
        return False
    # NumPy's sums and means without an axis are single numbers.
    elements = [
        *given.contents,
        *(call.result for value in given.contents for call in value.makers),
    ]
    return not any(_is_number(element) for element in elements)


def _is_array(element: Value) -> bool:
    return {name.rpartition(".")[2] for name in element.types} == {_ARRAY}


def _is_number(element: Value) -> bool:
    """Whether it may be a single number: an element, or what is computed from one."""
    call = element.call
    if element.kind is Kind.ITEM:
        return True
    if element.kind is Kind.BINARY:
        return any(_is_number(part) for part in element.operands)
    if call is None:
        return False
    is_one_draw = call.takes(ParameterRole.SHAPE) and call.in_role(ParameterRole.SHAPE) is None
    return is_one_draw or (call.has(Trait.REDUCES) and not call.argument("axis", 1))


def _fix(call: Call) -> Fix | None:
    text, (start, end) = call.file.text, call.span
    spelling = spell(text, "numpy", alias="np")
    place = replace_argument(text, start, end, 0, "")
    if spelling is None or place is None:
        return None
    joined = f"{spelling.text}.array({text[place.start : place.end]})"
    edit = Edit(place.start, place.end, joined)
    # NumPy finds another type for an empty list, and for arrays of unlike types.
    dtype = call.argument("dtype")
    is_told = dtype is not None and dtype.python_type != "NoneType"
    safety = Safety.SAFE if is_told else Safety.UNSAFE
    return Fix("join the arrays with NumPy first", (edit, *spelling.edits), safety)
