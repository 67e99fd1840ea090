"""A report in experiment trackers, each with its own library and without a network."""

from __future__ import annotations

import importlib.util
import os
import re
import sqlite3
import struct
import subprocess
import sys
from pathlib import Path

import pytest
from tests.dynamic.made import diagnosis, script, trace_of

from deepperf.cli.main import main
from deepperf.dynamic.diagnosis import Weight
from deepperf.dynamic.recorded import Recording, Told, write_recording
from deepperf.dynamic.report import report_on
from deepperf.dynamic.wishes import Wishes
from deepperf.records import Level
from deepperf.surfaces.trackers import metrics, trackers

PAGE = Path(__file__).parents[2] / "docs" / "trackers.md"
EXPECTED = {
    "deepperf/lost_share": 0.5,
    "deepperf/time/per-slice-op": 0.4,
    "deepperf/time/eager-ops": 0.1,
    "deepperf/memory/kept-results": 0.25,
}
LIBRARIES = ("mlflow", "tensorboardX", "trackio", "wandb")
ALL = all(importlib.util.find_spec(name) is not None for name in LIBRARIES)


def recording(folder: Path) -> Recording:
    path = script(folder)
    found = (
        diagnosis(path, share=0.3),
        diagnosis(path, line=21, share=0.1),
        diagnosis(path, line=21, share=0.1, rule=""),
        diagnosis(path, share=0.25, rule="kept-results", weight=Weight.MEMORY),
        diagnosis(path, share=0.001, rule="growing-array"),
    )
    told = Told(found, (), (), (), Level.WARNING, ())
    return Recording((trace_of(path),), told)


def events_in(folder: Path) -> bytes:
    (path,) = folder.glob("events.*")
    return path.read_bytes()


@pytest.fixture(scope="module")
def sent(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder in which the commands of the page were run, one after the other."""
    if not ALL:
        pytest.skip("a tracker is not installed")
    folder = tmp_path_factory.mktemp("trackers")
    write_recording(recording(folder), folder / "run.dperf")
    (folder / "train.py").write_text("print(sum(range(1_000_000)))\n", encoding="utf-8")
    text = PAGE.read_text(encoding="utf-8")
    commands = [line.split() for line in re.findall(r"^\$ (deepperf .*)$", text, re.MULTILINE)]
    assert {to.partition("=")[0] for *_, to in commands[:4]} == set(trackers())
    # tensorboardX would import torch, which takes longer than all else.
    code = f"""import sys; sys.modules["torch"] = None
from deepperf.cli.main import main
for _, *words in {commands}: assert not main(words)"""
    environment = {
        **os.environ,
        "WANDB_MODE": "offline",
        "WANDB_DATA_DIR": str(folder / "staged"),
        "MLFLOW_TRACKING_URI": "file:mlruns",
        "MLFLOW_ALLOW_FILE_STORE": "true",
        "TRACKIO_DIR": str(folder / "trackio"),
    }
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert "deepperf: the report is in tensorboard: folder runs/vision\n" in done.stderr
    assert "Trackio" not in done.stdout
    return folder


def test_tensorboard_has_scalars_and_a_text(sent: Path) -> None:
    events = events_in(sent / "runs/vision")
    for name, value in EXPECTED.items():
        assert re.search(re.escape(name.encode()) + b"." + struct.pack("<f", value), events)
    assert b"    deepperf: python3 train.py" in events


def test_mlflow_has_metrics_and_the_report(sent: Path) -> None:
    (run,) = (one.parent for one in (sent / "mlruns/0").glob("*/metrics"))
    found = {
        path.relative_to(run / "metrics").as_posix(): pytest.approx(
            float(path.read_text().split()[1])
        )
        for path in (run / "metrics").rglob("*")
        if path.is_file()
    }
    assert found == EXPECTED
    assert {path.name for path in (run / "artifacts/deepperf").iterdir()} >= {
        "deepperf-report.json"
    }


def test_trackio_has_metrics_and_the_report(sent: Path) -> None:
    with sqlite3.connect(sent / "trackio" / "vision.db") as base:
        ((logged,),) = base.execute("SELECT metrics FROM metrics")
        ((name, kind),) = base.execute("SELECT name, type FROM artifacts")
    assert b'"deepperf/lost_share":0.5' in logged
    assert (name, kind) == ("deepperf-report", "report")


def test_weights_and_biases_keeps_metrics_and_the_report_for_later(sent: Path) -> None:
    (path,) = (sent / "wandb").glob("offline-run-*/*.wandb")
    kept = path.read_bytes()
    assert re.search(rb"deepperf/lost_share.{1,6}0\.5", kept, re.DOTALL)
    assert b"deepperf-report.json" in kept


def test_a_watched_program_is_told_where_its_report_went(sent: Path) -> None:
    assert (sent / "report.txt").read_text().startswith("deepperf: python train.py")
    assert b"deepperf/lost_share" in events_in(sent / "runs/watched")


def test_notes_are_not_counted(tmp_path: Path) -> None:
    assert metrics(report_on(recording(tmp_path), Wishes())) == pytest.approx(EXPECTED)
    nothing = Recording((trace_of(script(tmp_path)),), None)
    assert metrics(report_on(nothing, Wishes())) == {"deepperf/lost_share": 0.0}


@pytest.mark.parametrize("verb", [["report", "run.dperf"], ["run", "train.py"]])
def test_what_is_no_tracker_is_said_before_anything_is_done(
    verb: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([verb[0], "--to", "comet", verb[1]]) == 2
    said = capsys.readouterr().err
    assert said == (
        "deepperf: there is no tracker 'comet'; known are mlflow, tensorboard, trackio, wandb\n"
    )


def test_what_a_tracker_refuses_is_said_after_the_report(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("tensorboardX")
    write_recording(recording(tmp_path), tmp_path / "run.dperf")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(sys.modules, "torch", None)
    assert main(["report", "run.dperf", "--to", "tensorboard=train.py"]) == 2
    out, err = capsys.readouterr()
    assert "per-slice-op" in out
    assert err.startswith("deepperf: tensorboard: ")
    assert err.count("\n") == 1
