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


def planted() -> list[dict[str, str]]:
    with (SAMPLES / "planted.csv").open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream))


def test_each_candidate_has_a_sample() -> None:
    assert [row["candidate"] for row in planted()] == [row.name for row in read_rows("candidates")]


@pytest.mark.parametrize("row", planted(), ids=lambda row: row["candidate"])
def test_a_sample_has_two_sides_and_lines_that_are_there(row: dict[str, str]) -> None:
    bad = (SAMPLES / "programs" / row["file"]).read_text(encoding="utf-8")
    good = SAMPLES / "programs" / row["file"].replace("_bad.py", "_good.py")

    assert 1 <= int(row["line"]) <= int(row["last_line"]) <= len(bad.splitlines())
    assert good.read_text(encoding="utf-8") != bad


def test_results_are_counted_by_what_answers_the_candidate(tmp_path: Path) -> None:
    folder = tmp_path / "evaluation" / "samples"
    folder.mkdir(parents=True)
    (folder / "2026-01-31-first.csv").write_text(RESULTS)

    lines = samples_tables(tmp_path, RULES).splitlines()

    assert lines[0] == "2026-01-31-first, 3 samples."
    assert lines[4:] == [
        "| rule | 2 | 1 | 0 | 1 | 1 |",
        "| signal | 1 | 0 | 1 | 0 | 0 |",
        "| out of scope | 0 | 0 | 0 | 0 | 0 |",
        "| all | 3 | 1 | 1 | 1 | 1 |",
    ]
