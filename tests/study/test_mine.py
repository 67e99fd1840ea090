"""Posts are found by their words, wherever they come from, and each one once."""

from __future__ import annotations

import json
import tracemalloc
from collections.abc import Mapping
from pathlib import Path
from xml.sax.saxutils import quoteattr

import pytest

from deepperf.study import mine as mining
from deepperf.study.candidates import Candidate, from_json
from deepperf.study.dataset import StudyError
from deepperf.study.keywords import Keywords, matches, read_keywords
from deepperf.study.mine import Filter, mine

SLOW = Filter(read_keywords(), frozenset({"tensorflow", "keras"}))


def row(number: int, body: str, **other: str) -> str:
    attributes = {
        "Id": str(number),
        "PostTypeId": "1",
        "CreationDate": "2020-03-01T10:00:00.000",
        "Score": "3",
        "AnswerCount": "1",
        "Title": f"Question {number}",
        "Tags": "<python><tensorflow>",
        "Body": body,
    } | other
    return "  <row " + " ".join(f"{k}={quoteattr(v)}" for k, v in attributes.items()) + " />\n"


def dump(path: Path, *rows: str) -> Path:
    head = '<?xml version="1.0" encoding="utf-8"?>\n<posts>\n'
    path.write_text(head + "".join(rows) + "</posts>\n", encoding="utf-8")
    return path


def mined(source: Path, wanted: Filter = SLOW) -> tuple[list[Candidate], Mapping[str, int]]:
    output = source.parent / "found.jsonl"
    counts = mine(source, output, wanted, lambda *_: None)
    lines = output.read_text(encoding="ascii").splitlines()
    return [from_json(line) for line in lines], counts


def test_a_question_that_speaks_of_speed_is_a_candidate(tmp_path: Path) -> None:
    body = "<p>Training runs slowly.</p><pre><code>model.fit(x)\n</code></pre>"
    found, counts = mined(dump(tmp_path / "Posts.xml", row(7, body)))

    assert [candidate.post.id for candidate in found] == ["7"]
    assert found[0].keywords == ("slowli",)
    assert found[0].framework == "tensorflow"
    assert found[0].post.code == ("model.fit(x)\n",)
    assert "model.fit" not in found[0].post.text
    assert counts["found"] == 1


def test_answers_other_tags_and_other_subjects_are_left_out(tmp_path: Path) -> None:
    path = dump(
        tmp_path / "Posts.xml",
        row(1, "<p>It is slower</p>", PostTypeId="2"),
        row(2, "<p>It is slower</p>", Tags="<java>"),
        row(3, "<p>What shape is this?</p>"),
    )
    found, counts = mined(path)
    assert found == []
    assert counts["unwanted"] == 3


def test_tags_with_versions_and_newer_dumps_bars_count(tmp_path: Path) -> None:
    path = dump(
        tmp_path / "Posts.xml",
        row(1, "<p>slower</p>", Tags="<tensorflow2.0>"),
        row(2, "<p>slower by far</p>", Tags="|python|keras|"),
        row(3, "<p>slower still</p>", Tags="<kerasify>"),
    )
    assert [c.post.id for c in mined(path)[0]] == ["1", "2"]


def test_score_and_answers_can_be_asked_for(tmp_path: Path) -> None:
    path = dump(
        tmp_path / "Posts.xml",
        row(1, "<p>slower</p>", Score="0"),
        row(2, "<p>slower then</p>", AnswerCount="0"),
        row(3, "<p>slower now</p>"),
    )
    wanted = Filter(read_keywords(), SLOW.tags, least_score=1, least_answers=1)
    assert [c.post.id for c in mined(path, wanted)[0]] == ["3"]


def test_malformed_rows_are_counted_and_skipped(tmp_path: Path) -> None:
    path = dump(
        tmp_path / "Posts.xml",
        '  <row Id="1" PostTypeId="1" Tags="&lt;keras&gt;" Title="half\n',
        "not a row\n",
        row(2, "<p>slower</p>", Score="many"),
        row(3, "<p>slower</p>"),
    )
    found, counts = mined(path)
    assert [c.post.id for c in found] == ["3"]
    assert counts["malformed"] == 3


def test_the_same_post_is_found_once(tmp_path: Path) -> None:
    path = dump(
        tmp_path / "Posts.xml",
        row(1, "<p>It is  slower</p>", Title="Why"),
        row(2, "<p>it is slower</p>", Title="why"),
    )
    found, counts = mined(path)
    assert [c.post.id for c in found] == ["1"]
    assert counts["duplicate"] == 1


def test_issues_and_tables_are_sources_too(tmp_path: Path) -> None:
    folder = tmp_path / "issues"
    folder.mkdir()
    issue = {
        "number": 5,
        "title": "DataLoader is slower with workers",
        "body": "See\n```python\nfor x in loader: pass\n```\nwith PyTorch",
        "labels": [{"name": "performance"}],
        "created_at": "2021-02-03T00:00:00Z",
        "comments": 2,
        "html_url": "https://example.org/issues/5",
    }
    lines = [json.dumps(issue), "{broken", json.dumps({"title": "no number"})]
    (folder / "a.jsonl").write_text("\n".join(lines), encoding="utf-8")
    table = 'id,title,body\n9,Memory leak in Keras,"many\nlines"\n'
    (folder / "b.csv").write_text(table, encoding="utf-8")

    output = tmp_path / "found.jsonl"
    counts = mine(folder, output, Filter(read_keywords()), lambda *_: None)

    found = [from_json(line) for line in output.read_text("ascii").splitlines()]
    assert [(c.post.source, c.framework) for c in found] == [
        ("github", "pytorch"),
        ("csv", "keras"),
    ]
    assert found[0].post.code == ("for x in loader: pass\n",)
    assert counts["malformed"] == 2


def test_a_run_that_was_broken_off_is_taken_up_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = dump(tmp_path / "Posts.xml", *(row(n, f"<p>slower {n}</p>") for n in range(50)))
    whole, counts = mined(path)
    (tmp_path / "found.jsonl").unlink()
    (tmp_path / "found.jsonl.state").unlink()
    monkeypatch.setattr(mining, "SAVE_EVERY", 2000)
    steps = 0

    def broken(done: int, _: Mapping[str, int]) -> None:
        nonlocal steps
        steps += 1
        if steps == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        mine(path, tmp_path / "found.jsonl", SLOW, broken)
    # What is written behind the last note is written again.
    with (tmp_path / "found.jsonl").open("a") as stream:
        stream.write('{"half')

    again, resumed = mined(path)
    assert again == whole
    assert resumed == counts


def test_a_note_of_another_run_is_not_taken_up(tmp_path: Path) -> None:
    path = dump(tmp_path / "Posts.xml", row(1, "<p>slower</p>"))
    mined(path)
    with pytest.raises(StudyError, match="other settings"):
        mined(path, Filter(read_keywords(), frozenset({"keras"})))


def test_memory_does_not_grow_with_the_dump(tmp_path: Path) -> None:
    def peak(rows: int) -> int:
        folder = tmp_path / str(rows)
        folder.mkdir()
        # All the same: what is found is remembered, what is read is not.
        path = dump(folder / "Posts.xml", *([row(1, "<p>slower " + "x" * 500 + "</p>")] * rows))
        tracemalloc.start()
        mined(path)
        top = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return top

    peak(10)
    assert peak(3000) < peak(300) + 100_000


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("It takes longer each time", ("take longer",)),
        ("GPU utilization is low", ("gpu util",)),
        ("My program hangs", ("hangs",)),
        ("memory leaks everywhere", ("memori leak",)),
        ("slow and steady", ()),
    ],
)
def test_words_count_by_their_stems(text: str, found: tuple[str, ...]) -> None:
    assert matches(text, read_keywords()) == found


def test_keywords_of_ones_own(tmp_path: Path) -> None:
    path = tmp_path / "words.txt"
    path.write_text("# of mine\nrecompil\ngraph break\n", encoding="utf-8")
    assert read_keywords(path) == Keywords(frozenset({"recompil"}), frozenset({("graph", "break")}))
    path.write_text("far too many\n", encoding="utf-8")
    with pytest.raises(StudyError, match=r"words\.txt:1"):
        read_keywords(path)
