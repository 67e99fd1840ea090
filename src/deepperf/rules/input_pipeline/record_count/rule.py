"""The elements of a dataset are counted by reading, and parsing, one after the other."""

from __future__ import annotations

from collections.abc import Iterator

from deepperf.fixes.counting import count_in_batches, replace_counting
from deepperf.knowledge.schema import Trait
from deepperf.records import Finding, Fix, Level, Role, Safety
from deepperf.rules.rule import Rule, on_file
from deepperf.semantics.view import FileView
from deepperf.semantics.view.record_count import RecordCount, Telling, record_counts

rule = Rule(
    module=__name__,
    cause="missed-efficient-api",
    symptoms=("slow-execution",),
    stage="data-preparation",
    level=Level.WARNING,
    frameworks=("tensorflow", "torch"),
)
_INSTEAD = {
    Telling.LENGTH: "use its `len`, or the `len` of its dataset",
    Telling.DATASET: "count before parsing and decoding, in batches: add up the sizes "
    "of `batch(1024)`; or call `cardinality()`, or store the number when the records are written",
    Telling.STREAM: "count the records in the files without making tensors of them, or store the "
    "number when they are written; `__len__` of the dataset can return it",
}


@on_file
def check(file: FileView) -> Iterator[Finding]:
    if file.role is Role.TEST:
        return
    for count in record_counts(file):
        yield rule.finding(
            count,
            f"`{count.loop.header}` iterates over {_what(count)} only to count",
            _remedy(count),
            fix=_fix(file, count),
        )


def _fix(file: FileView, count: RecordCount) -> Fix | None:
    if count.counted is None:
        return None
    if count.telling is Telling.DATASET:
        return _of_batches(file, count)
    if count.telling is not Telling.LENGTH:
        return None
    length, place = f"len({count.counted.source})", count.span
    edits = replace_counting(file.text, *place, length)
    return Fix(f"ask `{length}`", edits, Safety.UNSAFE) if edits is not None else None


def _of_batches(file: FileView, count: RecordCount) -> Fix | None:
    """Where files are read record by record, and at most mapped before they are counted."""
    loop = file.queried.loop_at(count.location)
    value = loop.iterable if loop is not None else None
    work: list[tuple[int, int]] = []
    while value is not None and len(value.makers) == 1:
        maker = value.makers[0]
        # What others read, too, stays as it is.
        if maker.function != value.function or len(maker.result.readers) > 1:
            return None
        if maker.has(Trait.CREATES_DATASET) and maker.has(Trait.READS_FILE):
            edits = count_in_batches(file.text, *count.span, tuple(work))
            return Fix("count whole batches", edits, Safety.UNSAFE) if edits else None
        if not maker.has(Trait.MAPS_ELEMENTS):
            return None
        work.append(maker.span)
        value = maker.receiver
    return None


def _what(count: RecordCount) -> str:
    if count.counted is None:
        return "a dataset, with one session call per element,"
    return f"the elements of `{count.counted.quoted}`"


def _remedy(count: RecordCount) -> str:
    return _INSTEAD[count.telling]
