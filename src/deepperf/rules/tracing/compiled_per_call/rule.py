"""A function is compiled or traced anew in each iteration of a loop or for each request."""

from __future__ import annotations

from collections.abc import Iterator

from deepperf.fixes.lifting import lift_before, lift_to_module
from deepperf.records import Finding, Fix, Level, Role, Safety
from deepperf.rules.rule import Rule, each_loop, on_file
from deepperf.rules.tracing.compiled_per_call.configured import configured
from deepperf.rules.tracing.compiled_per_call.dropped import dropped
from deepperf.rules.tracing.compiled_per_call.forgetting import forgetting
from deepperf.rules.tracing.compiled_per_call.passing import passing
from deepperf.semantics.query import Call, Loop
from deepperf.semantics.view import (
    Compilation,
    FileView,
    LoopOver,
    LoopPath,
    Pace,
    RepeatedCompilation,
)

rule = Rule(
    module=__name__,
    cause="graph-confusion",
    symptoms=("slow-execution", "memory-leak"),
    stage="training",
    level=Level.WARNING,
    frameworks=("tensorflow", "jax", "torch"),
)
OUTSIDE = (
    "put the calling function under `jax.jit`; or pass a function that is created once, and put "
    "what changes into the values that it works on"
)


@on_file
def check(file: FileView) -> Iterator[Finding]:
    # A test wants functions of its own.
    if file.role is Role.TEST:
        return
    told = set[int]()
    for made in file.compilations():
        found = _wasteful(made)
        if found is not None or (made.serves_one_call and made.function is not None):
            told.add(made.location.line)
        if found is not None:
            yield rule.finding(
                made,
                f"`{made.compiler}` compiles `{made.compiled}` again {_when(found)}",
                OUTSIDE if made.runs_at_once else _remedy(found),
                found.path.steps(),
                fix=_fix(made, found),
                level=_level(made, found),
            )
        elif made.serves_one_call and made.function is not None:
            yield rule.finding(
                made,
                f"`{made.compiler}` compiles `{made.compiled}` again in every call of "
                f"`{made.function.name}`, which calls it only once",
                "compile it once, at module level, in a constructor or behind a cache, and call "
                "the compiled function here",
                fix=_once(made),
            )
    for call, dropped_at_once in dropped(file.queried):
        if dropped_at_once.location.line not in told:
            yield _of_dropped(call, dropped_at_once)


def _of_dropped(call: Call, made: Call) -> Finding:
    return rule.finding(
        made,
        f"`{made.name}` compiles a new function for each call `{call.text}`, which keeps it"
        " nowhere",
        "compile it once, in a constructor or behind a cache, and call the compiled function",
        framework=made.framework,
        related=(call.step("what is compiled is called once"),),
        level=Level.NOTE,
    )


@each_loop
def check_forgetting(loop: Loop) -> Iterator[Finding]:
    path = () if loop.file.role is Role.TEST else forgetting(loop)
    if path:
        yield rule.finding(
            path[-1],
            f"`{path[-1].name}` throws away in every iteration of `{loop.header}` what was"
            " compiled, and the next one compiles it again",
            "leave it out, or call it once, behind the loop",
            path=tuple(call.step(f"`{call.name}` is called") for call in path[:-1]),
            framework=path[-1].framework,
            related=(loop.step("the loop that needs it again"),),
            level=Level.NOTE,
        )


@each_loop
def check_configured(loop: Loop) -> Iterator[Finding]:
    found = None if loop.file.role is Role.TEST else configured(loop)
    if found is not None:
        made, fit = found
        yield rule.finding(
            made,
            f"`{made.name}` has the training step traced again in every iteration of"
            f" `{loop.header}`",
            "call it once, before the loop: a learning rate changes by `optimizer.learning_rate`, a"
            " schedule or a callback",
            framework="tensorflow",
            related=(fit.step(f"`{fit.name}` traces it"), loop.step("the loop")),
            level=Level.NOTE,
        )


def _fix(made: Compilation, found: RepeatedCompilation) -> Fix | None:
    if found.inputs:
        return passing(made) if made.runs_at_once else None
    if not isinstance(found.path, LoopPath) or found.path.calls:
        return _once(made)
    edits = lift_before(made.file.text, *_span(made), found.path.loop.span[0])
    return Fix("compile it before the loop", edits, Safety.UNSAFE) if edits else None


def _once(made: Compilation) -> Fix | None:
    edits = lift_to_module(made.file.text, *_span(made))
    return Fix("compile it once, at module level", edits, Safety.UNSAFE) if edits else None


def _span(made: Compilation) -> tuple[int, int]:
    """What has to be made once: what compiles, or what is compiled where calling it does both."""
    return made.compiled_span if made.runs_at_once else made.span


def _wasteful(made: Compilation) -> RepeatedCompilation | None:
    # The compiling is most of an iteration that is short, and felt where there are many.
    for found in sorted(made.repeats(), key=lambda one: (one.is_long, _turns_seldom(one))):
        if isinstance(found.path, LoopPath):
            loop = found.path.loop
            if loop.is_tiny or found.path.is_of_tests:
                continue
        return found
    return None


def _turns_seldom(found: RepeatedCompilation) -> bool:
    return isinstance(found.path, LoopPath) and found.path.loop.is_tiny_by_default


def _level(made: Compilation, found: RepeatedCompilation) -> Level:
    """Compiling is felt, but not for each of a few items that are worked through at length."""
    if not isinstance(found.path, LoopPath):
        # Whether somebody waits for the compiling or for the steps, the request says.
        return Level.NOTE if found.is_long and found.inputs else rule.level
    if found.is_long:
        return Level.NOTE
    # Moving what is large takes far longer than to compile that it is moved.
    if made.only_moves:
        return Level.NOTE
    loop = found.path.loop
    is_of_few = loop.over is LoopOver.PARTS or (
        loop.pace is Pace.SELDOM and (loop.over is LoopOver.ITEMS or made.runs_at_once)
    )
    # One operation is compiled in a moment, beside the loops of an iteration.
    is_of_few = is_of_few or (made.is_of_one_operation and loop.innermost != loop)
    is_of_few = is_of_few or loop.is_tiny_by_default
    return Level.NOTE if is_of_few or made.is_each_nth_turn_of(found.path) else rule.level


def _when(found: RepeatedCompilation) -> str:
    if isinstance(found.path, LoopPath):
        long = "; each iteration may take long" if found.is_long else ""
        return f"in {found.path.loop.turn}{long}"
    return f"for each request to `{found.path.handler.name}`"


def _remedy(found: RepeatedCompilation) -> str:
    if isinstance(found.path, LoopPath) and not found.path.calls:
        where = "before the loop"
    else:
        where = "once, at module level, in a constructor or behind a cache,"
    remedy = f"compile it {where} and call the compiled function here"
    if not found.inputs:
        return remedy
    names = " and ".join(f"`{name}`" for name in found.inputs)
    return f"{remedy}, with {names} passed as an argument instead of captured"
