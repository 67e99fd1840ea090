import json
from dataclasses import asdict
from pathlib import Path

import pytest
from tests.scan.builders import hit, scan_of

from deepperf.scan.convert import read_lines
from deepperf.scan.corpus import CorpusError
from deepperf.scan.hits import hits_of
from deepperf.scan.store import journal, keep, seal

HEAD = {"record": "scan", "format": 1}
PACKAGE = {
    "record": "package", "package": "flowers", "version": "1.0", "files": 4, "lines": 100,
    "seconds": 1.25,
}  # fmt: skip
TROUBLE = {
    "record": "trouble", "package": "flowers", "version": "1.0", "path": "bad.py", "line": 3,
    "message": "not Python", "internal": False,
}  # fmt: skip


def written(path: Path, *rows: object) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def test_a_run_of_an_earlier_deepperf_is_taken_in(tmp_path: Path) -> None:
    steps = ["loop.py:1: the loop here", "train.py:3: calls this"]
    found = {"record": "hit", **asdict(hit(text='print("\u2028ä")')), "steps": steps}
    for later in ("framework", "estimate", "fingerprint", "fix"):
        del found[later]

    results = read_lines(written(tmp_path / "hits.jsonl", HEAD, PACKAGE, TROUBLE, found))

    (one,) = results
    assert (one.key, one.tree.files, one.tree.lines) == (("flowers", "1.0"), 4, 100)
    assert one.spent.seconds == 1.25
    assert one.troubles[0].message == "not Python"
    with journal(tmp_path / "store", scan_of("old")) as rows:
        keep(rows, one)
    seal(tmp_path / "store", scan_of("old"))
    assert hits_of(tmp_path / "store", "old") == one.hits
    assert one.hits[0].steps == tuple(steps)


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ("{", "hits.jsonl:2: not JSON"),
        ("[]", "hits.jsonl:2: not a record of a scan"),
        ('{"record": "poem"}', "hits.jsonl:2: unknown record 'poem'"),
        ('{"record": "hit", "package": "flowers"}', "hits.jsonl:2: not a record of a scan"),
    ],
)
def test_a_line_that_is_not_right_is_named(tmp_path: Path, line: str, complaint: str) -> None:
    path = written(tmp_path / "hits.jsonl", HEAD)
    path.write_text(path.read_text() + line + "\n")

    with pytest.raises(CorpusError) as caught:
        read_lines(path)

    assert complaint in str(caught.value)


def test_a_later_format_is_refused(tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match="format 99"):
        read_lines(written(tmp_path / "hits.jsonl", {"record": "scan", "format": 99}))
