"""Which lines of a program's text work on what a file holds."""

from __future__ import annotations

from pathlib import Path

from deepperf.dynamic.program.reading import lines_of_reading

TEXT = """\
def batches(path, size):
    rows = []
    with open(path) as stream:  # with
        for record in stream:  # with
            rows.append(record)  # with
            if len(rows) == size:  # with
                yield rows  # with


def numbers(path):
    text = open(path).read()  # call
    others = 3
    parts = text.split()  # call
    return [int(part) for part in parts[others:]]  # call


for epoch in range(3):
    for batch in batches("rows", 3):
        words = batch
    with open("words") as stream:  # module
        words = stream.read()  # module
    for word in words:  # module
        print(word)  # module
    print(epoch)
"""


def test_lines_that_use_what_is_read_are_told_from_others(tmp_path: Path) -> None:
    path = tmp_path / "program.py"
    path.write_text(TEXT, encoding="utf-8")
    for mark in ("with", "call", "module"):
        ends = enumerate(TEXT.splitlines(), 1)
        lines = [number for number, line in ends if line.endswith(f"# {mark}")]
        assert sorted(lines_of_reading(str(path), lines[0])) == lines
