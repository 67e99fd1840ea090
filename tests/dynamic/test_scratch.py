"""What killed runs leave in the temporary folder goes with the next run, and nothing else does."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from deepperf.dynamic.scratch import MOST_REMOVED, OWNER, PREFIX, remove_abandoned, scratch_folder

KILLED = """
import os, signal, sys
from deepperf.dynamic.scratch import owned_folder
print(owned_folder(), flush=True)
os.kill(os.getpid(), signal.SIGKILL)
"""

REMOVING = """
import sys
from pathlib import Path
from deepperf.dynamic.scratch import remove_abandoned
remove_abandoned(Path(sys.argv[1]))
"""

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="files have no such locks there")


@pytest.fixture(autouse=True)
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)
    return tmp_path


def left_by_a_killed_run(home: Path) -> Path:
    words = [sys.executable, "-c", KILLED]
    said = subprocess.run(words, capture_output=True, text=True, env={**os.environ}, check=False)
    folder = Path(said.stdout.strip())
    assert folder.parent == home
    return folder


def test_the_next_run_removes_what_a_killed_one_has_left(temporary: Path) -> None:
    folder = left_by_a_killed_run(temporary)
    (folder / "processes").mkdir()
    (folder / "run.dperf").write_bytes(b"some")
    with scratch_folder() as mine:
        assert not folder.exists()
        assert mine.exists()
    assert [*temporary.iterdir()] == []


def test_a_folder_in_use_is_left_alone(temporary: Path) -> None:
    with scratch_folder() as mine:
        said = subprocess.run([sys.executable, "-c", REMOVING, str(temporary)], check=False)
        assert said.returncode == 0
        assert (mine / OWNER).read_text(encoding="utf-8") == f"{os.getpid()}\n"


def test_a_folder_in_which_a_process_still_records_is_left_alone(temporary: Path) -> None:
    folder = left_by_a_killed_run(temporary)
    (folder / f"{os.getpid()}.dperf").write_bytes(b"some")
    remove_abandoned(temporary)
    assert folder.exists()


def test_folders_that_do_not_say_whose_they_are_or_are_links_stay(temporary: Path) -> None:
    nobodys = temporary / f"{PREFIX}older"
    nobodys.mkdir()
    elsewhere = left_by_a_killed_run(temporary)
    kept = elsewhere.rename(temporary / "kept")
    (temporary / f"{PREFIX}link").symlink_to(kept)
    remove_abandoned(temporary)
    assert nobodys.exists()
    assert kept.exists()


def test_folders_of_other_users_stay(temporary: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = left_by_a_killed_run(temporary)
    mine = os.getuid()
    monkeypatch.setattr(os, "getuid", lambda: mine + 1)
    remove_abandoned(temporary)
    assert folder.exists()


def test_a_pipe_in_the_place_of_the_owner_is_neither_waited_for_nor_removed(
    temporary: Path,
) -> None:
    folder = temporary / f"{PREFIX}pipe"
    folder.mkdir()
    os.mkfifo(folder / OWNER)
    words = [sys.executable, "-c", REMOVING, str(temporary)]
    assert subprocess.run(words, check=False, timeout=60).returncode == 0
    assert (folder / OWNER).exists()


def test_folders_that_are_left_alone_keep_none_from_being_removed(temporary: Path) -> None:
    for number in range(MOST_REMOVED + 1):
        (temporary / f"{PREFIX}{number}").mkdir()
    folder = left_by_a_killed_run(temporary)
    remove_abandoned(temporary)
    assert not folder.exists()
    assert len([*temporary.iterdir()]) == MOST_REMOVED + 1
