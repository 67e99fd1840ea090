"""What a program's text says is told whatever its encoding, at the lines that Python counts."""

from __future__ import annotations

import codecs
import json
import subprocess
import sys
from pathlib import Path

import pytest

from deepperf.dynamic.program.loops import loop_around
from deepperf.dynamic.program.text import lines_of, tree_of

TEXT = "# Größe in Metern\ngröße = 3\nfor part in range(größe):\n    print(part)\n"
ENCODED = {
    "declared": b"# -*- coding: latin-1 -*-\n" + TEXT.encode("latin-1"),
    "with a mark": codecs.BOM_UTF8 + b"\n" + TEXT.encode("utf-8"),
    "both": codecs.BOM_UTF8 + b"# coding: utf-8\n" + TEXT.encode("utf-8"),
    "plain": b"\n" + TEXT.encode("utf-8"),
}


@pytest.mark.parametrize("data", ENCODED.values(), ids=ENCODED)
def test_a_text_is_read_in_its_own_encoding(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "program.py"
    path.write_bytes(data)
    assert lines_of(str(path))[1:] == TEXT.splitlines()
    assert tree_of(str(path)) is not None
    assert loop_around(str(path), 5) == (4, 5)


def test_a_form_feed_ends_no_line(tmp_path: Path) -> None:
    path = tmp_path / "program.py"
    path.write_bytes(b"first = 1\r\n\x0csecond = 2\rthird = '\x1c'\n")
    assert lines_of(str(path)) == ["first = 1", "\x0csecond = 2", "third = '\x1c'"]


def test_what_is_no_program_has_no_lines(tmp_path: Path) -> None:
    (tmp_path / "data.py").write_bytes(bytes(range(32)) * 40)
    for name in ("data.py", "absent.py"):
        assert lines_of(str(tmp_path / name)) == []
        assert tree_of(str(tmp_path / name)) is None


PROGRAM = """\
# -*- coding: latin-1 -*-
import numpy as np

amounts = np.random.default_rng(1).random(400_000)


def begrüßt(amounts, limit):
    paid = np.zeros(len(amounts))
    for index in range(len(amounts)):
        if amounts[index] > limit:
            paid[index] = np.sqrt(amounts[index])
        else:
            paid[index] = 0.5 * amounts[index]
    return paid


print(begrüßt(amounts, 0.5).sum())
"""


def test_a_program_in_another_encoding_is_diagnosed(tmp_path: Path) -> None:
    pytest.importorskip("numpy")
    (tmp_path / "program.py").write_bytes(PROGRAM.encode("latin-1"))
    ran = subprocess.run(
        [sys.executable, "-m", "deepperf", "run", "--format", "json", "program.py"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=170,
    )
    report = json.loads(ran.stderr[ran.stderr.index("{\n") :])
    (found,) = (item for item in report["findings"] if item["signal"] == "array-loop")
    assert (found["line"], found["function"]) == (9, "begrüßt")
