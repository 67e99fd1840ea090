"""What is told of a small model that is trained on a few rows at a time, and from which rows on."""

from __future__ import annotations

from deepperf.dynamic.diagnosis import Diagnosis, Where, told_at

FEW_ROWS = 4
"""Rows of a batch up to which doubling it hardly changes what a step takes."""
ROOMY = 32
"""Rows of the batch that a step is compared with: what Keras takes by itself."""
FEWEST_STEPS = 200
"""Steps below which all of it is over in a moment."""
SLOW_PROCESSOR = 2e9
"""Multiplications a second that even one slow core does in the layers of a model."""
OVERHEAD = 0.7
"""Part of a step that must be left over by computing it at that pace for it to be overhead."""


def overhead_of(products: float, seconds: float) -> float:
    """The part of a step that is overhead, where it makes so many multiplications."""
    return 1.0 - products / SLOW_PROCESSOR / seconds if seconds else 0.0


def saved_by_more(overhead: float, rows: float) -> float:
    """The part of its steps' time that a larger batch saves: the overhead is paid for fewer steps,
    the computing stays."""
    return overhead * (1.0 - rows / ROOMY)


def told_of_few_rows(
    where: Where, signal: str, rows: float, evidence: str, share: float
) -> Diagnosis:
    """That a line trains on few rows at a time."""
    said = "one row" if rows == 1 else f"{rows:.3g} rows"
    return told_at(
        where,
        signal=signal,
        cause="improper-hyper-parameter",
        message=f"a small model is trained on {said} at a time",
        evidence=evidence,
        remedy=f"train on batches of {ROOMY} or more, with a learning rate to match",
        share=share,
    )
