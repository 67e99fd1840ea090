"""Fixes and comments, on programs that nobody wrote: what they do, and that they do no more."""

from __future__ import annotations

import ast
import codecs
import functools
import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.check.small_rules import loaded
from tests.properties.curious import CURIOUS, _rule
from tests.properties.specimens import CLEAN, MORE, damaged, programs, tried

from deepperf.check.engine import Engine, installed_rules
from deepperf.check.mend import Mended, mend_tree, write_mended
from deepperf.check.paths import check_tree, starts
from deepperf.check.run import check_file
from deepperf.check.select import Selection, select_rules
from deepperf.check.sources import FileSources
from deepperf.config.options import Options
from deepperf.fixes.apply import fix_text
from deepperf.records import Edit, Finding, Fix, Level, Report, Safety
from deepperf.rules.rule import on_call, on_loop
from deepperf.semantics.files.project import Project
from deepperf.semantics.text.source import Source, role_of
from deepperf.semantics.view import Call, Loop

ALL = Options(preview=True, level=Level.NOTE, cache=False, jobs=1)

renaming, breaking, turning = _rule("renaming"), _rule("breaking"), _rule("turning")


@on_call()
def rename(call: Call) -> Iterator[Finding]:
    """Every call of `range` becomes one of `span`."""
    if call.source.startswith("range("):
        start, _ = call.span
        fix = Fix("Call span", (Edit(start, start + 5, "span"),), Safety.SAFE)
        yield renaming.finding(call, "a range", "call span", fix=fix)


@on_call()
def break_it(call: Call) -> Iterator[Finding]:
    """A fix that cannot be made, for it leaves no Python."""
    if call.source.startswith("print("):
        fix = Fix("Break", (Edit(call.span[0], call.span[0] + 5, "def"),), Safety.SAFE)
        yield breaking.finding(call, "a print", "break it", fix=fix)


@on_loop
def turn(loop: Loop) -> Iterator[Finding]:
    """A fix that removes nothing, and offers itself again."""
    start, _ = loop.span
    if not loop.is_comprehension:
        fix = Fix("Turn", (Edit(start, start, " "), Edit(start, start + 1, "")), Safety.SAFE)
        yield turning.finding(loop, "a loop", "turn it", fix=fix)


HOSTILE = (loaded(renaming, rename), loaded(breaking, break_it), loaded(turning, turn))


def hostile(options: Options) -> Selection:
    """The installed rules, and some whose fixes are good, wrong and endless."""
    return select_rules((*installed_rules(options).rules, *HOSTILE), options, lambda _: False)


SELECTION = hostile(ALL)


def report_on(text: str, selection: Selection = SELECTION) -> Report:
    source = Source("train.py", text, role_of("train.py"))
    return check_file(Project({"train.py": source}), "train.py", selection).report


def parses(text: str) -> bool:
    try:
        ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True


@tried(10)
@given(damaged(CLEAN, most=2, least=0), st.sampled_from(Safety))
def test_fixes_parse_and_converge(text: str, safety: Safety) -> None:
    def check(now: str) -> tuple[Finding, ...]:
        return report_on(now).findings

    fixed = fix_text(text, check, safety)
    again = fix_text(fixed.text, check, safety)

    assert parses(fixed.text) or not parses(text)
    assert again.text == fixed.text
    assert "renaming" not in {f.rule for f in check(fixed.text)} or not parses(text)


@tried(30)
@given(damaged(CLEAN, most=2, least=0))
def test_a_fix_removes_its_finding(text: str) -> None:
    before = report_on(text, installed_rules(ALL)).findings
    for finding in before:
        if finding.fix is None or not parses(text):
            continue

        def only(now: str, wanted: Finding = finding) -> tuple[Finding, ...]:
            findings = report_on(now, installed_rules(ALL)).findings
            return tuple(f for f in findings if f.rule == wanted.rule)

        fixed = fix_text(text, only, Safety.UNSAFE)
        stuck = {(f.rule, f.message, f.source_line) for f in fixed.dropped}

        for left in only(fixed.text):
            assert left.fix is None or (left.rule, left.message, left.source_line) in stuck


def silencing(text: str, finding: Finding) -> str | None:
    """The text with a comment behind the finding's first line; None where none can stand."""
    lines = text.split("\n")
    row = lines[finding.location.line - 1]
    lines[finding.location.line - 1] = f"{row}  # deepperf: ignore[{finding.rule}]"
    after = "\n".join(lines)
    if not parses(after) or ast.dump(ast.parse(after)) != ast.dump(ast.parse(text)):
        return None  # within a string, or behind a backslash
    return after


@tried(8)
@given(damaged(CLEAN, most=1, least=0), st.data())
def test_a_comment_silences_what_it_names_on_its_statement(text: str, data: st.DataObject) -> None:
    selection = select_rules((*installed_rules(ALL).rules, *CURIOUS), ALL, lambda _: False)
    before = report_on(text, selection)
    if not (parses(text) and before.findings) or "deepperf:" in text or "\r" in text:
        return
    finding = data.draw(st.sampled_from(before.findings))
    after = silencing(text, finding)
    if after is None:
        return

    report = report_on(after, selection)

    def places(findings: tuple[Finding, ...]) -> set[tuple[int, int, str]]:
        return {(f.location.line, f.location.column, f.rule) for f in findings}

    mark = (finding.location.line, finding.location.column, finding.rule)
    assert mark in places(report.suppressed)
    assert places(report.findings) | places(report.suppressed) == places(before.findings)
    assert {f.rule for f in report.suppressed} == {finding.rule}


WAYS = {
    "CRLF": lambda text: text.replace("\n", "\r\n").encode(),
    "tabs": lambda text: text.replace("    ", "\t").encode(),
    "a byte order mark": lambda text: codecs.BOM_UTF8 + text.encode(),
    "Latin-1": lambda text: ("# -*- coding: latin-1 -*-\n# é\n" + text).encode("latin-1"),
    "undeclared Latin-1": lambda text: b"# \xe9\n" + text.encode(),
    "UTF-16": lambda text: codecs.BOM_UTF16_LE + text.encode("utf-16-le"),
    "no last newline": lambda text: text.rstrip("\n").encode(),
    "form feeds": lambda text: text.replace("\n\n", "\n\f\n").encode(),
}


@functools.cache
def ranging() -> tuple[str, ...]:
    """Some programs with loops over a range."""
    loop = re.compile(r"^ *for \w+ in range\(", re.MULTILINE)
    found = (text for text in programs() if text.isascii() and loop.search(text) and parses(text))
    return tuple(islice(found, 6 * MORE))


@pytest.mark.parametrize("way", WAYS)
def test_fixing_keeps_how_a_file_is_written(way: str) -> None:
    with TemporaryDirectory() as name:
        folder = Path(name).resolve()
        (folder / "pyproject.toml").touch()
        before = {f"m{i}.py": WAYS[way](text) for i, text in enumerate(ranging())}
        for path, data in before.items():
            (folder / path).write_bytes(data)
        engine = Engine(lambda options: select_rules(HOSTILE[:1], options, lambda _: False))
        (start,) = starts([folder], lambda _: replace(ALL, level=Level.NOTE))
        tree = check_tree(start, engine)
        sources = FileSources(str(folder), tuple(before))
        for mended in mend_tree(start, tree, sources, Safety.SAFE, engine):
            assert isinstance(mended, Mended)
            assert write_mended(str(folder), mended) is None

        encoding = "utf-16-le" if way == "UTF-16" else "ascii"
        new, old = "span(".encode(encoding), "range(".encode(encoding)
        assert before
        for path, data in before.items():
            after = (folder / path).read_bytes()
            assert after != data
            assert after.replace(new, old) == data
