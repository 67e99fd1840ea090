"""Which lines ran is told by what running leaves behind: never falsely, but not always."""

from __future__ import annotations

import importlib
import sys
import time
from pathlib import Path

import pytest

from deepperf.dynamic.recording.places import UserCode
from deepperf.dynamic.recording.reached import lines_reached

PROGRAM = """
def hot(turns):
    total = 0
    for turn in range(turns):
        total += abs(turn)  # ran
        if turn < 0:
            total += len([turn])  # never
    return total

def cold(values):
    return [len(value) for value in values]  # never

class Counter:
    def count(self, turns):
        for turn in range(turns):
            self.last = abs(turn)  # ran

hot(100)
Counter().count(100)
for turn in range(100):
    print(abs(turn), end="")  # ran
"""


@pytest.mark.skipif(sys.version_info < (3, 11), reason="older Pythons leave no such traces")
def test_lines_that_ran_often_are_told_and_no_others(tmp_path: Path) -> None:
    path = tmp_path / "program.py"
    code = compile(PROGRAM, str(path), "exec")
    exec(code, {"__name__": "program"})
    told = lines_reached(UserCode(), code)[str(path)]
    lines = dict(enumerate(PROGRAM.splitlines(), start=1))
    assert all(number in told for number, text in lines.items() if text.endswith("# ran"))
    assert not any(number in told for number, text in lines.items() if text.endswith("# never"))


def test_a_program_that_has_not_run_has_reached_nothing(tmp_path: Path) -> None:
    code = compile(PROGRAM, str(tmp_path / "program.py"), "exec")
    assert not any(lines_reached(UserCode(), code).get(str(tmp_path / "program.py"), ()))


TANGLED = """
import fractions, numbers

class Node:
    def grow(self):
        return [abs(turn) for turn in range(3)]

kinds = [type(f"Kind{number}", (Node,), {}) for number in range(40)]
for kind in kinds:
    for number, other in enumerate(kinds):
        setattr(kind, f"near{number}", other)
first = kinds[0]
number = fractions.Fraction
"""


def test_classes_that_lead_to_each_other_are_gone_through_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "tangled.py"
    path.write_text(TANGLED, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.chdir(tmp_path)
    importlib.import_module("tangled")
    began = time.process_time()
    assert str(path) in lines_reached(UserCode(), None)
    assert time.process_time() - began < 2
    del sys.modules["tangled"]


def test_what_a_program_puts_among_the_modules_is_left_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Odd:
        __slots__ = ()
        __file__ = str(tmp_path / "odd.py")

    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(sys.modules, "nothing", None)
    monkeypatch.setitem(sys.modules, "odd", Odd())
    assert str(tmp_path) not in lines_reached(UserCode(), None)
