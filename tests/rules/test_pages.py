"""Every rule's page holds: its examples do what their fences say, and the rule keeps its shape."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from deepperf.check.run import check_text
from deepperf.config.options import Options
from deepperf.fixes.apply import fix_text
from deepperf.records import Finding, Level, Report, Safety, SourceFile
from deepperf.rules.evidence import read_evidence, stale
from deepperf.rules.page import Example, Group, Kind, Mark, PageError, missing_parts, read_page
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
    "deepperf.rules.rule",
)
FORBIDDEN_MODULES = {"ast", "io", "os", "pathlib", "inspect", "importlib", "subprocess"}
INSTRUCTIONS = ("use-", "no-", "avoid-", "do-", "dont-", "prefer-")
LONGEST_RULE = 250
WELCOME_LENGTH = 120
LONGEST_PAGE = 150


@dataclass(frozen=True)
class Case:
    """One example of one rule's page."""

    rule: RuleFiles
    example: Example

    def __str__(self) -> str:
        return f"{self.rule.name}/{self.example.page}:{self.example.line}-{self.example.kind.value}"


def readable_pages() -> Iterator[tuple[RuleFiles, tuple[Example, ...], tuple[Group, ...]]]:
    for files in RULES:
        try:
            page = read_page(files.page)
        except PageError:
            continue  # test_page_is_complete says so
        yield files, page.examples, page.groups


def cases(*kinds: Kind) -> list[Case]:
    return [
        Case(files, example)
        for files, examples, _ in readable_pages()
        for example in examples
        if example.kind in kinds
    ]


def fixable() -> list[tuple[RuleFiles, Group]]:
    return [(files, group) for files, _, groups in readable_pages() for group in groups]


def measured() -> list[Group]:
    """The pairs whose sides are compared: what the bad one costs is said with each finding."""
    noting = {loaded.name for loaded in load_rules() if loaded.rule.level is Level.NOTE}
    return [
        group
        for files, group in fixable()
        if group.good is not None and group.workload and files.name not in noting
    ]


def options_for(example: Example, *rules: str) -> Options:
    return Options(
        select=rules,
        preview=True,
        level=Level.NOTE,
        framework_versions=dict(example.versions),
    )


def reports(example: Example, options: Options) -> dict[str, Report]:
    """The reports on the example's files, each checked with the others beside it."""
    project = Project({file.path: source(file) for file in example.files})
    found = {
        file.path: check_text(file.text, options, file.path, project) for file in example.files
    }
    failures = [failure.message for report in found.values() for failure in report.failures]
    assert failures == []
    return found


def source(file: SourceFile) -> Source:
    read = read_source(file.path, file.text.encode())
    assert isinstance(read, Source)
    return read


def findings(example: Example, *rules: str) -> list[Finding]:
    found = reports(example, options_for(example, *rules))
    return [finding for report in found.values() for finding in report.findings]


def with_text(example: Example, path: str, text: str) -> Example:
    files = [replace(file, text=text) if file.path == path else file for file in example.files]
    return replace(example, files=tuple(files))


def fixed(example: Example, rule: str) -> tuple[SourceFile, ...]:
    """The example's files after every fix of `rule`, unsafe ones too."""
    for file in example.files:
        example = with_text(example, file.path, fixed_text(example, file, rule))
    return example.files


def fixed_text(example: Example, file: SourceFile, rule: str) -> str:
    def check(text: str) -> tuple[Finding, ...]:
        changed = with_text(example, file.path, text)
        return reports(changed, options_for(changed, rule))[file.path].findings

    return fix_text(file.text, check, Safety.UNSAFE).text


def shown(found: list[Finding]) -> list[str]:
    return [f"{finding.location}: {finding.rule}: {finding.message}" for finding in found]


@pytest.mark.parametrize("files", RULES, ids=lambda files: files.name)
def test_page_is_complete(files: RuleFiles) -> None:
    missing = missing_parts(read_page(files.page))
    assert not missing, "missing: " + "; ".join(missing)


@pytest.mark.parametrize("files", RULES, ids=lambda files: files.name)
def test_page_is_read_in_one_sitting(files: RuleFiles) -> None:
    assert len(files.page.read_text(encoding="utf-8").splitlines()) <= LONGEST_PAGE


@pytest.mark.parametrize("case", cases(Kind.BAD), ids=str)
def test_bad_is_found_on_the_marked_lines_and_nowhere_else(case: Case) -> None:
    found = findings(case.example, case.rule.name)
    said = {
        (*place(finding), "note" if finding.level is Level.NOTE else "finding") for finding in found
    }
    marks = case.example.marks
    marked = {(mark.path, mark.line, "note" if mark.is_note else "finding") for mark in marks}
    assert said == marked, shown(found)


@pytest.mark.parametrize("case", cases(Kind.BAD), ids=str)
def test_marked_words_stand_in_the_message(case: Case) -> None:
    found = findings(case.example, case.rule.name)
    unsaid = [mark for mark in case.example.marks if not any(says(mark, one) for one in found)]
    assert unsaid == [], shown(found)


def says(mark: Mark, finding: Finding) -> bool:
    return (mark.path, mark.line) == place(finding) and mark.words in finding.message


def place(finding: Finding) -> tuple[str, int]:
    return finding.location.path, finding.location.line


@pytest.mark.parametrize("case", cases(Kind.BAD), ids=str)
def test_a_finding_is_one_line_with_a_remedy(case: Case) -> None:
    for finding in findings(case.example, case.rule.name):
        assert finding.message
        assert finding.remedy
        assert "\n" not in finding.message + finding.remedy


@pytest.mark.parametrize("case", cases(Kind.GOOD, Kind.OK), ids=str)
def test_good_and_ok_are_silent(case: Case) -> None:
    assert shown(findings(case.example, case.rule.name)) == []


@pytest.mark.parametrize("case", cases(Kind.GOOD), ids=str)
def test_other_rules_are_silent_on_good(case: Case) -> None:
    assert shown(findings(case.example)) == []


@pytest.mark.parametrize("case", cases(Kind.MISS), ids=str)
def test_a_known_miss_is_still_missed(case: Case) -> None:
    found = findings(case.example, case.rule.name)
    assert found == [], "this is found now: make it a bad block"


@pytest.mark.parametrize("rule", sorted({group.id.partition("/")[0] for group in measured()}))
def test_something_measured_is_more_than_a_note_unless_the_rule_has_nothing_else(
    rule: str,
) -> None:
    (loaded,) = load_rules([rule])
    own = [group for group in measured() if group.id.partition("/")[0] == rule]
    shown_marks = [mark for group in own for mark in group.bad.marks]
    assert loaded.rule.level is Level.NOTE or any(not mark.is_note for mark in shown_marks)


@pytest.mark.parametrize("case", cases(Kind.BAD), ids=str)
def test_a_finding_names_its_framework_by_which_its_measurement_is_chosen(case: Case) -> None:
    assert "" not in {finding.framework for finding in findings(case.example, case.rule.name)}


@pytest.mark.parametrize(
    ("files", "group"), fixable(), ids=lambda value: getattr(value, "id", None) or value.name
)
def test_fixing_bad_gives_good(files: RuleFiles, group: Group) -> None:
    found = findings(group.bad, files.name)
    if group.good is None or all(finding.fix is None for finding in found):
        return
    wanted = {file.path: file.text for file in group.good.files}
    after = {file.path: file.text for file in fixed(group.bad, files.name) if file.path in wanted}
    assert after == wanted


@pytest.mark.parametrize("case", cases(Kind.BAD, Kind.GOOD, Kind.OK), ids=str)
def test_fixing_twice_changes_nothing_more(case: Case) -> None:
    once = fixed(case.example, case.rule.name)
    assert fixed(replace(case.example, files=once), case.rule.name) == once


@pytest.mark.parametrize("case", cases(Kind.BAD), ids=str)
def test_each_finding_can_be_ignored_by_a_comment(case: Case) -> None:
    for finding in findings(case.example, case.rule.name):
        place = finding.location
        text = next(file.text for file in case.example.files if file.path == place.path)
        lines = text.split("\n")
        lines[place.line - 1] += f"  # deepperf: ignore[{case.rule.name}]"
        silenced = with_text(case.example, place.path, "\n".join(lines))
        report = reports(silenced, options_for(silenced, case.rule.name))[place.path]
        assert place.line not in {one.location.line for one in report.findings}
        assert place.line in {one.location.line for one in report.suppressed}


@pytest.mark.parametrize("files", RULES, ids=lambda files: files.name)
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


@pytest.mark.parametrize("files", RULES, ids=lambda files: files.name)
def test_every_declared_framework_has_an_example(files: RuleFiles) -> None:
    (loaded,) = load_rules([files.name])
    shown_frameworks = {group.framework for group in read_page(files.page).groups}
    assert set(loaded.rule.frameworks) == shown_frameworks


@pytest.mark.parametrize("files", RULES, ids=lambda files: files.name)
def test_the_rule_has_checks(files: RuleFiles) -> None:
    (loaded,) = load_rules([files.name])
    assert loaded.checks


@pytest.mark.parametrize("files", RULES, ids=lambda files: files.name)
def test_the_name_is_the_smell(files: RuleFiles) -> None:
    assert re.fullmatch(r"[a-z]+(-[a-z0-9]+)*", files.name)
    assert not files.name.startswith(INSTRUCTIONS)


@pytest.mark.parametrize("files", RULES, ids=lambda files: files.name)
def test_the_check_is_short(files: RuleFiles) -> None:
    lines = len(files.source.read_text(encoding="utf-8").splitlines())
    if lines > WELCOME_LENGTH:
        print(f"{files.source.name} has {lines} lines; {WELCOME_LENGTH} would be welcome")
    assert lines <= LONGEST_RULE


@pytest.mark.parametrize("files", RULES, ids=lambda files: files.name)
def test_the_check_sees_the_program_through_the_view_alone(files: RuleFiles) -> None:
    imported = set(imports(files.source))
    assert imported & FORBIDDEN_MODULES == set()
    inside = {name for name in imported if name.startswith("deepperf")}
    allowed = (*ALLOWED_IMPORTS, files.module.removesuffix("rule"))
    assert [name for name in sorted(inside) if not name.startswith(allowed)] == []


@pytest.mark.parametrize("files", RULES, ids=lambda files: files.name)
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


@pytest.mark.parametrize("files", find_refusals(), ids=lambda files: files.name)
def test_a_refusal_says_so_and_rests_on_a_measurement(files: RuleFiles) -> None:
    page, evidence = read_page(files.page), read_evidence(files.evidence, files.name)
    assert page.summary.startswith(REFUSAL)
    assert len(files.page.read_text(encoding="utf-8").splitlines()) <= LONGEST_PAGE
    assert [entry.pair for entry in evidence.measurements] == [pair.id for pair in page.pairs]
    assert stale(evidence, page.pairs) == ()
    assert not any(entry.shows_gain for entry in evidence.measurements)


def test_names_and_old_names_are_taken_once() -> None:
    names = [name for loaded in load_rules() for name in (loaded.name, *loaded.rule.aliases)]
    assert sorted(names) == sorted(set(names))


@pytest.mark.parametrize("case", cases(Kind.BAD), ids=str)
def test_a_sketch_is_a_few_lines_of_python_and_stands_where_no_fix_does(case: Case) -> None:
    for finding in findings(case.example, case.rule.name):
        if finding.sketch:
            assert 3 <= len(finding.sketch.splitlines()) <= 8
            assert ast.parse(finding.sketch).body
            assert finding.fix is None
