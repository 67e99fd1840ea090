"""What a program does decides what is found in it: not its names, its order or its layout.

For the rules on the floors of the engine; of those with many examples some are changed in each way.
"""

from __future__ import annotations

import ast
import functools
from collections.abc import Callable, Mapping

import pytest
from tests.project.test_layers import ON_FLOORS
from tests.rules.transformed import (
    TRANSFORMS,
    Trees,
    first_lines,
    spread_out,
    with_bodies_moved,
    written,
)

from deepperf.check.run import check_text
from deepperf.config.options import Options
from deepperf.records import Level
from deepperf.rules.page import Example, Kind, read_page
from deepperf.rules.registry import RuleFiles, find_rules
from deepperf.semantics.files.project import Project
from deepperf.semantics.text.source import Source, read_source

RULES = [files for files in find_rules() if files.source.parent in ON_FLOORS]
# These rules look at direct callers alone, so that a function moved behind another changes them.
ONE_CALL_DEEP = {
    "debug-left-on",
    "looped-draw",
    "padding-to-maximum",
    "recursive-compilation",
    "requests-one-by-one",
    "specialized-argument",
}
NOT_IN_A_CLASS = frozenset(
    ("compiled-per-object", "missing-no-grad", "read-per-item", "specialized-argument")
)
"""Rules that lose a case where its functions become methods: a helper that training shares, one
that is compiled, a main function of which the first engine asks what it does with what is read."""
TWO_CALLS_DEEP = {"host-sync-in-loop": "cases/torch.md:315: "}
"""Examples in which a call makes a branch impossible: moved, that is a call further out."""
MOST_EXAMPLES = 6
"""What is changed of one rule's examples in one way: all ways on all take minutes."""
Findings = set[tuple[str, int, int]]
Lines = Mapping[str, Mapping[int, int]]


def findings(texts: Mapping[str, str], lines: Lines, example: Example, rule: str) -> Findings:
    """Path, line (of the program as it stood) and level of each finding.

    Lines that a statement is broken into count as its first.
    """
    sources = {path: read_source(path, text.encode()) for path, text in texts.items()}
    project = Project({path: one for path, one in sources.items() if isinstance(one, Source)})
    options = Options(
        select=(rule,),
        preview=True,
        level=Level.NOTE,
        framework_versions=dict(example.versions),
    )
    first = {path: first_lines(tree) for path, tree in trees(example).items()}
    found = Findings()
    for path, text in texts.items():
        report = check_text(text, options, path, project)
        assert not report.failures, report.failures
        for finding in report.findings:
            line = finding.location.line
            stood = lines[path].get(line, -line)
            found.add((path, first[path].get(stood, stood), finding.level.value))
    return found


@functools.cache
def examples(rule: RuleFiles) -> tuple[Example, ...]:
    """The examples of a rule that parse."""
    listed = read_page(rule.page).examples
    return tuple(one for one in listed if one.kind in (Kind.BAD, Kind.OK) and parses(one))


@functools.cache
def found_in(rule: RuleFiles, number: int) -> Findings:
    """What is found in an example as it stands."""
    example = examples(rule)[number]
    texts = {file.path: file.text for file in example.files}
    same = {path: {n: n for n in range(1, text.count("\n") + 3)} for path, text in texts.items()}
    return findings(texts, same, example, rule.name)


def parses(example: Example) -> bool:
    try:
        trees(example)
    except SyntaxError:
        return False
    return True


def trees(example: Example) -> Trees:
    return {f.path: ast.parse(f.text) for f in example.files if f.path.endswith(".py")}


def changed(example: Example, change: Callable[[Trees], Trees]) -> tuple[dict[str, str], Lines]:
    texts, lines = {}, {}
    for path, tree in change(trees(example)).items():
        texts[path], lines[path] = written(tree)
    return texts, lines


def differences(
    rule: RuleFiles, change: Callable[[Example], tuple[dict[str, str], Lines]], way: int
) -> list[str]:
    """What a change makes of the findings; other examples for other ways, the same each time."""
    told = []
    count = len(examples(rule))
    step = -(-count // MOST_EXAMPLES) or 1
    for number in range(way % step, count, step):
        example, before = examples(rule)[number], found_in(rule, number)
        texts, lines = change(example)
        after = findings(texts, lines, example, rule.name)
        if after != before:
            lost, new = sorted(before - after), sorted(after - before)
            told.append(f"{example.page}:{example.line}: lost {lost}, new {new}")
    return told


@pytest.mark.parametrize("change", TRANSFORMS, ids=lambda change: change.__name__)
@pytest.mark.parametrize("rule", RULES, ids=lambda files: files.name)
def test_names_order_and_extracted_functions_change_no_finding(
    rule: RuleFiles, change: Callable[[Trees], Trees]
) -> None:
    way = TRANSFORMS.index(change)
    if change is with_bodies_moved and rule.name in ONE_CALL_DEEP:
        return
    if change.__name__ == "with_functions_in_a_class" and rule.name in NOT_IN_A_CLASS:
        return
    told = differences(rule, lambda example: changed(example, change), way)
    if change is with_bodies_moved:
        known = TWO_CALLS_DEEP.get(rule.name)
        told = [one for one in told if known is None or not one.startswith(known)]
    assert told == []


@pytest.mark.parametrize("rule", RULES, ids=lambda files: files.name)
def test_comments_and_blank_lines_change_no_finding(rule: RuleFiles) -> None:
    def spread(example: Example) -> tuple[dict[str, str], Lines]:
        out = {f.path: spread_out(f.text) for f in example.files if f.path.endswith(".py")}
        return {p: text for p, (text, _) in out.items()}, {p: li for p, (_, li) in out.items()}

    assert differences(rule, spread, len(TRANSFORMS)) == []
