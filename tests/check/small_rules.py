"""Rules that are small enough to see through, for tests of what runs rules."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from deepperf.check.engine import Engine
from deepperf.check.select import Selection, select_rules
from deepperf.config.options import Options
from deepperf.records import Edit, Finding, Fix, Level, Safety
from deepperf.rules.registry import LoadedRule
from deepperf.rules.rule import Rule, on_call
from deepperf.semantics.view import Call

slow = Rule(
    module="deepperf.rules.loops.slow_call.rule",
    cause="inefficient-api-use",
    symptoms=("slow-training",),
    stage="training",
    level=Level.WARNING,
    frameworks=("tensorflow",),
    aliases=("sluggish-call",),
)
odd = Rule(
    module="deepperf.rules.model.odd_call.rule",
    cause="wrong-layer",
    symptoms=("slow-training",),
    stage="training",
    level=Level.ERROR,
    frameworks=("tensorflow",),
)
broken = Rule(
    module="deepperf.rules.model.broken_rule.rule",
    cause="wrong-layer",
    symptoms=("slow-training",),
    stage="training",
    level=Level.ERROR,
    frameworks=("tensorflow",),
)


@on_call()
def find_slow(call: Call) -> Iterator[Finding]:
    if not call.source.startswith("slow("):
        return
    start, _ = call.span
    fix = Fix("Call fast", (Edit(start, start + 4, "fast"),), Safety.SAFE)
    yield slow.finding(call, f"'{call.text}' is slow", "call fast", fix=fix)


@on_call()
def find_odd(call: Call) -> Iterator[Finding]:
    if not call.source.startswith("odd("):
        return
    start, _ = call.span
    fix = Fix("Call even", (Edit(start, start + 3, "even"),), Safety.UNSAFE)
    yield odd.finding(call, f"'{call.text}' is odd", "call even", fix=fix)


@on_call()
def crash(call: Call) -> Iterator[Finding]:
    if call.source:
        raise ZeroDivisionError(f"no rule for\n{call.source}")
    yield broken.finding(call, "never", "")


def loaded(rule: Rule, *checks: object) -> LoadedRule:
    return LoadedRule(rule, checks, Path("x.md"), Path("evidence.json"))  # type: ignore[arg-type]


SLOW = loaded(slow, find_slow)
ODD = loaded(odd, find_odd)
BROKEN = loaded(broken, crash)


def selection(*rules: LoadedRule, options: Options | None = None) -> Selection:
    return select_rules(rules, options or Options(), lambda _: False)


def engine(*rules: LoadedRule, stamp: str = "one") -> Engine:
    return Engine(lambda options: selection(*rules, options=options), stamp=lambda: stamp)
