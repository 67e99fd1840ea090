"""A copy has what the project has; what is large is linked, and nothing writes through a link."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import deepperf
from deepperf.config.options import WrongUse
from deepperf.prove import copying
from deepperf.prove.copying import Seen, Way, copy_project, marks_of, planned, walked
from deepperf.prove.guard import STOPPED

SOURCE = Path(deepperf.__file__).parents[1]


def nothing(_: str) -> bool:
    return False


def project(folder: Path) -> Path:
    root = folder / "project"
    for name in (".git", "data", "package/__pycache__", ".venv/bin"):
        (root / name).mkdir(parents=True)
    (root / ".gitignore").write_text("data/\n*.log\n")
    (root / ".git" / "HEAD").write_text("ref")
    (root / ".venv" / "pyvenv.cfg").write_text("")
    (root / "data" / "large.bin").write_bytes(bytes(2_000_000))
    (root / "data" / "small.csv").write_text("1")
    (root / "package" / "model.py").write_text("x = 1\n")
    (root / "package" / "__pycache__" / "model.pyc").write_text("")
    return root


def test_files_are_copied_and_large_ignored_ones_linked(tmp_path: Path) -> None:
    root, target = project(tmp_path), tmp_path / "copy"
    target.mkdir()
    items = planned(walked(root), nothing)
    copy_project(root, items, target)
    assert (target / "package" / "model.py").read_text() == "x = 1\n"
    assert (target / "data" / "large.bin").is_symlink()
    assert not (target / "data" / "small.csv").is_symlink()
    assert not (target / ".git").exists()
    assert not (target / ".venv").exists()
    assert not list(target.rglob("__pycache__"))
    assert list(marks_of(root, items)) == [str(root / "data" / "large.bin")]


def test_what_the_program_writes_to_may_be_asked_to_be_copied() -> None:
    seen = [Seen("data/a.bin", 2_000_000, is_ignored=True)]
    assert planned(seen, nothing)[0].way is Way.LINKED
    assert planned(seen, lambda path: path.startswith("data/"))[0].way is Way.COPIED


def test_a_folder_that_is_no_project_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(copying, "MOST_FILES", 3)
    with pytest.raises(WrongUse, match="holds more than 3 files"):
        walked(project(tmp_path))


WRITES = {
    "open": "open(link, 'w')",
    "append": "open(link, 'a')",
    "pathlib": "pathlib.Path(link).write_text('')",
    "remove": "os.remove(real)",
    "rename": "os.rename(real, real + '2')",
    "new file": "open(os.path.join(os.path.dirname(real), 'new'), 'w')",
    "new folder": "os.mkdir(os.path.join(os.path.dirname(real), 'new'))",
    "swallowed": "exec('try:\\n open(link, \"w\")\\nexcept BaseException: pass')",
}


def guarded(tmp_path: Path, code: str) -> subprocess.CompletedProcess[str]:
    own, copy = tmp_path / "own", tmp_path / "copy"
    own.mkdir()
    copy.mkdir()
    (own / "data").write_text("kept")
    (copy / "data").symlink_to(own / "data")
    program = (
        "import os, pathlib, subprocess, sys\n"
        "from deepperf.prove.guard import keep_out\n"
        f"keep_out([{str(own)!r}], {str(copy)!r})\n"
        f"link, real = {str(copy / 'data')!r}, {str(own / 'data')!r}\n"
        f"{code}\n"
    )
    return subprocess.run(
        [sys.executable, "-c", program],
        env={"PYTHONPATH": str(SOURCE), "PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize("way", WRITES)
def test_a_write_through_a_link_stops_the_program(tmp_path: Path, way: str) -> None:
    done = guarded(tmp_path, WRITES[way])
    assert done.returncode == STOPPED
    assert f"deepperf: stopped before a write to {tmp_path}/own" in done.stderr
    assert (tmp_path / "own" / "data").read_text() == "kept"
    assert len(list((tmp_path / "own").iterdir())) == 1


def test_reading_and_writing_in_the_copy_go_on(tmp_path: Path) -> None:
    done = guarded(tmp_path, "open(link).read(); open(link + '2', 'w').write('x'); print('done')")
    assert (done.returncode, done.stdout) == (0, "done\n")


@pytest.mark.skipif(sys.platform != "linux", reason="Landlock is Linux's")
def test_what_is_not_python_is_refused_the_write(tmp_path: Path) -> None:
    done = guarded(tmp_path, "subprocess.run(['/bin/sh', '-c', f'echo x > {link}'])")
    if "ermission" not in done.stderr:
        pytest.skip("Landlock is not installed")
    assert (tmp_path / "own" / "data").read_text() == "kept"
