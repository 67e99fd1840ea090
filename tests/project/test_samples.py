import csv
from pathlib import Path

import pytest
from tests.project.test_catalogue import RULES

from deepperf.dev.catalogue import read_rows
from deepperf.dev.samples import samples_tables

SAMPLES = Path(__file__).parents[2] / "evaluation" / "samples"
RESULTS = """\
rank,candidate,weight,told,rules,elsewhere,mended
1,hf-padding-max-length,heavy,warning,padding-to-maximum:warning,,
2,jax-jit-fresh-callable,heavy,no,,,eager-loop:note
11,keras-model-built-in-loop-no-clear,medium,note,model-per-turn:note,,
"""


def planted(folder: str) -> list[dict[str, str]]:
    with (SAMPLES / folder / "planted.csv").open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream))


def test_each_candidate_has_a_sample() -> None:
    named = [row["candidate"] for row in planted("first")]

    assert named == [row.name for row in read_rows("candidates")]
    assert {row["candidate"] for row in planted("second")} <= {*named}


@pytest.mark.parametrize("folder", ["first", "second"])
def test_a_sample_has_two_sides_and_lines_that_are_there(folder: str) -> None:
    for row in planted(folder):
        bad = (SAMPLES / folder / "programs" / row["file"]).read_text(encoding="utf-8")
        good = SAMPLES / folder / "programs" / row["file"].replace("_bad.py", "_good.py")
        lines = len(bad.splitlines())

        assert 1 <= int(row["line"]) <= int(row["last_line"]) <= lines
        assert all(1 <= int(line) <= lines for line in row.get("also", "").split())
        assert good.read_text(encoding="utf-8") != bad


def test_results_are_counted_by_what_answers_the_candidate(tmp_path: Path) -> None:
    (tmp_path / "2026-01-31-first.csv").write_text(RESULTS)

    lines = samples_tables(tmp_path, RULES).splitlines()

    assert lines[0] == "2026-01-31-first, 3 samples."
    assert lines[4:] == [
        "| rule | 2 | 1 | 0 | 1 | 1 |",
        "| signal | 1 | 0 | 1 | 0 | 0 |",
        "| out of scope | 0 | 0 | 0 | 0 | 0 |",
        "| all | 3 | 1 | 1 | 1 | 1 |",
    ]
