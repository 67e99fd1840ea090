"""Defects of a release are told where it is loaded, its call is made again and again, and costs."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.dynamic.watched import marked, report_on, told_by

RELEASE = """\
__version__ = "{version}"
kept = []


def compile(model):
    kept.append(bytearray(b"1" * {bytes}))
    return model
"""
PROGRAM = """\
import torch

for number in range(30):
    torch.compile(number)  # again
once = torch.compile(sum)
"""


@pytest.mark.parametrize(
    ("version", "size", "lines"),
    [("2.2.1", 4_000_000, "again"), ("2.3.1", 4_000_000, "never"), ("2.4.0+cpu", 10, "never")],
)
def test_only_the_release_with_the_defect_is_told(
    tmp_path: Path, version: str, size: int, lines: str
) -> None:
    (tmp_path / "torch.py").write_text(RELEASE.format(version=version, bytes=size))
    # Other signals miss what they listen to in a package that stands in for a release.
    found = told_by(report_on(tmp_path, PROGRAM), "known-defect")
    assert [item["line"] for item in found] == marked(PROGRAM, lines)
    for item in found:
        assert item["rule"] == "buggy-version"
        assert item["weight"] == "memory"
        assert item["message"].startswith("`compile of torch 2.2.1` keeps compiled code")
        assert item["evidence"].startswith("30 calls took ")
