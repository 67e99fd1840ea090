"""Samples are read, decoded or tokenized in the training process, while the device waits."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from deepperf.fixes.arguments import add_keyword, replace_argument
from deepperf.knowledge.schema import ParameterRole, Trait
from deepperf.records import Finding, Fix, Level, Safety, Step
from deepperf.rules.input_pipeline.serial_loader.staying import is_only_collected, stays
from deepperf.rules.rule import Rule, Saves, each_call
from deepperf.semantics.query import (
    Call,
    Cost,
    Function,
    Iteration,
    Value,
    level_of,
    share,
)

rule = Rule(
    module=__name__,
    cause="inefficient-data-preprocessing",
    symptoms=("slow-execution", "abnormal-gpu-utilization"),
    stage="training",
    level=Level.WARNING,
    frameworks=("torch", "keras", "transformers"),
    saves=Saves.WAITING,
)

_TOKENIZES = "tokenizes"
_WORK = {
    Trait.LOADS_SAMPLE: "reads and decodes a file",
    Trait.READS_TABLE: "reads a file",
    Trait.DECODES: "decodes",
    Trait.RESIZES: "resizes",
    Trait.TOKENIZES: _TOKENIZES,
    Trait.READS_FILE: "reads a file",
}
_SAMPLES_PER_BATCH = 16
_REMEDY = (
    "pass `num_workers=` (start with the number of CPU cores for each GPU, and measure) so that"
    " worker processes prepare the next batches meanwhile"
)
_WORKERS = (
    "pass `workers=` (and `use_multiprocessing=True` where Python does the work) to the data set's"
    " `super().__init__`, before Keras 3 to this call"
)
_SETTING = (
    "set `dataloader_num_workers=` (start with the number of CPU cores for each GPU, and measure)"
    " and `dataloader_persistent_workers=True`"
)


@each_call(Trait.LOADS_BATCHES)
def check(call: Call) -> Iterator[Finding]:
    workers = call.in_role(ParameterRole.PARALLELISM)
    if call.passes_unknown or (workers is not None and workers.implied_integer != 0):
        return
    dataset, collate = call.argument("dataset", 0), call.in_role(ParameterRole.FUNCTION)
    if dataset is None or _may_be_stream(dataset, call):
        return
    functions = list(dataset.methods("__getitem__") or dataset.methods("__getitems__"))
    functions += collate.functions if collate is not None else ()
    if stays(dataset, functions) or is_only_collected(call):
        return
    found = _first_work(functions, "sample")
    if not found and Trait.LOADS_SAMPLE in dataset.method_traits("__getitem__"):
        found = [(_WORK[Trait.LOADS_SAMPLE], ())]
    is_option = workers is not None and workers.literal != 0
    for work, steps in found:
        yield (_finding_by_default if is_option else _finding)(call, work, steps)


@each_call(Trait.BUILDS_TRAINER)
def check_trainer(call: Call) -> Iterator[Finding]:
    """Hugging Face's trainer makes the loader by itself, without workers unless it is told."""
    samples, settings = call.in_role(ParameterRole.SAMPLES_OF), call.in_role(ParameterRole.SETTINGS)
    made = settings.makers if settings is not None else ()
    if call.result.overrides(Trait.GIVES_LOADER) or samples is None or call.passes_unseen:
        return
    for one in made:
        workers = one.in_role(ParameterRole.PARALLELISM)
        if one.passes_unknown or (workers is not None and workers.literal != 0):
            return
    functions = list(samples.methods("__getitem__"))
    collate = call.in_role(ParameterRole.FUNCTION)
    if collate is not None:
        functions += collate.functions or collate.methods("__call__")
    found = [] if not made or stays(samples, functions) else _first_work(functions, "sample")
    for work, steps in found:
        yield _trainer_finding(call, work, steps, made)


@each_call(Trait.FITS)
def check_sequence(call: Call) -> Iterator[Finding]:
    """Keras has one worker unless told: when the data are made, or by `fit` before version 3."""
    data = call.in_role(ParameterRole.INPUT)
    if data is None or data.is_unknown or _asks_for_workers(call, data):
        return
    functions = data.methods("__getitem__")
    is_other = any(Trait.RUNS_EACH_ITEM not in function.traits for function in functions)
    if is_other or stays(data, functions):
        return
    for work, steps in _first_work(functions, "batch"):
        yield _sequence_finding(call, data, work, steps)


def _may_be_stream(samples: Value, call: Call) -> bool:
    """Whether samples may come as a stream, which none can that are drawn in random order."""
    shuffled = call.in_role(ParameterRole.SHUFFLED)
    is_drawn = shuffled is not None and shuffled.literal is True
    return Trait.STREAMS in samples.class_traits or (samples.is_unknown and not is_drawn)


def _asks_for_workers(call: Call, data: Value) -> bool:
    """Whether anything says how many workers there are, or may say so unseen."""
    made = [*data.makers, *(c for method in data.methods("__init__") for c in method.calls())]
    if any("workers" in one.keywords for one in (call, *made)):
        return True
    return call.passes_unseen or any(maker.passes_unseen for maker in data.makers)


def _first_work(functions: Iterable[Function], each: str) -> list[tuple[str, tuple[Step, ...]]]:
    """The first costly thing that some of these functions do, if any does, tokenizing last."""
    found = (found for one in functions for found in _work(one, each))
    return sorted(found, key=lambda work: work[0] == _TOKENIZES)[:1]


def _work(function: Function, each: str) -> Iterator[tuple[str, tuple[Step, ...]]]:
    """The costly things that a function does in any case, and how it comes to them."""
    for trait, work in _WORK.items():
        reached = function.reaches(trait)
        if reached is not None and not reached.seldom:
            way = [Call(function.program, place) for place in reached.chain]
            steps = [function.step(f"`{function.name}` is called for each {each}")]
            steps += [c.step(f"`{c.name}` is called") for c in way[:-1]]
            steps.append(way[-1].step(f"`{way[-1].name}` {work}"))
            yield work, tuple(steps)


def _trainer_finding(
    call: Call, work: str, path: tuple[Step, ...], settings: tuple[Call, ...]
) -> Finding:
    estimate = _estimate(work)
    return rule.finding(
        call,
        f"`{call.name}` loads without workers and each sample {work}: the model waits for every"
        " batch",
        _SETTING,
        path=path,
        related=tuple([one.step("the number of workers would be set here") for one in settings]),
        framework="transformers",
        level=level_of(estimate),
        estimate=estimate,
    )


def _finding(call: Call, work: str, path: tuple[Step, ...]) -> Finding:
    estimate = _estimate(work)
    return rule.finding(
        call,
        f"`{call.name}` has no workers and each sample {work}: the model waits for every batch",
        _REMEDY,
        path=path,
        fix=_fix(call),
        framework="torch",
        level=level_of(estimate),
        estimate=estimate,
    )


def _finding_by_default(call: Call, work: str, path: tuple[Step, ...]) -> Finding:
    return rule.finding(
        call,
        f"`{call.name}` has no workers by default and each sample {work}: the model waits for every"
        " batch",
        "let the option be the number of CPU cores for each GPU by default, and measure",
        path=path,
        framework="torch",
        level=Level.NOTE,
        estimate=_estimate(work),
    )


def _estimate(work: str) -> float:
    # Models that take texts are large: beside a step of one, its texts are tokenized in no time.
    if work == _TOKENIZES:
        return share(Cost.TOKENIZE, _SAMPLES_PER_BATCH, Iteration.LARGE_STEP)
    return share(Cost.READ_FILE, _SAMPLES_PER_BATCH, Iteration.STEP)


def _sequence_finding(call: Call, data: Value, work: str, path: tuple[Step, ...]) -> Finding:
    estimate = share(Cost.READ_FILE, _SAMPLES_PER_BATCH, Iteration.STEP)
    return rule.finding(
        call,
        f"`{call.name}` has one worker, and each batch of `{data.text}` {work}",
        _WORKERS,
        path=path,
        framework="keras",
        level=level_of(estimate),
        estimate=estimate,
    )


def _fix(call: Call) -> Fix | None:
    text, (start, end) = call.file.text, call.span
    edit = replace_argument(text, start, end, "num_workers", "4") or add_keyword(
        text, start, end, "num_workers", "4"
    )
    if edit is None:
        return None
    return Fix("prepare batches in four worker processes", (edit,), Safety.UNSAFE)
