"""What deepperf says to be added or compiled in each turn is, when run; half of it is told."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import pytest
from tests.properties.repeating import counts, programs
from tests.properties.specimens import MORE

from deepperf import Options, check_text
from deepperf.records import Finding, Level

PROGRAMS = 15 * MORE
"""Programs of each kind."""
KINDS = {"graphs": counts.graphs, "compilations": counts.compilations}


def said(text: str, words: programs.Vocabulary, rule: str) -> Iterator[Finding]:
    """What is told of the loop; its functions may be told of for themselves."""
    report = check_text(text, Options(select=(rule,), level=Level.NOTE), path="main.py")
    assert report.failures == ()
    above = words.head.count("\n")
    for found in report.findings:
        if any(place.line > above for place in (found.location, *(s.location for s in found.path))):
            yield found


def holds(found: Finding, lines: set[int]) -> bool:
    """Whether a line of the finding is among these; what is compiled is counted where it runs."""
    if found.rule == "compiled-per-call":
        return counts.ALL in lines
    return not lines.isdisjoint(range(found.location.line, found.location.end_line + 1))


@pytest.fixture(name="words")
def vocabulary(kind: str) -> programs.Vocabulary:
    pytest.importorskip("jax" if kind == "compilations" else "tensorflow")
    return programs.vocabulary(kind)


@pytest.mark.parametrize(
    ("kind", "line", "adding"),
    [
        ("graphs", "sess.run(tf.abs(loss), feed())", {"graph-growth"}),
        ("graphs", "in_new_session(1.0)", {"graph-growth", "session-per-step"}),
        ("graphs", "sess.run(loss, feed())", set()),
        ("graphs", "missing", None),
        ("compilations", "jax.jit(lambda v: v)(x)", {"compiled-per-call"}),
        ("compilations", "jax.jit(double)(x)", set()),
    ],
)
def test_what_a_line_adds_in_each_turn_is_counted(
    kind: str, line: str, adding: set[str] | None, words: programs.Vocabulary
) -> None:
    start = f"{words.head}{words.before}\nfor i in range(turns):\n    "
    found = counts.added(f"{start}{line}\n", words, KINDS[kind])
    lines = {counts.ALL, start.count("\n") + 1}
    assert (found is None) is (adding is None)
    assert {rule for rule, grown in (found or {}).items() if grown} == (adding or set())
    assert all(lines <= grown for grown in (found or {}).values() if grown)


@pytest.mark.parametrize("kind", list(KINDS))
def test_what_is_said_to_happen_in_each_turn_does(kind: str, words: programs.Vocabulary) -> None:
    wrong: dict[int, list[str]] = {}
    told: Counter[str] = Counter()
    missed: Counter[str] = Counter()
    for seed in range(PROGRAMS):
        text = programs.program(seed, words)
        for rule, lines in (counts.added(text, words, KINDS[kind]) or {}).items():
            findings = list(said(text, words, rule))
            if spoilt := [found.message for found in findings if not holds(found, lines)]:
                wrong[seed] = spoilt
            told[rule] += bool(findings)
            missed[rule] += bool(lines) and not findings
    assert wrong == {}
    assert all(count for count in told.values())
    assert all(missed[rule] <= count for rule, count in told.items())
