import json
from pathlib import Path

from benchmarks.cutouts import main

BAD = "def total(n):\n    return sum(i % 7 for i in range(n))\n"
GOOD = "def total(n):\n    return n // 7 * 21\n"
WORKLOAD = "def work():\n    return total(70_000)\n"


def cutout(root: Path, name: str, good: str) -> None:
    folder = root / name
    folder.mkdir()
    for file, text in (("bad.py", BAD), ("good.py", good), ("workload.py", WORKLOAD)):
        (folder / file).write_text(text, encoding="utf-8")


def test_a_gain_is_told_and_a_side_with_another_result_is_named(tmp_path: Path) -> None:
    output = tmp_path / "gains.json"
    cutout(tmp_path, "some-rule--someone__project--12", GOOD)
    cutout(tmp_path, "some-rule--someone__project--40", GOOD.replace("21", "22"))

    status = main([str(tmp_path), "--output", str(output), "--pairs", "2"])

    first, second = json.loads(output.read_text(encoding="utf-8"))["cutouts"]
    assert (first["rule"], first["line"], first["results_equal"]) == ("some-rule", "12", True)
    assert len(first["bad"]) == 2
    assert first["comparison"]["ratio"] > 10
    assert "different results" in second["reason"]
    assert status == 1
