"""What people read: the place, the line, the way there, the evidence and the remedy."""

from __future__ import annotations

import time
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs
from tests.outputs.results_of import EVIDENCE, FAILURE, FINDING, NOTE, results

from deepperf.outputs import concise, statistics, text
from deepperf.outputs.paint import COLOUR, PLAIN, harmless
from deepperf.outputs.results import Results, summary
from deepperf.records import Failure, Level, Location, Report
from deepperf.rules.evidence import sentence

HEAD = "train.py:12:10: warning serial-map: 'decode' runs on one core for each element of 'images'"


def test_a_finding_tells_everything_in_few_lines() -> None:
    assert list(text.lines(results(FINDING), PLAIN)) == [
        HEAD,
        "   12 | data = images.map(decode)",
        "      |      ^^^^^^^^^^^^^^^",
        "    at main.py:3:1 the loop calls 'load'",
        f"    measured: {sentence(EVIDENCE)}",
        "    instead: pass num_parallel_calls=tf.data.AUTOTUNE [--fix]",
        "",
        "1 finding in 1 of 2 files; 1 fixable with --fix.",
    ]


def test_findings_below_the_level_are_counted_and_said() -> None:
    assert summary(results(FINDING, NOTE, NOTE)) == (
        "1 finding in 1 of 2 files; 2 hidden notes in tests and examples: "
        "show with --level note; 1 fixable with --fix."
    )
    assert summary(results(NOTE, level=Level.NOTE)) == "1 finding in 1 of 2 files."
    assert summary(results()) == "Nothing found in 1 file."


def test_generated_files_are_counted_by_themselves() -> None:
    whole = Results((Report("ops_pb2.py", left_out=True), Report("train.py")), {})

    assert summary(whole) == "Nothing found in 1 file; 1 generated file left out."


def test_a_note_says_that_it_is_about_a_test() -> None:
    assert "note in a test" in next(iter(text.lines(results(NOTE, level=Level.NOTE), PLAIN)))


def test_what_was_not_checked_comes_first_and_is_counted() -> None:
    shown = list(text.lines(Results((Report("broken.py", (), (), (FAILURE,)),), {}), PLAIN))

    assert shown == [
        "broken.py:3:7: not checked: invalid syntax",
        "Nothing found in 1 file; 1 file not fully checked.",
    ]


def test_a_crash_that_repeats_itself_is_one_line() -> None:
    crashes = [
        Report(
            path, (), (), (Failure(Location(path, 1, 1, 1, 1), "rule x crashed", internal=True),)
        )
        for path in ("a.py", "b.py", "c.py")
    ]

    assert list(text.lines(Results(tuple(crashes), {}), PLAIN)) == [
        "a.py:1:1: internal error: rule x crashed (also in 2 more files)",
        "Nothing found in 3 files; 3 files not fully checked; 3 internal errors.",
    ]


def test_wide_characters_and_tabs_are_underlined_where_they_stand() -> None:
    finding = replace(
        FINDING,
        source_line="\tx = f('語', slow(y))",
        location=Location("a.py", 1, 13, 1, 20),
    )
    rows = list(text.lines(results(finding), PLAIN))

    assert rows[1] == "    1 | x = f('語', slow(y))"
    assert rows[2] == "      |             ^^^^^^^"


def test_a_long_line_is_cut_around_the_place() -> None:
    source = "x = [" + "0, " * 300 + "slow(y), " + "0, " * 300 + "]"
    begin = source.index("slow(y)") + 1
    finding = replace(
        FINDING, source_line=source, location=Location("a.py", 1, begin, 1, begin + 7)
    )
    rows = list(text.lines(results(finding), PLAIN))

    assert len(rows[1]) < 200
    assert rows[1][rows[2].index("^") :].startswith("slow(y)")


def test_colours_are_added_and_nothing_else() -> None:
    import re

    coloured = "\n".join(text.lines(results(FINDING), COLOUR))

    assert "\x1b[" in coloured
    assert re.sub(r"\x1b\[[0-9;]*m", "", coloured) == "\n".join(text.lines(results(FINDING), PLAIN))


def test_text_of_the_user_cannot_steer_the_terminal() -> None:
    nasty = "\x1b]0;gone\x07\r\x9b2J\u202e[bold]\udc80"
    finding = replace(
        FINDING, message=nasty, source_line=nasty, location=Location(f"{nasty}.py", 1, 1, 1, 3)
    )
    for renderer in (text.lines, concise.lines, statistics.lines):
        rows = "\n".join(renderer(results(finding), PLAIN))
        assert not set("\x1b\x07\r\x9b\u202e\udc80") & set(rows)
    assert harmless(nasty) == r"\x1b]0;gone\x07\x0d\x9b2J\u202e[bold]\udc80"


@given(st.text(st.characters(exclude_characters="\t")))
def test_a_line_stays_one_line(content: str) -> None:
    assert len(harmless(content).splitlines()) <= 1
    harmless(content).encode("utf-8")


def test_the_concise_form_is_one_line_per_finding() -> None:
    assert list(concise.lines(results(FINDING), PLAIN)) == [
        HEAD,
        "1 finding in 1 of 2 files; 1 fixable with --fix.",
    ]


def test_statistics_count_findings_files_and_fixes_by_rule() -> None:
    other = replace(FINDING, rule="host-sync", fix=None)
    again = replace(other, location=replace(other.location, path="b.py"))

    assert list(statistics.lines(results(FINDING, other, again), PLAIN))[1:3] == [
        "       2      2        0  host-sync",
        "       1      1        1  serial-map",
    ]


def test_ten_thousand_findings_are_shown_in_a_moment() -> None:
    many = results(*[replace(FINDING, message=str(number)) for number in range(10_000)])
    begin = time.process_time()
    size = sum(map(len, text.lines(many, COLOUR)))

    assert size > 1_000_000
    assert time.process_time() - begin < 3


def test_a_sketch_is_shown_where_it_is_asked_for() -> None:
    sketched = results(replace(FINDING, fix=None, sketch="parts = []\nparts.append(x)\n"))

    assert not any("Sketch" in line for line in text.lines(sketched, PLAIN))
    lines = list(text.lines(structs.replace(sketched, wants_sketches=True), PLAIN))
    begin = lines.index("    Sketch, to be adapted:")
    assert lines[begin + 1 : begin + 3] == ["        parts = []", "        parts.append(x)"]
