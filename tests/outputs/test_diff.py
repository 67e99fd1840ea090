"""A diff that `patch` understands."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from deepperf.outputs.diff import Change, lines, patch
from deepperf.outputs.paint import COLOUR, PLAIN, Paint


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (b"a\nb\nc\n", b"a\nB\nc\n"),
        (b"a\nb", b"a\nB"),
        (b"a\nb", b"a\nb\n"),
        (b"", b"a\n"),
        (b"a\r\nb\r\n", b"a\r\nB\r\n"),
        (b"a\x0cb\nc\n", b"a\x0cb\nd\n"),
        (b"# coding: latin-1\n# caf\xe9\nx = 1\n", b"# coding: latin-1\n# caf\xe9\nx = 2\n"),
        (b"\xef\xbb\xbfx = 1\ny = 2\n", b"\xef\xbb\xbfx = 1\ny = 3\n"),
    ],
)
@pytest.mark.parametrize(
    "name",
    [
        "x.py",
        "x y.py",
        "caf\xe9.py",
        "x\ty.py",
        "x\ny.py",
        '"x" \\n.py',
        "\x1b[31mx.py",
        "x\u202ey.py",
        "x\udce9.py",
    ],
)
@pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
def test_git_can_apply_it(tmp_path: Path, before: bytes, after: bytes, name: str) -> None:
    path = tmp_path / name
    path.write_bytes(before)
    change = patch(Change(name, before, after))
    subprocess.run(["git", "apply", "-p0", "-"], input=change, cwd=tmp_path, check=True)

    assert path.read_bytes() == after


@pytest.mark.parametrize("paint", [COLOUR, PLAIN])
def test_on_a_terminal_nothing_of_the_file_acts(paint: Paint) -> None:
    rows = list(lines(Change("x.py", b"a\n", b"\x1b[2J\n"), paint))

    assert any(r"\x1b[2J" in row for row in rows)


@pytest.mark.parametrize("name", ["\x1b[2J.py", "x\ny.py", "x\u202ey.py", "x\x9by.py"])
def test_nothing_of_a_name_acts(name: str) -> None:
    change = Change(name, b"a\n", b"b\n")
    shown = [*lines(change, PLAIN), *patch(change).decode().splitlines()]

    assert shown[:2] == shown[5:7]
    assert all(row.isprintable() for row in shown)
    assert len(shown) == 2 * len(["---", "+++", "@@", "-a", "+b"])


def test_on_a_terminal_a_file_is_shown_in_its_own_encoding() -> None:
    change = Change("x.py", b"a\n", b"caf\xe9\r\n", "latin-1")

    assert list(lines(change, PLAIN))[-1] == "+café"
