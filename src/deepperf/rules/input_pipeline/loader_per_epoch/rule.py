"""A loader is made, or its workers are started, again and again."""

from __future__ import annotations

from collections.abc import Iterator

from deepperf.fixes.arguments import add_keyword, argument_text
from deepperf.knowledge.schema import ParameterRole, Trait
from deepperf.records import Finding, Fix, Level, Safety, Step
from deepperf.rules.input_pipeline.loader_per_epoch.loaders import (
    copies_arrays,
    drops_workers,
    has_workers,
    is_same,
    loaders,
    ways,
)
from deepperf.rules.rule import Rule, each_call, each_function, each_loop
from deepperf.semantics.query import (
    Call,
    Cost,
    Dependence,
    Function,
    Iteration,
    Loop,
    LoopKind,
    Value,
    share,
)

rule = Rule(
    module=__name__,
    cause="improper-data-input",
    symptoms=("slow-execution", "abnormal-gpu-utilization"),
    stage="training",
    level=Level.NOTE,
    frameworks=("torch", "tensorflow"),
)

_GIVES_BATCHES = frozenset((Trait.LOADS_BATCHES, Trait.CREATES_DATASET))
_PASSES = (LoopKind.STEP, LoopKind.BATCH)
_AGAIN = (LoopKind.EPOCH, LoopKind.STEP, LoopKind.BATCH)
_FEW_TIMES = frozenset((LoopKind.EPOCH, LoopKind.FEW, LoopKind.PARAMETER, LoopKind.LAYER))
_LONGEST = 30
"""Steps of a pipeline after which the rest is left out."""


@each_call(Trait.LOADS_BATCHES)
def check_made_again(call: Call) -> Iterator[Finding]:
    loop = next((loop for loop in call.loops if loop.kind in _AGAIN), None)
    if loop is None or not has_workers(call) or call.passes_unknown or call.runs_seldom:
        return
    if any(given.dependence(loop) is not Dependence.INVARIANT for given in call.arguments):
        return
    estimate = share(Cost.START_WORKERS, 1, Iteration(loop.kind.value))
    yield rule.finding(
        call,
        f"`{call.name}` is made, with its workers, in every iteration of `{loop.header}`",
        "make it once before the loop, with `persistent_workers=True`",
        framework="torch",
        estimate=estimate,
    )


@each_loop
def check_made_by_helper(loop: Loop) -> Iterator[Finding]:
    if loop.kind not in _AGAIN:
        return
    found: dict[Call, list[tuple[Call, ...]]] = {}
    for call in loop.calls():
        way = call.way_to(Trait.LOADS_BATCHES)
        if len(way) > 1 and call.loops[0] == loop and has_workers(way[-1]) and is_same(way, loop):
            found.setdefault(way[-1], []).append(way)
    for made, (way, *others) in found.items():
        estimate = share(Cost.START_WORKERS, 1, Iteration(loop.kind.value))
        at, between = (made, way[:-1]) if made.path == loop.path else (way[0], way[1:])
        yield rule.finding(
            at,
            f"`{made.name}` is made, with its workers, in every iteration of `{loop.header}`",
            "make it once before the loop, with `persistent_workers=True`",
            path=tuple([one.step(f"`{one.name}` is called") for one in between]),
            framework="torch",
            related=tuple([one[0].step(f"`{one[0].name}` makes it, too") for one in others]),
            estimate=estimate,
        )


@each_loop
def check_copied_again(loop: Loop) -> Iterator[Finding]:
    """Arrays become constants of a pipeline, and its functions are traced, when it is made."""
    if loop.kind is not LoopKind.EPOCH:
        return
    found: dict[Call, tuple[Call, ...]] = {}
    for call in loop.calls():
        way = call.way_to(Trait.CREATES_DATASET)
        if way and copies_arrays(way[-1]) and call.loops[0] == loop and is_same(way, loop):
            found.setdefault(way[-1], way)
    for made, way in found.items():
        at, between = (made, way[:-1]) if made.path == loop.path else (way[0], way[1:])
        yield rule.finding(
            at,
            f"`{made.name}` copies the same arrays in every iteration of `{loop.header}`",
            "make the pipeline once before the loop: each pass over it shuffles anew",
            path=tuple([one.step(f"`{one.name}` is called") for one in between if one != at]),
            framework="tensorflow",
            estimate=share(Cost.UPLOAD, 1, Iteration.EPOCH),
        )


@each_call()
def check_first_batch(call: Call) -> Iterator[Finding]:
    if "builtins.next" not in call.callee.names or not call.arguments:
        return
    started = call.arguments[0].call
    if started is None or "builtins.iter" not in started.callee.names or not started.arguments:
        return
    if started.loops != call.loops:
        return
    loader = started.arguments[0]
    if not loader.class_traits & _GIVES_BATCHES or call.runs_seldom:
        return
    loop = next((loop for loop in call.loops if loop.kind is LoopKind.STEP), None)
    in_step = loop is not None or ("step" in call.runs_for and not call.loops)
    other = None if in_step else _taking_one(call, loader)
    if not in_step and other is None:
        return
    estimate = share(Cost.START_WORKERS, 1, Iteration.STEP)
    when = "each step" if other is None else f"each iteration of `{other.header}`"
    yield rule.finding(
        call,
        f"`{call.text}` starts the loader anew in {when}, for a single batch",
        "make the iterator once, and make another only after `StopIteration`",
        framework="torch" if Trait.LOADS_BATCHES in loader.class_traits else "tensorflow",
        estimate=estimate,
    )


def _taking_one(call: Call, loader: Value) -> Loop | None:
    """The loop, of whatever, each iteration of which starts workers for the one batch it takes."""
    loop = next(iter(call.loops), None)
    makers = loader.makers
    if loop is None or loop.kind in _FEW_TIMES or loop.is_short or call.is_conditional(loop):
        return None
    return loop if makers and all(has_workers(made) for made in makers) else None


@each_loop
def check_cache_kept(loop: Loop) -> Iterator[Finding]:
    """What a cache keeps is for the next epoch: one that each epoch makes is never read."""
    if loop.kind is not LoopKind.STEP or not loop.outer or loop.outer[0].kind is not LoopKind.EPOCH:
        return
    epoch, steps = loop.outer[0], list(_steps(loop.iterable))
    own = [step for step in steps if epoch in step.loops]
    cache = next((step for step in own if step.has(Trait.CACHES_ELEMENTS)), None)
    if cache is None or cache.arguments or not any(step.has(Trait.MAPS_ELEMENTS) for step in steps):
        return
    given = [value for step in own for value in step.arguments]
    if all(value.dependence(epoch) is Dependence.INVARIANT for value in given):
        estimate = share(Cost.READ_FILE, 1000, Iteration.EPOCH)
        yield rule.finding(
            cache,
            f"`{cache.name}` starts empty in every iteration of `{epoch.header}`, and is read once",
            "make the pipeline once before the loop, so that later epochs read what is kept",
            framework="tensorflow",
            estimate=estimate,
        )


def _steps(value: Value) -> Iterator[Call]:
    """The steps of a pipeline, the last first."""
    for _ in range(_LONGEST):
        makers = value.makers
        if len(makers) != 1:
            return
        yield makers[0]
        receiver = makers[0].receiver
        if receiver is None:
            return
        value = receiver


@each_loop
def check_workers_kept(loop: Loop) -> Iterator[Finding]:
    """Each pass over a loader starts its workers: an epoch's loop may lead to it by helpers."""
    if loop.kind not in _PASSES:
        return
    found = list(dict.fromkeys(loaders(loop.iterable)))
    told = {loader: when for loader in found if (when := _when(loader, loop, len(found)))}
    for loader, when in told.items():
        if loader.path == loop.path:
            yield _started_again(loader, when)
    elsewhere = [loader for loader in told if loader.path != loop.path]
    if elsewhere:
        # A report speaks of its own file, in whose text a fix counts.
        made = tuple([one.step(f"`{one.name}` is made here") for one in elsewhere])
        yield _started_again(elsewhere[0], told[elsewhere[0]], loop, made)


def _when(loader: Call, loop: Loop, count: int) -> str:
    """For what a loader that a loop goes over, one of so many, starts workers; "" for nothing."""
    # No worker outlives its loader.
    if not drops_workers(loader) or "epoch" in loader.runs_for:
        return ""
    epoch = next((outer for outer in loop.outer if outer.kind is LoopKind.EPOCH), None)
    if epoch is not None:
        # A helper may give another of them to each loop.
        return "each pass over it" if count > 1 else f"each iteration of `{epoch.header}`"
    is_repeated = any("epoch" in place.runs_for for place in ways(loader, loop))
    return "each epoch" if is_repeated else ""


@each_function
def check_given(function: Function) -> Iterator[Finding]:
    if Trait.GIVES_LOADER not in function.traits:
        return
    for call in function.calls(Trait.LOADS_BATCHES):
        if drops_workers(call):
            yield _started_again(call, "each epoch")


def _started_again(
    loader: Call,
    when: str,
    at: Loop | None = None,
    made: tuple[Step, ...] = (),
) -> Finding:
    estimate = share(Cost.START_WORKERS, 1, Iteration.EPOCH)
    return rule.finding(
        loader if at is None else at,
        f"`{loader.name}` starts its workers again for {when}",
        "pass `persistent_workers=True`, unless the data set is changed between epochs",
        fix=_fix(loader) if at is None else None,
        framework="torch",
        related=made,
        estimate=estimate,
    )


def _fix(call: Call) -> Fix | None:
    for parameter, workers in call.all_in_role(ParameterRole.PARALLELISM):
        named = parameter.name in call.keywords
        which = parameter.name if named or parameter.position is None else parameter.position
        written = argument_text(call.file_text, *call.span, which) or ""
        # Without workers PyTorch refuses to keep them.
        kept = "True" if isinstance(workers.constant, int) else f"{written} > 0"
        if written.replace(".", "_").isidentifier() or kept == "True":
            edit = add_keyword(call.file_text, *call.span, "persistent_workers", kept)
            return None if edit is None else Fix("keep the workers", (edit,), Safety.UNSAFE)
    return None
