"""Words by which a text shows what a program uses, where no type tells."""

from __future__ import annotations

ACCELERATOR_WORDS = (
    "cuda",
    "mps",
    "xpu",
    "hpu",
    "jax",
    "Accelerator",
    "Trainer",
    "TrainingArguments",
)
"""Names of devices, and of what moves models and batches to one by itself."""
ITERATION_WRAPPERS = frozenset(
    ("enumerate", "zip", "list", "iter", "reversed", "tqdm", "trange", "track")
)
"""Functions of Python and of progress bars around what a loop really goes over."""
