"""A model is asked in batches of the default size where that is known to be too many or too few."""

from __future__ import annotations

from collections.abc import Iterator

from deepperf.fixes.arguments import add_keyword
from deepperf.records import Finding, Fix, Level, Role, Safety, Step
from deepperf.rules.rule import Rule, on_file
from deepperf.semantics.view import BatchedCall, FileView

rule = Rule(
    module=__name__,
    cause="improper-hyper-parameter",
    symptoms=("out-of-memory", "slow-execution"),
    stage="prediction",
    level=Level.WARNING,
    frameworks=("keras",),
)
DEFAULT = 32
MANY_ROWS = 10_000
"""Rows from which the steps of default batches are felt."""
THIN = 256
"""Numbers per row up to which a step of default batches is mostly overhead."""
ROOMY = 8192
SMALL = 8
"""Rows in a step of training up to which a default batch is likely to need more memory."""


@on_file
def check(file: FileView) -> Iterator[Finding]:
    if file.role is Role.TEST:
        return
    for call in file.calls_with_default_batches():
        fitted = call.fitted_with
        if fitted is not None and fitted[1] < DEFAULT:
            yield from _more_than_trained_with(call, *fitted)
        elif _is_many_and_thin(call):
            rows = (call.shape[0] if call.shape else None) or 0
            steps = -(-rows // DEFAULT)
            yield rule.finding(
                call,
                f"`{call.called}` runs {rows:,} small rows in {steps:,} batches of "
                f"{DEFAULT}, each of which is mostly overhead",
                f"pass `batch_size={ROOMY}`, or the largest that fits into memory; or call "
                "`predict_on_batch` with all rows",
                fix=_fix(call, ROOMY),
                framework="keras",
            )


def _more_than_trained_with(call: BatchedCall, at: Step, size: int) -> Iterator[Finding]:
    # Few rows make one small batch, whatever is asked for.
    if call.rows is not None and call.rows <= size:
        return
    yield rule.finding(
        call,
        f"`{call.called}` uses batches of {DEFAULT} by default, but the "
        f"model was trained with batches of {size}",
        f"pass `batch_size={size}`, so that prediction needs no more memory than training",
        (at,),
        fix=_fix(call, size),
        framework="keras",
        # Asking keeps no activations: only beside very small batches does it need more memory,
        # and a network of small layers needs little, whatever the batch.
        level=None if call.file.sees_images and size <= SMALL else Level.NOTE,
    )


def _fix(call: BatchedCall, size: int) -> Fix | None:
    """Other batches are summed up in another order; numbers that layers draw, and metrics that are
    means over batches, are others.
    """
    edit = add_keyword(call.file.text, *call.span, "batch_size", str(size))
    return Fix(f"ask in batches of {size}", (edit,), Safety.UNSAFE) if edit is not None else None


def _is_many_and_thin(call: BatchedCall) -> bool:
    shape = call.shape
    if not call.only_asks or not shape or shape[0] is None or shape[0] < MANY_ROWS:
        return False
    # A length that is not known stands for the features that another model made.
    width = 1
    for length in shape[1:]:
        width *= length if length is not None else 1
    return len(shape) <= 3 and width <= THIN
