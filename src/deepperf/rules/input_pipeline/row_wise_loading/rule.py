"""A loader takes rows of arrays in memory one by one, and joins them to batches again."""

from __future__ import annotations

from collections.abc import Iterator

from deepperf.knowledge.schema import ParameterRole, Trait
from deepperf.records import Finding, Level
from deepperf.rules.rule import Rule, each_function
from deepperf.semantics.query import (
    Call,
    Cost,
    Function,
    Iteration,
    Kind,
    LoopKind,
    Value,
    share,
)

rule = Rule(
    module=__name__,
    cause="inefficient-data-preprocessing",
    symptoms=("slow-execution", "abnormal-gpu-utilization"),
    stage="training",
    level=Level.NOTE,
    frameworks=("torch",),
)

_FEW = 16
_USUAL = 64
_OPERATIONS = 3
"""To pick a row, to turn it into a sample, and to copy it into the batch."""


@each_function
def check(function: Function) -> Iterator[Finding]:
    found = [call for call in function.calls(Trait.LOADS_BATCHES) if _takes_rows(call)]
    if not any(map(_trains, found)):
        return
    first, *others = found
    data, rows = first.argument("dataset", 0), max(_rows(call) for call in found)
    estimate = share(Cost.PYTHON_ROW, rows * _OPERATIONS, Iteration.STEP)
    yield rule.finding(
        first,
        f"`{first.name}` takes the rows of `{data.text if data else ''}` one by one and copies them"
        " into batches, though all are in memory",
        "pick a whole batch at once: `DataLoader(data, sampler=BatchSampler(RandomSampler(data),"
        " batch_size, False), batch_size=None)`, or index the tensors with"
        " `torch.randperm(n).split(batch_size)`",
        framework="torch",
        related=tuple([call.step(f"`{call.text}` does, too") for call in others]),
        estimate=estimate,
    )


def _trains(loader: Call) -> bool:
    """Whether a training step goes over it, or what goes over it is not seen in its file."""
    loops = (loop for one in loader.file.functions() for loop in one.loops() if not loop.is_while)
    over = [loop for loop in loops if loop.is_over_loader and loader in loop.iterable.makers]
    if over:
        return any(loop.kind in (LoopKind.STEP, LoopKind.EPOCH) for loop in over)
    readers = loader.result.readers
    return not readers or any(not _counts(reader) for reader in readers)


def _counts(reader: Value) -> bool:
    """Whether it asks how many batches there are, and takes none of them."""
    return reader.call is not None and reader.call.is_of("builtins.len")


def _takes_rows(call: Call) -> bool:
    data = call.argument("dataset", 0)
    if data is None or data.is_unknown or call.passes_unseen or _rows(call) <= _FEW:
        return False
    return call.in_role(ParameterRole.FUNCTION) is None and _holds_rows(data)


def _rows(call: Call) -> int:
    """How many rows a batch has, 0 where it is not to be made of rows."""
    size = call.in_role(ParameterRole.BATCH_SIZE)
    if size is None or size.constant is None:
        return 0
    return _USUAL if size.integer is None else size.integer


def _holds_rows(data: Value) -> bool:
    """Whether a sample is a row of arrays, as it stands there."""
    if Trait.HOLDS_ARRAYS in data.class_traits:
        return True
    if data.methods("__getitems__") or Trait.STREAMS in data.class_traits:
        return False
    functions = data.methods("__getitem__")
    return bool(functions) and all(_only_picks(function) for function in functions)


def _only_picks(function: Function) -> bool:
    """Whether a method gives rows of arrays that its object keeps, and does nothing else."""
    given = [part for value in function.returned for part in _parts(value)]
    return bool(given) and not any(function.calls()) and all(map(_is_row, given))


def _parts(value: Value) -> tuple[Value, ...]:
    return value.operands if value.kind is Kind.TUPLE else (value,)


def _is_row(value: Value) -> bool:
    if value.kind is not Kind.ITEM:
        return False
    kept, index = value.operands
    is_array = kept.is_array or (kept.is_numpy and not kept.is_unknown)
    return kept.kind is Kind.ATTRIBUTE and index.kind is Kind.PARAMETER and bool(is_array)
