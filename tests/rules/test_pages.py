"""Every rule's page holds: its examples do what their fences say, and the rule keeps its shape."""

from __future__ import annotations

import ast
import functools
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from deepperf.check.run import check_text
from deepperf.config.options import Options
from deepperf.fixes.apply import fix_text
from deepperf.records import Finding, Level, Report, Safety, SourceFile
from deepperf.rules.evidence import read_evidence, stale
from deepperf.rules.page import Example, Kind, Mark, Page, missing_parts, read_page
from deepperf.rules.registry import RuleFiles, find_refusals, find_rules, load_rules
from deepperf.rules.show import REFUSAL
from deepperf.semantics.files.project import Project
from deepperf.semantics.text.source import Source, read_source
from deepperf.taxonomy.terms import load_codebook

RULES = find_rules()
FRAMEWORK_PREFIXES = ("tensorflow.", "tf.", "keras.", "torch.", "jax.", "numpy.", "transformers.")
ALLOWED_IMPORTS = (
    "deepperf.semantics.view",
    "deepperf.semantics.query",
    "deepperf.fixes",
    "deepperf.taxonomy",
    "deepperf.knowledge.schema",
    "deepperf.records",
    "deepperf.rules.guard_rails",
    "deepperf.rules.rule",
)
FORBIDDEN_MODULES = {"ast", "io", "os", "pathlib", "inspect", "importlib", "subprocess"}
INSTRUCTIONS = ("use-", "no-", "avoid-", "do-", "dont-", "prefer-")
LONGEST_RULE = 250
WELCOME_LENGTH = 120
LONGEST_PAGE = 150


Files = tuple[SourceFile, ...]
Versions = tuple[tuple[str, str], ...]


@pytest.fixture(scope="module", params=RULES, ids=lambda files: files.name)
def files(request: pytest.FixtureRequest) -> RuleFiles:
    """Each rule in turn: its tests follow each other, so that they share an example's check."""
    found: RuleFiles = request.param
    return found


@functools.cache
def page(files: RuleFiles) -> Page:
    return read_page(files.page)


def examples(files: RuleFiles, *kinds: Kind) -> list[tuple[str, Example]]:
    """The examples of these kinds, each with the place at which it stands."""
    listed = page(files).examples
    return [(f"{one.page}:{one.line}", one) for one in listed if one.kind in kinds]


def options_for(versions: Versions, *rules: str) -> Options:
    return Options(select=rules, preview=True, level=Level.NOTE, framework_versions=dict(versions))


@functools.cache
def reports(files: Files, versions: Versions, *rules: str) -> dict[str, Report]:
    """The reports on an example's files, each checked with the others beside it."""
    project = Project({file.path: source(file) for file in files})
    options = options_for(versions, *rules)
    found = {file.path: check_text(file.text, options, file.path, project) for file in files}
    failures = [failure.message for report in found.values() for failure in report.failures]
    assert failures == []
    # What a finding's comments, fix and fingerprint are about is the text of its own file.
    elsewhere = [f for one in found.values() for f in one.findings if f.location.path != one.path]
    assert shown(elsewhere) == []
    return found


def source(file: SourceFile) -> Source:
    read = read_source(file.path, file.text.encode())
    assert isinstance(read, Source)
    return read


def findings(example: Example, *rules: str) -> list[Finding]:
    found = reports(example.files, example.versions, *rules)
    return [finding for report in found.values() for finding in report.findings]


def with_text(files: Files, path: str, text: str) -> Files:
    return tuple(replace(file, text=text) if file.path == path else file for file in files)


def fixed(files: Files, versions: Versions, rule: str) -> Files:
    """The files after every fix of `rule`, unsafe ones too."""
    for file in files:
        files = with_text(files, file.path, fixed_text(files, versions, file, rule))
    return files


def fixed_text(files: Files, versions: Versions, file: SourceFile, rule: str) -> str:
    def check(text: str) -> tuple[Finding, ...]:
        changed = with_text(files, file.path, text)
        return reports(changed, versions, rule)[file.path].findings

    return fix_text(file.text, check, Safety.UNSAFE).text


def shown(found: list[Finding]) -> list[str]:
    return [f"{finding.location}: {finding.rule}: {finding.message}" for finding in found]


def test_page_is_complete(files: RuleFiles) -> None:
    missing = missing_parts(page(files))
    assert not missing, "missing: " + "; ".join(missing)


def test_page_is_read_in_one_sitting(files: RuleFiles) -> None:
    assert len(files.page.read_text(encoding="utf-8").splitlines()) <= LONGEST_PAGE


def test_bad_is_found_on_the_marked_lines_and_nowhere_else(files: RuleFiles) -> None:
    wrong = {}
    for place, example in examples(files, Kind.BAD):
        found = findings(example, files.name)
        said = {
            (*line_of(finding), "note" if finding.level is Level.NOTE else "finding")
            for finding in found
        }
        marks = example.marks
        marked = {(mark.path, mark.line, "note" if mark.is_note else "finding") for mark in marks}
        if said != marked:
            wrong[place] = {"found": shown(found), "marked": sorted(marked)}
    assert wrong == {}


def test_marked_words_stand_in_the_message(files: RuleFiles) -> None:
    unsaid = {}
    for place, example in examples(files, Kind.BAD):
        found = findings(example, files.name)
        lacking = [mark for mark in example.marks if not any(says(mark, one) for one in found)]
        if lacking:
            unsaid[place] = {"lacking": lacking, "found": shown(found)}
    assert unsaid == {}


def says(mark: Mark, finding: Finding) -> bool:
    return (mark.path, mark.line) == line_of(finding) and mark.words in finding.message


def line_of(finding: Finding) -> tuple[str, int]:
    return finding.location.path, finding.location.line


def test_a_finding_is_one_line_with_a_remedy(files: RuleFiles) -> None:
    for place, example in examples(files, Kind.BAD):
        for finding in findings(example, files.name):
            assert finding.message, place
            assert finding.remedy, place
            assert "\n" not in finding.message + finding.remedy, place


def test_good_and_ok_are_silent(files: RuleFiles) -> None:
    told = {
        place: shown(findings(example, files.name))
        for place, example in examples(files, Kind.GOOD, Kind.OK)
    }
    assert {place: found for place, found in told.items() if found} == {}


def test_other_rules_are_silent_on_good(files: RuleFiles) -> None:
    told = {place: shown(findings(example)) for place, example in examples(files, Kind.GOOD)}
    assert {place: found for place, found in told.items() if found} == {}


def test_a_known_miss_is_still_missed(files: RuleFiles) -> None:
    found = {
        place: shown(findings(example, files.name)) for place, example in examples(files, Kind.MISS)
    }
    by_now = [place for place, told in found.items() if told]
    assert by_now == [], "this is found now: make it a bad block"


def test_something_measured_is_more_than_a_note_unless_the_rule_has_nothing_else(
    files: RuleFiles,
) -> None:
    (loaded,) = load_rules([files.name])
    measured = [group for group in page(files).groups if group.good and group.workload]
    marks = [mark for group in measured for mark in group.bad.marks]
    assert (
        not measured or loaded.rule.level is Level.NOTE or any(not mark.is_note for mark in marks)
    )


def test_a_finding_names_its_framework_by_which_its_measurement_is_chosen(
    files: RuleFiles,
) -> None:
    nameless = [
        place
        for place, example in examples(files, Kind.BAD)
        if "" in {finding.framework for finding in findings(example, files.name)}
    ]
    assert nameless == []


def test_fixing_bad_gives_good(files: RuleFiles) -> None:
    wrong = {}
    for group in page(files).groups:
        bad, found = group.bad, findings(group.bad, files.name)
        if group.good is None or all(finding.fix is None for finding in found):
            continue
        wanted = {file.path: file.text for file in group.good.files}
        now = fixed(bad.files, bad.versions, files.name)
        after = {file.path: file.text for file in now if file.path in wanted}
        if after != wanted:
            wrong[group.id] = {"after": after, "wanted": wanted}
    assert wrong == {}


def test_fixing_twice_changes_nothing_more(files: RuleFiles) -> None:
    for place, example in examples(files, Kind.BAD, Kind.GOOD, Kind.OK):
        once = fixed(example.files, example.versions, files.name)
        assert fixed(once, example.versions, files.name) == once, place


def test_each_finding_can_be_ignored_by_a_comment(files: RuleFiles) -> None:
    for place, example in examples(files, Kind.BAD):
        for finding in findings(example, files.name):
            path, line = line_of(finding)
            text = next(file.text for file in example.files if file.path == path)
            lines = text.split("\n")
            lines[line - 1] += f"  # deepperf: ignore[{files.name}]"
            silenced = with_text(example.files, path, "\n".join(lines))
            report = reports(silenced, example.versions, files.name)[path]
            assert line not in {one.location.line for one in report.findings}, place
            assert line in {one.location.line for one in report.suppressed}, place


def test_terms_of_the_declaration_are_in_the_codebook(files: RuleFiles) -> None:
    (loaded,) = load_rules([files.name])
    codebook = load_codebook()
    declared = (
        ("cause", (loaded.rule.cause,), codebook.causes),
        ("stage", (loaded.rule.stage,), codebook.stages),
        ("symptoms", loaded.rule.symptoms, codebook.symptoms),
    )
    wrong = [
        f"{what} is {given}, not of {', '.join(terms)}"
        for what, given, terms in declared
        if not given or not terms.keys() >= set(given)
    ]
    assert not wrong, "\n".join(wrong)


def test_every_declared_framework_has_an_example(files: RuleFiles) -> None:
    (loaded,) = load_rules([files.name])
    shown_frameworks = {group.framework for group in page(files).groups}
    assert set(loaded.rule.frameworks) == shown_frameworks


def test_the_rule_has_checks(files: RuleFiles) -> None:
    (loaded,) = load_rules([files.name])
    assert loaded.checks


def test_the_name_is_the_smell(files: RuleFiles) -> None:
    assert re.fullmatch(r"[a-z]+(-[a-z0-9]+)*", files.name)
    assert not files.name.startswith(INSTRUCTIONS)


def test_the_check_is_short(files: RuleFiles) -> None:
    lines = len(files.source.read_text(encoding="utf-8").splitlines())
    if lines > WELCOME_LENGTH:
        print(f"{files.source.name} has {lines} lines; {WELCOME_LENGTH} would be welcome")
    assert lines <= LONGEST_RULE


def test_the_check_sees_the_program_through_the_view_alone(files: RuleFiles) -> None:
    imported = set(imports(files.source))
    assert imported & FORBIDDEN_MODULES == set()
    inside = {name for name in imported if name.startswith("deepperf")}
    allowed = (*ALLOWED_IMPORTS, files.module.removesuffix("rule"))
    assert [name for name in sorted(inside) if not name.startswith(allowed)] == []


def test_the_check_names_no_framework_callable(files: RuleFiles) -> None:
    named = [
        node.value
        for node in ast.walk(ast.parse(files.source.read_text(encoding="utf-8")))
        if isinstance(node, ast.Constant)
        and isinstance(node.value, str)
        and re.fullmatch(r"[\w.]+", node.value)
        and node.value.startswith(FRAMEWORK_PREFIXES)
    ]
    assert named == []


def imports(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.module or ""


def test_every_page_has_a_check_and_every_rule_a_page() -> None:
    folder = Path(load_rules.__code__.co_filename).parent
    pages = {page.parent for page in folder.glob("*/*/page.md")}
    rules = {files.page.parent for files in RULES}
    declaring = {
        path.parent
        for path in folder.glob("*/*/*.py")
        if re.search(r"^rule = Rule\(", path.read_text(encoding="utf-8"), re.MULTILINE)
    }
    refused = {files.page.parent for files in find_refusals()}
    assert pages - refused == rules == declaring
    assert refused & declaring == set()


@pytest.mark.parametrize("refusal", find_refusals(), ids=lambda refusal: refusal.name)
def test_a_refusal_says_so_and_rests_on_a_measurement(refusal: RuleFiles) -> None:
    page, evidence = read_page(refusal.page), read_evidence(refusal.evidence, refusal.name)
    assert page.summary.startswith(REFUSAL)
    assert len(refusal.page.read_text(encoding="utf-8").splitlines()) <= LONGEST_PAGE
    assert [entry.pair for entry in evidence.measurements] == [pair.id for pair in page.pairs]
    assert stale(evidence, page.pairs) == ()
    assert not any(entry.shows_gain for entry in evidence.measurements)


def test_names_and_old_names_are_taken_once() -> None:
    names = [name for loaded in load_rules() for name in (loaded.name, *loaded.rule.aliases)]
    assert sorted(names) == sorted(set(names))


def test_a_sketch_is_a_few_lines_of_python_and_stands_where_no_fix_does(files: RuleFiles) -> None:
    for place, example in examples(files, Kind.BAD):
        for finding in findings(example, files.name):
            if finding.sketch:
                assert 3 <= len(finding.sketch.splitlines()) <= 8, place
                assert ast.parse(finding.sketch).body, place
                assert finding.fix is None, place
