"""Texts are tokenized one at a time, or between the steps of a training."""

from __future__ import annotations

from collections.abc import Iterator

from deepperf.knowledge.schema import ParameterRole, Trait
from deepperf.records import Finding, Level
from deepperf.rules.rule import Rule, each_call, each_loop
from deepperf.semantics.query import (
    Call,
    Cost,
    Dependence,
    Function,
    Iteration,
    Kind,
    Loop,
    LoopKind,
    Value,
    level_of,
    share,
)

rule = Rule(
    module=__name__,
    cause="missed-batch-api",
    symptoms=("slow-execution",),
    stage="data-preparation",
    level=Level.WARNING,
    frameworks=("transformers",),
)

_TEXTS_PER_STEP = 16
_NEAR = 2

_SKETCH = """\
def {function}({parameters}):
    ...  # `{at}` is given the list of texts
{call}({arguments}, batched=True)
"""


@each_call(Trait.MAPS_SAMPLES)
def check_map(call: Call) -> Iterator[Finding]:
    batched = call.in_role(ParameterRole.BATCHED)
    given = call.in_role(ParameterRole.FUNCTION)
    if given is None or call.passes_unseen:
        return
    if batched is not None and batched.constant is not False:
        return
    for function in given.functions:
        reached = function.reaches(Trait.TOKENIZES)
        if reached is None or reached.seldom:
            continue
        at = Call(call.program, reached.chain[-1])
        if not at.surely_has(Trait.TOKENIZES):
            continue
        # Turns of a conversation, or words of a text, are put together in Python anyhow.
        is_shared = call.in_role(ParameterRole.PARALLELISM) is not None
        is_little = is_shared or _does_more(function)
        level = Level.NOTE if reached.loops or is_little else Level.WARNING
        yield rule.finding(
            call,
            f"`{call.name}` calls the tokenizer once for each text",
            "let the function take lists of texts, and pass `batched=True`: a fast tokenizer"
            " works on a batch in parallel",
            path=(at.step(f"`{at.text}` is given one text"),),
            sketch=_sketch(call, function, at),
            framework="transformers",
            level=level,
            estimate=share(Cost.TOKENIZE, 1, Iteration.ROW),
        )
        return


def _does_more(function: Function) -> bool:
    """Whether an object of which nothing is known, such as one that takes sounds, is called."""
    named = (call.callee for call in function.calls())
    return any(callee.kind is Kind.NAME and callee.is_unknown for callee in named)


def _sketch(call: Call, function: Function, at: Call) -> str:
    if not function.name.isidentifier() or function.is_method:
        return ""
    said = [
        (name, function.name if function in value.functions else value.source)
        for name, value in call.written_arguments
    ]
    return _SKETCH.format(
        function=function.name,
        parameters=", ".join(function.parameter_names),
        at=at.text,
        call=call.callee.source,
        arguments=", ".join(name + value for name, value in said if name != "batched="),
    )


@each_loop
def check_loop(loop: Loop) -> Iterator[Finding]:
    if loop.kind is LoopKind.STEP:
        yield from _in_step(loop)
    elif loop.kind in (LoopKind.ROW, LoopKind.UNKNOWN):
        yield from _one_by_one(loop)


def _in_step(loop: Loop) -> Iterator[Finding]:
    if loop.reaches(Trait.GENERATES):
        return  # what the model has just said cannot be tokenized before
    for call in loop.calls():
        way = call.way_to(Trait.TOKENIZES)
        if not way or not way[-1].surely_has(Trait.TOKENIZES):
            continue
        if not call.runs_seldom and _varies(way[0], loop):
            estimate = share(Cost.TOKENIZE, _TEXTS_PER_STEP, Iteration.STEP)
            yield rule.finding(
                call,
                f"each training step tokenizes its texts with `{way[-1].name}`: the device waits",
                "tokenize before the training (`dataset.map(..., batched=True)`), or in the"
                " loader's `collate_fn` with workers",
                path=tuple([one.step(f"`{one.name}` is called") for one in way[1:]]),
                framework="transformers",
                # It is one call for a batch, and the device works at the step before meanwhile.
                level=Level.NOTE,
                estimate=estimate,
            )
            return


def _one_by_one(loop: Loop) -> Iterator[Finding]:
    # Where a model runs on each text, that is what costs; what a person writes comes one by one.
    if (
        loop.reaches(Trait.RUNS_MODULE, Trait.GENERATES, Trait.INFERS, Trait.ASKS_PERSON)
        or "item" in loop.runs_for
    ):
        return
    for call in loop.calls():
        way = call.way_to(Trait.TOKENIZES) if call.loops[:1] == (loop,) else ()
        if way and way[-1].surely_has(Trait.TOKENIZES) and _is_of_one_text(way, loop):
            estimate = share(Cost.TOKENIZE, 1, Iteration.UNKNOWN)
            yield rule.finding(
                call,
                f"`{way[-1].name}` tokenizes one text in every iteration of `{loop.header}`",
                "give the tokenizer the list of all texts, or of some thousands, at once",
                path=tuple([one.step(f"`{one.name}` is called") for one in way[1:]]),
                framework="transformers",
                level=level_of(estimate),
                estimate=estimate,
            )
            return


def _is_of_one_text(way: tuple[Call, ...], loop: Loop) -> bool:
    """Whether each iteration has one text of its own tokenized, by itself or by a helper that does
    nothing else of which nobody knows whether it takes longer.
    """
    call, *inner = way
    if len(way) > _NEAR or any(one.loops or one.guard().is_rare for one in inner):
        return False
    helped = (one for function in call.runs for one in function.calls())
    if not all(one.facts or one.has(Trait.TOKENIZES) for one in helped):
        return False
    text = _one_text(way[-1])
    if text is None:
        return False
    given = (text,) if not inner else call.arguments
    return any(one.dependence(loop) is not Dependence.INVARIANT for one in given)


def _one_text(call: Call) -> Value | None:
    """The text that a tokenizer is given, where it is surely given one."""
    text = next(iter(call.arguments), None)
    if text is None:
        return None
    if text.kind is Kind.LIST and len(text.operands) == 1:
        return text.operands[0]
    return text if call.has(Trait.ONE_TEXT) or text.python_type == "str" else None


def _varies(call: Call, loop: Loop) -> bool:
    values: list[Value] = [*call.arguments]
    return any(value.dependence(loop) is not Dependence.INVARIANT for value in values)
