"""`check` on Windows and macOS, as far as that can be told on Linux."""

from __future__ import annotations

import json
import ntpath
import os
import subprocess
import sys
import unicodedata
from pathlib import Path, PureWindowsPath
from types import SimpleNamespace
from typing import cast

import pytest

from deepperf.check import files
from deepperf.check.discover import discover
from deepperf.check.files import relative_name
from deepperf.check.paths import shown_name
from deepperf.cli.main import main
from deepperf.config.options import Options

PROGRAM = Path(__file__).with_name("other_system.py")
SLOW = """\
import tensorflow as tf
# é
for x in range(1000):
    tf.function(lambda y: y)(x)
files = tf.data.Dataset.from_tensor_slices(["é"])
files = files.interleave(tf.data.TFRecordDataset, cycle_length=4)
"""
FIXED = SLOW.replace("cycle_length=4", "cycle_length=4, num_parallel_calls=tf.data.AUTOTUNE")


@pytest.fixture
def windows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "os", SimpleNamespace(path=ntpath, sep="\\"))


def windows_path(text: str) -> Path:
    return cast("Path", PureWindowsPath(text))


@pytest.mark.parametrize(
    ("path", "name"),
    [
        (r"C:\proj\src\train.py", "src/train.py"),
        (r"c:\Proj\src\train.py", "src/train.py"),
        (r"C:\proj", "."),
        (r"C:\other\train.py", "../other/train.py"),
        (r"D:\proj\train.py", "D:/proj/train.py"),
        (r"\\server\share\train.py", "//server/share/train.py"),
    ],
)
@pytest.mark.usefixtures("windows")
def test_names_have_slashes_whatever_drive_they_are_on(path: str, name: str) -> None:
    assert relative_name(windows_path(path), windows_path(r"C:\proj")) == name


@pytest.mark.parametrize(
    ("root", "here", "shown"),
    [
        (r"C:\proj", r"C:\proj", "src/train.py"),
        (r"C:\proj", r"C:\proj\src", "train.py"),
        (r"C:\proj", "C:\\", "proj/src/train.py"),
        (r"D:\proj", r"C:\work", "D:/proj/src/train.py"),
    ],
)
@pytest.mark.usefixtures("windows")
def test_a_place_is_shown_from_where_the_user_is(
    monkeypatch: pytest.MonkeyPatch, root: str, here: str, shown: str
) -> None:
    monkeypatch.setattr("deepperf.check.paths.Path", PureWindowsPath)
    assert shown_name(windows_path(root), here)("src/train.py") == shown


def test_patterns_may_have_the_separators_of_the_system(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "build").mkdir()
    for name in ("build/made.py", "train.py"):
        (tmp_path / name).write_text("x = 1\n", encoding="utf-8")
    monkeypatch.setattr(os, "sep", "\\")
    found = discover(tmp_path, [tmp_path], Options(exclude=("build\\made.py",)))
    assert [entry.path for entry in found.files] == ["train.py"]


def test_macos_tells_names_in_other_letters_than_imports_have(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    apart = unicodedata.normalize("NFD", "modèle")
    (tmp_path / apart).mkdir()
    (tmp_path / apart / "__init__.py").touch()
    monkeypatch.setattr(sys, "platform", "darwin")
    found = discover(tmp_path, [tmp_path], Options())
    assert [entry.path for entry in found.files] == ["modèle/__init__.py"]


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252"])
def test_a_file_is_fixed_in_its_own_encoding_and_lines(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, newline: str, encoding: str
) -> None:
    path = tmp_path / "Übung 1.PY"
    path.write_bytes(SLOW.replace("\n", newline).encode(encoding))
    monkeypatch.chdir(tmp_path)
    assert main(["check", path.name, "--no-cache", "--fix", "--select", "serial-map"]) == 0
    assert path.read_bytes() == FIXED.replace("\n", newline).encode(encoding)


COMMANDS = {
    "check --jobs 4": (1, "train.py:4:5: warning retracing"),
    "check train.py": (1, "    4 | tf.function(lambda y: y)(x)  # \\u65e5"),
    "check --format json": (1, '"path": "train.py"'),
    "check --fix --diff train.py": (1, "num_parallel_calls=tf.data.AUTOTUNE"),
    "check --fix --select serial-map": (0, "Nothing found in 221 files"),
    "baseline --output known.json": (0, "written to known.json"),
    "check --baseline known.json": (0, "Nothing"),
    "rule predict-per-item": (0, "# predict-per-item"),
    "rule": (0, "serial-map"),
    "config show": (0, "level = "),
    "completion powershell": (0, "serial-map"),
    "doctor": (0, "check "),
    "--help": (0, "commands:"),
}


@pytest.fixture(scope="module")
def answers(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[int, str]]:
    """What commands say in a project with more files than one process is given."""
    folder = tmp_path_factory.mktemp("project")
    (folder / "deepperf.toml").touch()
    text = SLOW.replace("(x)", "(x)  # 日")
    (folder / "train.py").write_text(text, encoding="utf-8")
    for number in range(220):
        (folder / f"part{number}.py").write_text("import torch\nx = 1\n", encoding="utf-8")
    strictly = ["-X", "warn_default_encoding", "-W", "error::EncodingWarning"]
    words = json.dumps([command.split() for command in COMMANDS])
    done = subprocess.run(
        [sys.executable, *strictly, PROGRAM, words],
        cwd=folder,
        env={**os.environ, "DEEPPERF_CACHE_DIR": str(folder / "cache")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return dict(zip(COMMANDS, json.loads(done.stdout.splitlines()[-1]), strict=True))


@pytest.mark.parametrize("command", COMMANDS)
def test_commands_work_without_what_only_unix_has(
    answers: dict[str, tuple[int, str]], command: str
) -> None:
    code, said = answers[command]
    assert code == COMMANDS[command][0], said
    assert COMMANDS[command][1] in said
