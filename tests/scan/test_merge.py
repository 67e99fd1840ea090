import json
from dataclasses import replace
from pathlib import Path

import pytest
from tests.scan.builders import hit, result, run

from deepperf.scan.corpus import CorpusError
from deepperf.scan.merge import merge, read_run, write_run
from deepperf.scan.task import Scanned, Trouble


def test_what_is_written_is_read_again(tmp_path: Path) -> None:
    trouble = Trouble("trees", "2.0", "bad.py", 3, "not Python", internal=False)
    steps = ("loop.py:1: the loop here", "train.py:3: calls this")
    one = hit(text='print("\u2028ä")')
    whole = merge(
        [
            result([one, hit(line=7, occurrence=2)]),
            Scanned("trees", "2.0", 4, 100, 1.25, (), (trouble,)),
            result([replace(hit(package="ferns"), steps=steps)], "ferns"),
        ]
    )
    path = tmp_path / "hits.jsonl"

    write_run(whole, path)

    assert read_run(path) == whole


def test_the_order_in_which_tasks_end_does_not_show() -> None:
    first, second = result(package="ferns"), result(package="trees")

    assert merge([first, second]) == merge([second, first])


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
    path = tmp_path / "hits.jsonl"
    write_run(run(), path)
    path.write_text(path.read_text() + line + "\n")

    with pytest.raises(CorpusError) as caught:
        read_run(path)

    assert complaint in str(caught.value)


def test_a_later_format_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "hits.jsonl"
    path.write_text(json.dumps({"record": "scan", "format": 99}))

    with pytest.raises(CorpusError, match="format 99"):
        read_run(path)
