"""A model is run on one sample at a time, though all samples lie in one array."""

from __future__ import annotations

from collections.abc import Iterator

from deepperf.fixes.arguments import add_keyword
from deepperf.knowledge.schema import ParameterRole, Trait
from deepperf.records import Edit, Finding, Fix, Level, Safety
from deepperf.rules.rule import Rule, each_call, each_loop
from deepperf.semantics.query import (
    Call,
    Cost,
    Iteration,
    Kind,
    Loop,
    LoopKind,
    Value,
    level_of,
    share,
)

rule = Rule(
    module=__name__,
    cause="missed-batch-api",
    symptoms=("slow-execution", "abnormal-gpu-utilization"),
    stage="prediction",
    level=Level.WARNING,
    frameworks=("torch", "keras"),
)

_REMEDY = (
    "pass a larger `batch_size`: the samples are of one shape, and the model takes many at once"
)

_MANY = "64"
_GROUPS = (ParameterRole.BATCH_SIZE, ParameterRole.ORDER, ParameterRole.FUNCTION)
"""What says how samples become batches."""


@each_loop
def check_loader(loop: Loop) -> Iterator[Finding]:
    """Tensors of a data set that holds them whole are of one shape, so that batches can be made."""
    loaders = loop.iterable.makers
    if loop.kind is not LoopKind.BATCH or len(loaders) != 1 or loop.reaches(Trait.TELLS_TIME):
        return
    loader, runs = loaders[0], loop.reaches(Trait.RUNS_MODULE)
    if not runs or not loader.has(Trait.LOADS_BATCHES) or not _takes_one(loader):
        return
    estimate = share(Cost.FORWARD, 1, Iteration.BATCH)
    yield rule.finding(
        loader,
        f"`{loader.name}` gives batches of one sample, and `{runs[-1].name}` runs for each",
        _REMEDY,
        fix=_fix(loader),
        related=(runs[0].step(f"`{runs[0].name}` runs in each iteration of `{loop.header}`"),),
        framework="torch",
        level=level_of(estimate),
        estimate=estimate,
    )


@each_call(Trait.LOADS_BATCHES)
def check_left_out(loader: Call) -> Iterator[Finding]:
    """Whoever trains on batches of one on purpose says so."""
    shuffled, data = loader.in_role(ParameterRole.SHUFFLED), loader.argument("dataset", 0)
    if shuffled is None or shuffled.literal is not True or data is None or _takes_one(loader):
        return
    is_told = loader.passes_unknown or any(loader.in_role(role) for role in _GROUPS)
    if is_told or not data.methods("__getitem__") or data.is_unknown:
        return
    yield rule.finding(
        loader,
        f"`{loader.name}` gives batches of one sample: no `batch_size` is passed",
        "pass a `batch_size`, and a `collate_fn` that pads where the samples are of many shapes",
        framework="torch",
        level=Level.NOTE,
        estimate=0.005,
    )


@each_call(Trait.PREDICTS, Trait.EVALUATES)
def check_predict(call: Call) -> Iterator[Finding]:
    size, rows = call.in_role(ParameterRole.BATCH_SIZE), call.in_role(ParameterRole.INPUT)
    if size is None or size.literal != 1 or rows is None or call.loops or _is_one(rows):
        return
    # Layers that keep their state from batch to batch were built for batches of this size.
    if call.file.mentions("stateful"):
        return
    yield rule.finding(
        call,
        f"`{call.name}` runs the model once for each row of `{rows.text}`",
        _REMEDY,
        fix=_fix(call),
        framework="keras",
        level=Level.NOTE,
        estimate=0.005,
    )


def _fix(call: Call) -> Fix | None:
    size, (start, end) = call.in_role(ParameterRole.BATCH_SIZE), call.span
    if size is None:
        edit = add_keyword(call.file_text, start, end, "batch_size", _MANY)
    else:
        # A size that a variable holds is set elsewhere, perhaps for more than this.
        edit = Edit(*size.span, _MANY) if call.encloses(size) else None
    return Fix(f"take {_MANY} samples at once", (edit,), Safety.UNSAFE) if edit else None


def _takes_one(loader: Call) -> bool:
    size, data = loader.in_role(ParameterRole.BATCH_SIZE), loader.argument("dataset", 0)
    if data is None or loader.passes_unknown or (size is not None and size.literal != 1):
        return False
    if loader.in_role(ParameterRole.ORDER) or loader.in_role(ParameterRole.FUNCTION):
        return False
    return Trait.HOLDS_ARRAYS in data.class_traits and not data.is_unknown


def _is_one(rows: Value) -> bool:
    """Whether it may be a batch that is made of a single sample."""
    if rows.kind in (Kind.ITEM, Kind.LIST):
        return True
    call = rows.call
    if call is None:
        return False
    parts = [part for given in call.arguments for part in (given, *given.operands)]
    single = any(part.kind is Kind.LIST and len(part.operands) == 1 for part in parts)
    return single or call.has(Trait.ADDS_AXIS) or any(part.constant in (0, 1) for part in parts)
