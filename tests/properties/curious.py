"""Rules that ask everything: what they say changes whenever an answer of the engine does."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from deepperf.check.engine import Engine
from deepperf.check.select import Selection, select_rules
from deepperf.config.options import Options
from deepperf.knowledge.schema import ParameterRole, Trait
from deepperf.records import Finding, Level
from deepperf.rules.registry import LoadedRule
from deepperf.rules.rule import Rule, on_call, on_file, on_loop
from deepperf.semantics.calls import reach
from deepperf.semantics.view import Call, Expression, FileView, Function, Loop, LoopPath, Spot

TRAITS = tuple(Trait)
ROLES = tuple(ParameterRole)


def _rule(stem: str) -> Rule:
    return Rule(
        module=f"deepperf.rules.model.{stem}.rule",
        cause="wrong-layer",
        symptoms=("slow-training",),
        stage="training",
        level=Level.WARNING,
        frameworks=("tensorflow",),
    )


about_calls = _rule("curious_about_calls")
about_loops = _rule("curious_about_loops")
about_files = _rule("curious_about_files")
about_traits = _rule("curious_about_traits")


@on_call()
def ask_call(call: Call) -> Iterator[Finding]:
    yield about_calls.finding(call, said(call_answers(call)), "say nothing")


@on_call(*TRAITS)
def ask_known_call(call: Call) -> Iterator[Finding]:
    path = next((way.steps() for way in _loop_paths(call)), ())
    yield about_traits.finding(call, said(call_answers(call)), "say nothing", path=path)


@on_loop
def ask_loop(loop: Loop) -> Iterator[Finding]:
    yield about_loops.finding(loop, said(loop_answers(loop)), "say nothing")


@on_file
def ask_file(view: FileView) -> Iterator[Finding]:
    for function in view.functions():
        yield about_files.finding(function, said(function_answers(function)), "say nothing")


def said(answers: Iterable[object]) -> str:
    """The answers as one short line that differs when any of them does."""
    whole = "\n".join(map(str, answers))
    return hashlib.blake2b(whole.encode("utf-8", "replace"), digest_size=8).hexdigest()


def call_answers(call: Call) -> Iterator[object]:
    yield from _spot(call)
    yield call.name, call.fact.name if call.fact else None, call.called, call.last_name
    yield call.unpacks, _names(call.effects), call.statement_span
    for role in ROLES:
        argument = call.argument(role)
        if argument is not None:
            yield role.value, *_expression(argument)
    for argument in (*call.arguments, call.callee, call.result):
        yield from _expression(argument)
    if call.receiver is not None:
        yield from _expression(call.receiver)
    yield _places(call.loops), _places(call.targets)
    for loop in call.loops:
        yield [argument.same_object_in(loop) for argument in (*call.arguments, call.result)]
    yield from _ways(_loop_paths(call))


def loop_answers(loop: Loop) -> Iterator[object]:
    yield from _spot(loop)
    yield loop.is_comprehension, loop.header, loop.trips, loop.is_tiny, loop.over
    yield _places(loop.outer), _places(loop.calls())
    yield _places(loop.reached_calls(frozenset(TRAITS)))


def function_answers(function: Function) -> Iterator[object]:
    yield from _spot(function)
    yield function.name, function.qualified_name
    yield function.is_method, function.is_traced
    yield _names(function.effects)
    for returned in function.returns:
        yield from _expression(returned)
    for decoration in function.decorations:
        yield decoration.location, decoration.text, decoration.decorated.name
        yield [trait.value for trait in TRAITS if decoration.has(trait)]
    yield _places(function.callers()), _places(function.handed_to()), _places(function.calls)


def _spot(spot: Spot) -> Iterator[object]:
    yield spot.location, spot.text, spot.source_line, spot.span
    yield spot.function.qualified_name if spot.function else None


def _expression(expression: Expression) -> Iterator[object]:
    yield expression.location, expression.is_left_none
    yield repr(expression.literal), sorted(expression.types), _places(expression.made_by())
    yield _places(expression.functions()), [fact.name for fact in expression.facts()]
    yield _names(expression.effects), expression.call is not None


def _loop_paths(call: Call) -> tuple[LoopPath, ...]:
    analysis = call._analysis
    return tuple(
        LoopPath(Loop(analysis, loop), tuple(Call(analysis, one) for one in way))
        for loop, way in reach.loop_paths(analysis, call._site)
    )


def _ways(paths: Iterable[LoopPath]) -> Iterator[object]:
    for path in paths:
        yield path.loop.location, _places(path.calls), path.steps()


def _places(spots: Iterable[Spot]) -> list[str]:
    return [str(spot.location) for spot in spots]


def _names(words: Iterable[object]) -> list[str]:
    return sorted(map(str, words))


def _loaded(rule: Rule, check: object) -> LoadedRule:
    return LoadedRule(rule, (check,), Path("x.md"), Path("evidence.json"))  # type: ignore[arg-type]


CURIOUS = (
    _loaded(about_calls, ask_call),
    _loaded(about_loops, ask_loop),
    _loaded(about_files, ask_file),
    _loaded(about_traits, ask_known_call),
)


def everything(installed: Callable[[Options], Selection]) -> Callable[[Options], Selection]:
    """The installed rules and the curious ones."""

    def select(options: Options) -> Selection:
        rules = (*installed(options).rules, *CURIOUS)
        return select_rules(rules, options, lambda _: False)

    return select


def curious_engine(*rules: LoadedRule) -> Engine:
    """An engine of these rules alone, of the curious ones if none are named."""
    chosen = rules or CURIOUS
    return Engine(
        lambda options: select_rules(chosen, options, lambda _: False), stamp=lambda: "curious"
    )
