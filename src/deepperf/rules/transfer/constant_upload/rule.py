"""What never changes is made on the host and copied to the device again and again."""

from __future__ import annotations

from collections.abc import Iterator

from deepperf.knowledge.schema import Trait
from deepperf.records import Finding, Level
from deepperf.rules.rule import Rule, each_function
from deepperf.rules.transfer.constant_upload.made import factories_of, made_on_host
from deepperf.semantics.query import (
    MISSING,
    Call,
    Cost,
    Dependence,
    Function,
    Iteration,
    Kind,
    LoopKind,
    Residence,
    Value,
    Written,
    level_of,
    share,
)

rule = Rule(
    module=__name__,
    cause="inefficient-data-transmission",
    symptoms=("slow-execution", "abnormal-gpu-utilization"),
    stage="training",
    level=Level.NOTE,
    frameworks=("torch", "jax"),
)

_HOT = frozenset(("step", "batch", "token", "parameter", "layer"))
_FEW_TIMES = frozenset((LoopKind.EPOCH, LoopKind.FEW))
_REMEDIES = {
    "torch": "make it on the device once: `register_buffer` in a module's `__init__`, or a tensor"
    " made before the loop",
    "jax": "make it once before the loop, or inside of the compiled function, where it is a"
    " constant",
}
_SKETCH = """\
# in `__init__` of the module, once:
self.register_buffer("{name}", torch.as_tensor({data}), persistent=False)
# in `{function}`, instead of `{upload}`:
self.{name}
"""
_LOOP_SKETCH = """\
{name} = torch.as_tensor({data}, device=device)  # once
{header}:
    ...  # `{name}` instead of `{upload}`
"""
_NUMBER_REMEDY = (
    "make it on the device: `torch.zeros((), device=…)` or `torch.full((), value, device=…)`"
    " launch without a copy, and most operations take the number itself"
)


@each_function
def check_moves(function: Function) -> Iterator[Finding]:
    """What a factory makes on the host is copied, though it takes the device as an argument."""
    if not function.is_function or not function.file.uses_accelerator:
        return
    found = list(dict.fromkeys(made_on_host(function)))
    if found and not function.is_traced:
        first, *others = found
        related = [value.step(f"`{value.text}`, too") for value in others]
        related += [call.step("made here") for value in found for call in factories_of(value)]
        yield rule.finding(
            first,
            f"`{first.text}` is made on the host and then copied to the device",
            "make it where it is used: pass `device=` to the function that makes it",
            framework="torch",
            related=tuple(related),
            estimate=share(Cost.UPLOAD, len(found), Iteration.STEP),
        )


@each_function
def check_function(function: Function) -> Iterator[Finding]:
    if not function.is_function or not function.file.uses_accelerator:
        return
    if _HOT.isdisjoint(function.runs_for) and not any(function.loops()):
        return
    copies = [call.result for call in function.calls(Trait.CONVERTS, Trait.MOVES)]
    places = sorted([*copies, *function.values(Kind.ITEM)], key=lambda value: value.place)
    found = (value for value in places if _is_upload(value))
    hot = [value for value in found if _HOT & value.runs_for or _is_repeated(value)]
    if not hot or function.is_decorated(Trait.COMPILES) or function.is_traced:
        return
    first, *others = sorted(hot, key=lambda value: _is_number(_data(value)))
    arrays = [value for value in hot if not _is_number(_data(value))]
    estimate = share(Cost.WAIT, len(arrays) or 0.5, Iteration.STEP)
    framework = "jax" if first.framework == "jax" else "torch"
    is_number = not arrays and framework == "torch"
    remedy = _NUMBER_REMEDY if is_number else _REMEDIES[framework]
    if level_of(estimate) is not None:
        yield rule.finding(
            first,
            f"`{first.text}` copies what never changes to the device, and waits for it,"
            f" {_when(first)}",
            remedy,
            framework=framework,
            related=tuple([value.step(f"`{value.text}`, too") for value in others]),
            sketch=_sketch(first) if arrays and framework == "torch" else "",
            estimate=estimate,
        )


def _sketch(upload: Value) -> str:
    data, loops = _data(upload), upload.call.loops if upload.call is not None else ()
    is_inside = bool(loops) and not loops[0].is_comprehension
    if data is None or not (upload.function.is_method or is_inside):
        return ""
    return (_LOOP_SKETCH if is_inside else _SKETCH).format(
        name=upload.variable or "constant",
        data=data.source,
        function=upload.function.name,
        upload=upload.text,
        header=loops[0].header if is_inside else "",
    )


def _when(value: Value) -> str:
    if value.call is not None and value.call.loops:
        return f"in every iteration of `{value.call.loops[0].header}`"
    return f"each time that `{value.function.name}` runs"


def _is_upload(value: Value) -> bool:
    data = _data(value)
    if data is None or _is_empty(data):
        return False
    return data.is_settled or _is_repeated(value)


def _is_repeated(value: Value) -> bool:
    """Whether each iteration of a loop, of whatever, copies the same array of the host anew."""
    call, data = value.call, _data(value)
    loop = next(iter(call.loops), None) if call is not None else None
    if call is None or data is None or loop is None or not _is_numpy(data):
        return False
    if loop.kind in _FEW_TIMES or loop.is_short or call.is_conditional(loop):
        return False
    is_same = data.dependence(loop) is Dependence.INVARIANT
    return is_same and loop.writes_to(data) is Written.NOT and not call.guard(loop).is_rare


def _is_empty(data: Value) -> bool:
    """Whether there is nothing to copy."""
    return data.kind in (Kind.LIST, Kind.TUPLE) and not data.operands


def _data(value: Value) -> Value | None:
    """What is copied to the device from the host, if anything is."""
    call = value.call
    if call is None:
        return _index(value)
    if call.result.residence is not Residence.ACCELERATOR:
        return None
    if call.has(Trait.CONVERTS):
        return _converted(call)
    made = call.receiver
    if made is not None and made.is_array and made.residence is Residence.HOST and made.is_settled:
        return made
    while made is not None and made.call is not None and not made.call.has(Trait.CONVERTS):
        made = made.call.receiver
    return _converted(made.call) if made is not None and made.call is not None else None


def _converted(call: Call) -> Value | None:
    arguments = call.arguments
    return arguments[0] if arguments and not call.passes_unseen else None


def _index(value: Value) -> Value | None:
    """A list or array of the host that picks parts of a tensor on the device."""
    tensor, index = value.operands
    parts = index.operands if index.kind is Kind.TUPLE else (index,)
    found = [p for p in parts if p.kind is Kind.LIST or p.python_type == "list" or _is_numpy(p)]
    if not found or tensor.is_array is False or tensor.residence is not Residence.ACCELERATOR:
        return None
    # An array of a list that is kept is kept itself.
    kept = found[0].operands[0] if found[0].kind in (Kind.ELEMENT, Kind.ITEM) else found[0]
    return kept if _is_numpy(found[0]) else found[0]


def _is_numpy(value: Value) -> bool:
    return value.is_numpy and len(value.types) == 1 and not value.is_unknown


def _is_number(value: Value | None) -> bool:
    return value is not None and value.constant is not MISSING
