"""All files of a data set are read into one array before the training begins."""

from __future__ import annotations

import math
from collections.abc import Iterator

from deepperf.knowledge.schema import ParameterRole, Trait
from deepperf.records import Finding, Level, Role
from deepperf.rules.rule import Rule, on_call, on_file
from deepperf.semantics.view import Call, Expression, FileView, Gathering

rule = Rule(
    module=__name__,
    cause="missed-batch-api",
    symptoms=("out-of-memory", "slow-initialization"),
    stage="data-preparation",
    level=Level.WARNING,
    frameworks=("tensorflow", "keras", "torch"),
)
FEW = 500_000
"""Numbers that fit anywhere, even as one batch."""
SMALL = 160 * 160
"""Pixels of an image of which ten thousand, in colour, take less than a gigabyte as bytes."""
MOST = 3000
IMAGES = 2
"""Arrays with more axes hold images, sounds or sequences, and no tables."""


@on_file
def read_at_once(file: FileView) -> Iterator[Finding]:
    if file.role is Role.TEST:
        return
    for found in file.gatherings():
        if found.is_tiny:
            continue
        yield rule.finding(
            found.join,
            f"`{found.join.called}` collects everything that `{found.read.called}` reads in "
            f"`{found.loop.header}` in one array before `{found.used.called}` starts",
            _remedy(found),
            found.steps(),
            framework=found.used.framework,
            level=_level(found),
        )


def _level(found: Gathering) -> Level:
    """Thousands of small images fit into any memory, and so do some thousand files."""
    is_small = found.area is not None and found.area < SMALL
    trips = math.prod(loop.trips if loop.trips is not None else MOST + 1 for loop in found.loops)
    return Level.NOTE if is_small or trips <= MOST else rule.level


def _remedy(found: Gathering) -> str:
    if found.used.framework == "torch":
        return (
            "read one file in `__getitem__` of a `Dataset`, and let a `DataLoader` with workers "
            "make the batches"
        )
    own = "PyDataset" if found.used.file.reaches("keras", "3.0") else "Sequence"
    return (
        f"read the files of each batch when it is needed: with a `{own}`, a `tf.data.Dataset` of "
        "paths and `map`, or `image_dataset_from_directory`"
    )


@on_call(Trait.ONE_ELEMENT)
def one_batch(call: Call) -> Iterator[Finding]:
    if call.file.role is Role.TEST or not call.arguments:
        return
    data = call.arguments[0]
    # Samples and their labels; what has more structure is often one example, such as a graph.
    if len(data.parts) not in (2, 3) or any(_is_small(part) for part in data.parts):
        return
    fitted = call.trained_on_by
    if fitted is None:
        return
    yield rule.finding(
        call,
        f"`{call.called}` makes all of `{data.quoted}` one element, so `{fitted.called}` gets "
        "the whole data set as a single batch",
        "use `from_tensor_slices`, which makes one element of each row, and then `batch`",
    )


@on_call(Trait.FITS, Trait.BATCHES)
def batch_of_all(call: Call) -> Iterator[Finding]:
    size = call.argument(ParameterRole.BATCH_SIZE)
    whole = size.measured if size is not None else None
    if whole is None or call.file.role is Role.TEST or _is_small(whole):
        return
    fitted = call if call.has(Trait.FITS) else call.trained_on_by
    if fitted is None or not call.works_on(whole):
        return
    yield rule.finding(
        call,
        f"`{call.called}` uses all of `{whole.quoted}` as a single batch",
        "use a batch size of tens or hundreds: a step keeps the activations of its whole batch",
        # Full batches of small tables are chosen on purpose, for some optimizers.
        level=rule.level if len(whole.sizes or ()) > IMAGES else Level.NOTE,
    )


def _is_small(part: Expression) -> bool:
    """Whether the text tells that it is little, or no array."""
    if part.is_written_out or part.parts or part.literal is not None:
        return True
    made = part.call
    if made is not None and any(argument.is_written_out for argument in made.arguments[:1]):
        return True
    sizes = part.sizes
    # Labels are few for many samples.
    return sizes is not None and len(sizes) > 1 and math.prod(n or FEW for n in sizes) <= FEW
