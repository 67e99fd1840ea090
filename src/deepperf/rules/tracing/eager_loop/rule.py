"""A loop hands many small operations to a framework eagerly, turn after turn."""

from __future__ import annotations

from collections.abc import Iterator

from deepperf.fixes.imports import spell
from deepperf.fixes.statements import decorate
from deepperf.knowledge.schema import Trait
from deepperf.records import Finding, Fix, Level, Role, Safety
from deepperf.rules.rule import Rule, each_function, on_file
from deepperf.rules.tracing.eager_loop.elements import loops_over_elements
from deepperf.rules.tracing.eager_loop.refusals import effect, refusal, refusal_of_step
from deepperf.rules.tracing.eager_loop.steps import (
    EagerStep,
    eager_step,
    findings_place,
    remedy,
    what,
)
from deepperf.semantics.query import Cost, Function, Iteration, share
from deepperf.semantics.view import FileView, LoopOver
from deepperf.semantics.view.eager_loop import EagerLoop, Step, eager_loops, eager_samplings

rule = Rule(
    module=__name__,
    cause="inefficient-api-usage",
    symptoms=("slow-execution", "program-hang"),
    stage="training",
    level=Level.WARNING,
    frameworks=("tensorflow", "jax"),
)

_ALIASES = {"tensorflow": "tf", "jax": "jax"}
FEW = 64
"""Turns below which a loop that nothing repeats is over before compiling would be."""
_LAUNCHES = 100
"""Operations that a call stands for: a model of a few layers, its gradient or its update."""


@on_file
def check(file: FileView) -> Iterator[Finding]:
    if file.role is Role.TEST:
        return
    told = set[int]()
    for found in eager_loops(file):
        if found.framework == "jax" and found.kind is Step.GRADIENT:
            continue  # told below, wherever the step stands
        if _is_short(found) or found.works_on_more_each_turn or _is_compiled(file, found):
            continue
        told.add(found.loop.location.line)
        yield rule.finding(
            found.loop,
            f"`{found.loop.header}` {_what(found)}, and {_it(found)} not compiled",
            _remedy(found),
            fix=_fix(found),
            framework=found.framework,
            level=_level(found),
        )
    for call in eager_samplings(file):
        yield rule.finding(
            call,
            f"`{call.called}` is called eagerly: each of its steps runs operation by operation",
            "call it inside a `tf.function`, perhaps with `jit_compile=True`",
        )
    for loop in loops_over_elements(file.queried):
        if loop.location.line not in told:
            yield rule.finding(
                loop,
                f"`{loop.header}` computes with one element of a JAX array after the other: each "
                "operation is dispatched by itself",
                "write it as `jax.lax.scan` in a function under `jax.jit`; or make a NumPy array "
                "of it before the loop, with one copy",
                framework="jax",
                level=Level.NOTE,
                estimate=share(Cost.LAUNCH, 1.0, Iteration.ROW),
            )


@each_function
def check_step(function: Function) -> Iterator[Finding]:
    if function.file.role is Role.TEST:
        return
    step = eager_step(function)
    if step is None:
        return
    at = findings_place(step)
    others = [call for call in step.calls if call != at]
    related = [call.step(f"`{call.name}` runs eagerly") for call in others]
    related += [call.step("takes the gradients, eagerly") for call in step.takers]
    if step.loop is not None and step.loop != at:
        related.append(step.loop.step("the loop that repeats it"))
    related += [call.step(f"`{call.name}` is called") for call in step.callers]
    yield rule.finding(
        at,
        what(step),
        remedy(step),
        framework="jax",
        level=_level_of_step(step),
        related=tuple(related),
        estimate=share(Cost.LAUNCH, _LAUNCHES * len(step.calls), Iteration.STEP),
    )


def _level_of_step(step: EagerStep) -> Level:
    """One run of a model is less than a step; an optimizer has operations for each parameter."""
    count = step.loop.known_count if step.loop is not None else None
    if not (step.gradients or step.updates) or (count or FEW) < FEW:
        return Level.NOTE
    return rule.level


def _fix(found: EagerLoop) -> Fix | None:
    """A decorator: on what computes gradients, or on the function around a loop over a tensor."""
    if found.asks_for_numbers:
        return None
    if found.kind is Step.GRADIENT:
        step = found.step
        if step is None or step.file.path != found.loop.file.path:
            return None
        # What JAX compiles takes arrays, and no object.
        is_plain = not step.decorations and not (step.is_method and found.framework == "jax")
        function = found.loop.file.queried.function_at(step.location.line)
        is_safe = is_plain and not refusal_of_step(function)
        return _compiled(found, step.name, step.location.line) if is_safe else None
    loop = found.loop.file.queried.loop_at(found.loop.location)
    if (
        loop is None
        or found.framework == "jax"
        or not loop.function.is_function
        or not loop.iterable.may_be_array
    ):
        return None
    function = loop.function
    is_plain = not function.decorators and not function.is_method
    # What is traced loops over a tensor, and is a copy for each element of all else.
    is_turned = is_plain and all(one.iterable.may_be_array for one in function.loops())
    is_turned = is_turned and not refusal(function)
    return _compiled(found, function.name, function.location.line) if is_turned else None


def _compiled(found: EagerLoop, name: str, line: int) -> Fix | None:
    file = found.loop.file
    shaped = file.names_with(Trait.TRACES_EACH_SHAPE)
    names = [
        one
        for one in file.names_with(Trait.COMPILES)
        if one in shaped and one.startswith(f"{found.framework}.")
    ]
    spelling = spell(file.text, *names, alias=_ALIASES[found.framework]) if names else None
    edit = decorate(file.text, line, spelling.text) if spelling is not None else None
    if spelling is None or edit is None:
        return None
    return Fix(f"compile `{name}`", (edit, *spelling.edits), Safety.UNSAFE)


def _is_compiled(file: FileView, found: EagerLoop) -> bool:
    """Whether something compiled comes to its function, by whatever calls and subclasses."""
    line = found.loop.location.line
    loops = [loop for loop in file.queried.loops() if loop.location.line == line]
    return any(loop.function.is_traced for loop in loops)


def _level(found: EagerLoop) -> Level:
    """How much it is worth: of steps of a training much, of some tens of small operations little.

    What asks tensors for numbers can't be compiled as it stands.
    """
    if found.kind is not Step.GRADIENT or found.asks_for_numbers:
        return Level.NOTE
    # Whoever lets an iteration pause wants to see it.
    return Level.NOTE if (found.loop.trips or FEW) < FEW or found.loop.waits else rule.level


def _is_short(found: EagerLoop) -> bool:
    """Whether it goes over a list of things, which are mostly few, or builds a model's layers."""
    if found.kind is Step.GRADIENT:
        return False
    if found.loop.over in (LoopOver.ITEMS, LoopOver.PARTS) and not found.loop.is_open:
        return True
    return any(call.has(Trait.CREATES_LAYER) for call in found.loop.calls()) or any(
        call.calls_what_is_made for call in found.loop.calls()
    )


def _what(found: EagerLoop) -> str:
    if found.kind is Step.GRADIENT:
        return "computes gradients eagerly in every iteration"
    return f"runs at least {found.count} small operations eagerly in every iteration"


def _compilable(found: EagerLoop) -> str:
    """The function that does the work; "" where there is none, or it belongs to Python in part."""
    step = found.step
    if step is None or found.kind is Step.GRADIENT:
        return "" if step is None else step.name
    is_mixed = effect(step.file.queried.function_at(step.location.line))
    return "" if is_mixed else step.name


def _it(found: EagerLoop) -> str:
    name = _compilable(found)
    return f"`{name}` is" if name else "they are"


def _remedy(found: EagerLoop) -> str:
    name = _compilable(found)
    step = f"`{name}`" if name else "a function for one iteration"
    if found.framework == "jax":
        more = "" if found.kind is Step.GRADIENT else ", or write the loop with `jax.lax.fori_loop`"
        return f"put {step} under `jax.jit`{more}"
    if found.kind is Step.GRADIENT:
        return f"put {step}, gradient and update together, under `tf.function`"
    return (
        f"put {step}, or the whole loop over `tf.range`, under `tf.function`, with "
        "`tf.where` or `tf.cond` where it branches on tensors"
    )
