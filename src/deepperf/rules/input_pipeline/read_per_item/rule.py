"""Files are read one at a time in a Python loop, before the work on them begins."""

from __future__ import annotations

from collections.abc import Iterator

from deepperf.knowledge.schema import ParameterRole, Trait
from deepperf.records import Finding, Level, Role, Step
from deepperf.rules.rule import Rule, on_file
from deepperf.semantics.query import File
from deepperf.semantics.view import FileView, Reading

rule = Rule(
    module=__name__,
    cause="improper-data-input",
    symptoms=("slow-execution",),
    stage="data-preparation",
    level=Level.WARNING,
    frameworks=("tensorflow", "torch"),
)
_READS = (Trait.LOADS_SAMPLE, Trait.READS_FILE, Trait.DECODES, Trait.READS_TABLE)
_DATASET = {
    "torch": "read one file in `__getitem__` of a `Dataset`, and let a "
    "`DataLoader(..., num_workers=...)` make the batches",
}
_PIPELINE = (
    "let a pipeline read, decode and batch files while the model works on them: "
    "`image_dataset_from_directory`, or `Dataset.list_files` with "
    "`map(decode, num_parallel_calls=...)`, `batch` and `prefetch`"
)
_SHRINK = "decode at the size you need with `{size}=...` instead of resizing; and "


@on_file
def check(file: FileView) -> Iterator[Finding]:
    if file.role is Role.TEST:
        return
    for reading in file.readings():
        loop = reading.path.loop
        # Some tens of files, read once, are read while one looks.
        if loop.is_tiny or loop.is_short:
            continue
        is_here = reading.call.file.path == file.path
        place = reading.call if is_here else reading.path.calls[0]
        if not is_here and not _comes_to(file.queried, place.span):
            continue
        waiting = "training starts" if reading.is_trained_on else "the program goes on"
        yield rule.finding(
            place,
            f"`{reading.call.called}` reads one file in every iteration of `{loop.header}`; "
            f"{waiting} only when all are read",
            _remedy(reading),
            _steps(reading),
            framework=reading.framework,
        )


def _comes_to(file: File, span: tuple[int, int]) -> bool:
    """Whether what a call passes lets it come to reading a file."""
    call = next((one for one in file.calls() if one.span == span), None)
    return call is None or not call.runs or bool(call.way_to(*_READS))


def _remedy(reading: Reading) -> str:
    instead = _DATASET.get(reading.framework, _PIPELINE)
    if not reading.shrinks:
        return instead
    size = reading.call.takes(ParameterRole.SHAPE) or "size"
    return _SHRINK.format(size=size) + instead


def _steps(reading: Reading) -> tuple[Step, ...]:
    steps = reading.path.steps()
    return (*steps, Step(reading.call.location, "the file is read")) if steps else ()
