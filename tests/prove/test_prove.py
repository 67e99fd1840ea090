"""Programs are tried in a copy, and nothing is left of it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

import deepperf
from deepperf.cli.main import main
from deepperf.prove.copying import copy_project, planned, walked
from deepperf.prove.measuring import Bench, Judged, Trial, race
from deepperf.prove.offer import Machine, Quantity
from deepperf.prove.runs import UNCHANGED, Change, Outcome, Program, Server, run_once, serving
from deepperf.prove.sameness import Expected, expected_of
from deepperf.prove.trial import Answer
from deepperf.prove.workplace import Workplace, workplace

pytest.importorskip("scipy")
SOURCE = Path(deepperf.__file__).parents[1]
SCRIPT = """
import json, sys
total = sum(n * n for n in range(int(sys.argv[1])))
json.dump({"total": total}, open("out.json", "w"))
print("total", total)
"""
WORK = "400000"


def program_in(folder: Path, place: Workplace, text: str = SCRIPT) -> Program:
    root = folder / "project"
    root.mkdir()
    (root / "train.py").write_text(text)
    template = place.folder / "template"
    template.mkdir()
    copy_project(root, planned(walked(root), lambda _: False), template)
    return Program(root, ".", ("train.py", WORK), compared=("out.json",))


@pytest.fixture
def place() -> Iterator[Workplace]:
    with workplace() as made:
        yield made


@pytest.fixture
def server(place: Workplace) -> Iterator[Server]:
    with serving(1, place) as made:
        yield made


def ran(program: Program, place: Workplace, most: float = 60.0) -> Outcome:
    with serving(1, place) as server:
        return run_once(program, place, server, UNCHANGED, most)


def bench_of(program: Program, place: Workplace, server: Server) -> Bench:
    def run(change: Change) -> Outcome:
        return run_once(program, place, server, change, 60.0)

    def pair(one: Change, two: Change) -> tuple[Outcome, Outcome]:
        return run(one), run(two)

    expected = expected_of([run(UNCHANGED), run(UNCHANGED)])
    assert isinstance(expected, Expected)
    until = time.perf_counter() + 100
    return Bench(run, pair, pair, expected, Machine(1), 1, until, lambda _: None)


def judged(bench: Bench, text: bytes) -> Judged:
    return race(bench, [Trial("", Change({"train.py": text}), Quantity.CPU)])[0]


def test_a_run_tells_its_results_and_costs_and_leaves_the_project_alone(
    tmp_path: Path, place: Workplace
) -> None:
    outcome = ran(program_in(tmp_path, place), place)
    assert outcome.status == 0, outcome.errors
    assert outcome.output.startswith("total 2133")
    assert b"total" in (outcome.files["out.json"] or b"")
    assert outcome.cost is not None
    assert outcome.cost.cpu > 0.005
    assert outcome.cost.peak > 1_000_000
    assert [path.name for path in (tmp_path / "project").iterdir()] == ["train.py"]


def test_a_change_that_saves_half_of_the_work_is_faster(
    tmp_path: Path, place: Workplace, server: Server
) -> None:
    text = SCRIPT.replace("total =", "for _ in range(8):\n    total =")
    bench = bench_of(program_in(tmp_path, place, text), place, server)
    found = judged(bench, SCRIPT.encode())
    assert found.answer is Answer.FASTER
    assert found.gain is not None
    assert found.gain.saved > 0.5


def test_a_change_that_changes_a_number_is_not_measured(
    tmp_path: Path, place: Workplace, server: Server
) -> None:
    bench = bench_of(program_in(tmp_path, place), place, server)
    other = SCRIPT.replace("n * n", "n * n + 0.1 * n * n")
    found = judged(bench, other.encode())
    assert found.answer is Answer.CHANGES_RESULTS
    assert found.gain is None


def test_a_change_that_fails_could_not_be_tried(
    tmp_path: Path, place: Workplace, server: Server
) -> None:
    bench = bench_of(program_in(tmp_path, place), place, server)
    found = judged(bench, b"raise ValueError('no')")
    assert found.answer is Answer.NOT_TRIED
    assert "ValueError: no" in found.said


def test_where_a_framework_held_memory_on_accelerators_that_is_the_peak(
    tmp_path: Path, place: Workplace
) -> None:
    held = """
import sys, types
cuda = types.SimpleNamespace(
    is_available=lambda: True, is_initialized=lambda: True, device_count=lambda: 2,
    max_memory_allocated=lambda number: 1000 + number,
)
sys.modules["torch"] = types.SimpleNamespace(cuda=cuda)
"""
    outcome = ran(program_in(tmp_path, place, f"{held}{SCRIPT}"), place)
    assert outcome.accelerated
    assert outcome.cost is not None
    assert outcome.cost.peak == 2001


def test_a_program_that_does_not_end_is_ended(tmp_path: Path, place: Workplace) -> None:
    text = "import time\ntime.sleep(100)\n"
    outcome = ran(program_in(tmp_path, place, text), place, 1.0)
    assert outcome.timed_out


def test_each_run_begins_with_the_files_as_they_were(tmp_path: Path, place: Workplace) -> None:
    text = "import os\nprint(os.path.exists('left'))\nopen('left', 'w')\n"
    program = program_in(tmp_path, place, text)
    outputs = {ran(program, place).output for _ in range(2)}
    assert outputs == {"False\n"}


def test_each_run_has_a_temporary_folder_of_its_own_whatever_was_imported_before(
    tmp_path: Path, place: Workplace, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "asks_early.py").write_text("import tempfile\ntempfile.gettempdir()\n")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join((str(tmp_path), str(SOURCE))))
    text = "import asks_early, tempfile\nprint(tempfile.mkdtemp())\n"
    program = program_in(tmp_path, place, text)
    with serving(1, place, ["asks_early"]) as server:
        outcome = run_once(program, place, server, UNCHANGED, 60.0)
    assert outcome.status == 0, outcome.errors
    assert Path(outcome.output.strip()).is_relative_to(place.folder)


def test_a_write_to_the_users_own_file_stops_the_run(tmp_path: Path, place: Workplace) -> None:
    text = f"open({str(tmp_path / 'project' / 'train.py')!r}, 'a')\n"
    outcome = ran(program_in(tmp_path, place, text), place)
    assert outcome.written_through == str(tmp_path / "project" / "train.py")


WAITS = """
import os, pathlib, subprocess, sys, time
runs = pathlib.Path(sys.argv[1])
number = len(list(runs.iterdir()))
told = runs / str(os.getpid())
told.write_text("")
if number >= int(sys.argv[2]):
    child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
    told.write_text(f"{os.getpid()} {child.pid} ")
    time.sleep(600)
print("loss 0.5")


def evaluate(model, x):
    import torch

    with torch.no_grad():
        return model(x)
"""
WATCHED, PAIRED = 0, 3
"""How many runs are over when the first one waits: then it is watched, or one of a pair."""


def _is_alive(pid: int) -> bool:
    with suppress(OSError):
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
        return state != "Z"
    return False


def _pids(runs: Path) -> list[int]:
    return [int(word) for path in runs.iterdir() for word in path.read_text().split()]


@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
@pytest.mark.parametrize(
    ("number", "runs_before"),
    [(signal.SIGINT, PAIRED), (signal.SIGTERM, WATCHED), (signal.SIGKILL, PAIRED)],
)
def test_nothing_is_left_behind_when_it_is_interrupted(
    tmp_path: Path, number: int, runs_before: int
) -> None:
    root, temporary, runs = (tmp_path / name for name in ("project", "temporary", "runs"))
    for folder in (root, temporary, runs):
        folder.mkdir()
    (root / "train.py").write_text(WAITS)
    report = tmp_path / "proof.json"
    told = ["--format", "json", "--output", str(report)]
    words = ["prove", *told, "--", "python", "train.py", str(runs), str(runs_before)]
    process = subprocess.Popen(
        [sys.executable, "-m", "deepperf", *words],
        cwd=root,
        env={**os.environ, "TMPDIR": str(temporary), "PYTHONPATH": str(SOURCE)},
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    until = time.monotonic() + 60
    while not _pids(runs) and process.poll() is None and time.monotonic() < until:
        time.sleep(0.05)
    process.send_signal(number)
    status = process.wait(60)
    assert status == (-signal.SIGKILL if number == signal.SIGKILL else 130)
    while (list(temporary.iterdir()) or any(map(_is_alive, _pids(runs)))) and (
        time.monotonic() < until
    ):
        time.sleep(0.05)
    assert len([*runs.iterdir()]) > runs_before, "it was interrupted too early"
    assert list(temporary.iterdir()) == []
    assert not any(map(_is_alive, _pids(runs)))
    assert report.exists() == (status == 130 and runs_before == PAIRED)
    if report.exists():
        proof = json.loads(report.read_text())
        assert proof["interrupted"]
        (one,) = proof["candidates"]
        assert one["said"] == "interrupted before it was begun"
        assert "this report is partial" in proof["remarks"][0]
    assert {path.name: path.read_text() for path in root.iterdir()} == {"train.py": WAITS}


def test_what_is_to_be_tried_has_to_exist(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "train.py").write_text(SCRIPT)
    monkeypatch.chdir(tmp_path)

    code = main(["prove", "--only", "kept-history,fused-optimzer", "--", "python", "train.py"])

    assert code == 2
    assert "'fused-optimzer'; did you mean 'fused-optimizer'?" in capsys.readouterr().err
