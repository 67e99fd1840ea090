"""A diff that `patch` understands."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from deepperf.outputs.diff import Change, lines
from deepperf.outputs.paint import COLOUR, PLAIN


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("a\nb\nc\n", "a\nB\nc\n"),
        ("a\nb", "a\nB"),
        ("a\nb", "a\nb\n"),
        ("", "a\n"),
        ("a\r\nb\r\n", "a\r\nB\r\n"),
        ("a\x0cb\nc\n", "a\x0cb\nd\n"),
    ],
)
@pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
def test_git_can_apply_it(tmp_path: Path, before: str, after: str) -> None:
    path = tmp_path / "x.py"
    path.write_bytes(before.encode())
    patch = "\n".join((*lines(Change("x.py", before, after), PLAIN), ""))
    subprocess.run(["git", "apply", "-p0", "-"], input=patch.encode(), cwd=tmp_path, check=True)

    assert path.read_bytes() == after.encode()


def test_on_a_terminal_nothing_of_the_file_acts() -> None:
    rows = list(lines(Change("x.py", "a\n", "\x1b[2J\n"), COLOUR))

    assert any(r"\x1b[2J" in row for row in rows)
