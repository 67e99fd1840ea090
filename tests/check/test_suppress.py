"""Comments silence findings, and those that do nothing are said."""

from __future__ import annotations

import pytest
from tests.check.small_rules import ODD, SLOW, selection
from tests.check.test_run import report_on

from deepperf.check.suppress import find_markers
from deepperf.config.options import Options
from deepperf.fixes.apply import apply_edits
from deepperf.records import Report


def silenced(text: str) -> list[int]:
    return [finding.location.line for finding in report_on(text, SLOW, ODD).suppressed]


def complaints(report: Report) -> list[str]:
    return [f.message for f in report.findings if f.rule == "unused-suppression"]


@pytest.mark.parametrize(
    "text",
    [
        "slow(1)  # deepperf: ignore[slow-call]\n",
        "slow(1)  # deepperf: ignore\n",
        "slow(1)  # noqa  # deepperf: ignore[slow-call]\n",
        "slow(1)  #deepperf:ignore[ odd-call , slow-call ]\nodd(1)\n",
        "slow(1)  # deepperf: ignore[sluggish-call]\n",
        "slow(1)  # deepperf: Ignore[SLOW_CALL]\n",
        "slow(1)  # deepperf: ignore[loops]\n",
        "slow(1)  # deepperf: ignore[inefficient-api-use]\n",
        "slow(1)  # deepperf: ignore[all]\n",
        "# deepperf: ignore-file[slow-call]\nslow(1)\n",
        "# deepperf: ignore-file\nslow(1)\n",
        "x = (1,\n  slow(1),\n  2)  # deepperf: ignore[slow-call]\n",
        "x = (  # deepperf: ignore[slow-call]\n  slow(1))\n",
        "for x in slow(1):  # deepperf: ignore[slow-call]\n    pass\n",
        "slow(1)  # deepperf: ignore[slow-call]\r\n",
        "x = = 2\nslow(1)  # deepperf: ignore[slow-call]\n",
    ],
)
def test_a_comment_on_the_statement_silences_it(text: str) -> None:
    assert len(silenced(text)) == 1


@pytest.mark.parametrize(
    "text",
    [
        "slow(1)  # deepperf: ignore[odd-call]\n",
        "slow(1)\nx = 1  # deepperf: ignore[slow-call]\n",
        "slow('# deepperf: ignore[slow-call]')\n",
        "for x in y:  # deepperf: ignore[slow-call]\n    slow(1)\n",
        "slow(1)  # deepperf: ignore[]\n",
        "slow(1)  # deepperf: ignore(odd-call)\n",
        "slow(1)  # deepperf: ignore=odd-call\n",
        "slow(1)  # deepperf: ignore[odd-call\n",
        "slow(1)  # deepperf: ignore[model]\n",
    ],
)
def test_other_comments_silence_nothing(text: str) -> None:
    assert silenced(text) == []


def test_an_idle_comment_is_noted_and_its_fix_removes_it() -> None:
    text = "x = 1  # deepperf: ignore[slow-call]\nslow(1)\n"
    report = report_on(text, SLOW)

    assert complaints(report) == ["'slow-call' finds nothing to silence here"]
    fix = report.findings[0].fix
    assert fix is not None
    assert apply_edits(text, fix.edits) == "x = 1\nslow(1)\n"


def test_only_the_idle_name_of_several_is_removed() -> None:
    text = "slow(1)  # deepperf: ignore[slow-call, odd-call]\n"
    (finding,) = report_on(text, SLOW, ODD).findings

    assert finding.fix is not None
    assert apply_edits(text, finding.fix.edits) == "slow(1)  # deepperf: ignore[slow-call]\n"


def test_a_line_that_holds_nothing_else_goes_whole() -> None:
    text = "x = 1\n    # deepperf: ignore-file[slow-call]\ny = 2\n"
    (finding,) = report_on(text, SLOW).findings

    assert finding.fix is not None
    assert apply_edits(text, finding.fix.edits) == "x = 1\ny = 2\n"


def test_an_unknown_name_is_answered_with_what_is_near() -> None:
    assert complaints(report_on("x = 1  # deepperf: ignore[slow-cal]\n", SLOW)) == [
        "no rule, topic or cause is called 'slow-cal'; did you mean 'slow-call'?"
    ]


def test_a_word_that_is_not_understood_is_said() -> None:
    assert "is not understood" in complaints(report_on("x = 1  # deepperf: ignroe\n", SLOW))[0]


def test_a_list_in_wrong_brackets_is_said_with_its_word() -> None:
    (said,) = complaints(report_on("x = 1  # deepperf: ignore(slow-call)  # noqa\n", SLOW))
    assert said == "the comment '# deepperf: ignore(slow-call)' is not understood"


def test_a_rule_that_did_not_run_leaves_its_comments_in_peace() -> None:
    text = "x = 1  # deepperf: ignore[odd-call]\ny = 2  # deepperf: ignore\n"
    from deepperf.check.suppress import suppress

    chosen = selection(SLOW, ODD, options=Options(select=("slow-call",)))

    assert suppress(text, "x.py", (), chosen).findings == ()


def test_comments_are_found_behind_code_that_python_cannot_read() -> None:
    text = "x = '''\nslow(1)  # deepperf: ignore[slow-call]\n"

    assert [marker.line for marker in find_markers(text)] == [2]
