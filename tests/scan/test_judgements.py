from collections.abc import Sequence
from pathlib import Path

import pytest
from tests.scan.builders import hit

from deepperf.scan.corpus import CorpusError
from deepperf.scan.judgements import Verdict, load_judgements, precision, questions
from deepperf.scan.package import Hit


def judged(path: Path, hits: Sequence[Hit], verdict: str, why: str = "the map decodes") -> Path:
    text = questions(hits).replace('verdict = ""', f'verdict = "{verdict}"')
    path.write_text(text.replace('why = ""', f'why = "{why}"'), encoding="utf-8")
    return path


def test_a_judgement_file_waits_for_verdicts_and_is_read_once_they_are_given(
    tmp_path: Path,
) -> None:
    asked = hit(text='x = "é\\n"\t# \x7f')
    path = tmp_path / "2026-01-01.toml"
    path.write_text(questions([asked]), encoding="utf-8")
    assert load_judgements([path]) == ()

    (judgement,) = load_judgements([judged(path, [asked], "true")])

    assert (judgement.text, judgement.line) == (asked.text, asked.line)
    assert judgement.verdict is Verdict.TRUE


def test_the_later_file_holds(tmp_path: Path) -> None:
    early = judged(tmp_path / "2026-01-01.toml", [hit()], "true")
    late = judged(tmp_path / "2026-02-01.toml", [hit()], "false")

    (judgement,) = load_judgements([late, early])

    assert judgement.verdict is Verdict.FALSE


@pytest.mark.parametrize(
    ("verdict", "why", "complaint"),
    [
        ("maybe", "x", "hit 1: 'verdict' is 'maybe', not true, arguable or false"),
        ("true", " ", "hit 1: 'why' is empty"),
    ],
)
def test_a_judgement_that_is_not_right_is_named(
    tmp_path: Path, verdict: str, why: str, complaint: str
) -> None:
    path = judged(tmp_path / "2026-01-01.toml", [hit()], verdict, why)

    with pytest.raises(CorpusError) as caught:
        load_judgements([path])

    assert complaint in str(caught.value)


def test_precision_counts_verdicts_per_rule(tmp_path: Path) -> None:
    hits = [hit(line=line) for line in range(1, 11)]
    files = [
        judged(tmp_path / "a.toml", hits[:8], "true"),
        judged(tmp_path / "b.toml", hits[8:9], "arguable"),
        judged(tmp_path / "c.toml", hits[9:], "false"),
    ]

    (row,) = precision(load_judgements(files), None)

    assert (row.rule, row.true, row.arguable, row.false, row.judged) == ("serial-map", 8, 1, 1, 10)
    assert row.share_true == 0.8


def test_a_mended_rule_is_measured_by_the_hits_it_still_reports(tmp_path: Path) -> None:
    right, wrong, lost = (hit(line=line) for line in (1, 2, 3))
    files = [
        judged(tmp_path / "a.toml", [right, lost], "true"),
        judged(tmp_path / "b.toml", [wrong], "false"),
    ]
    unread = hit(line=4)

    (row,) = precision(load_judgements(files), [right, unread])

    assert (row.hits, row.judged, row.share_true) == (2, 1, 1.0)
    assert (row.mended, row.missed) == (1, 1)


def test_a_rule_without_judgements_has_no_share(tmp_path: Path) -> None:
    (row,) = precision([], [hit()])

    assert (row.hits, row.judged, row.share_true) == (1, 0, None)
