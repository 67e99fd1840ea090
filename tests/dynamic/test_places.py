"""Whose code runs: the user's, ours, or somebody else's."""

from __future__ import annotations

import contextlib
import dis
from types import SimpleNamespace
from typing import Any

import pytest

from deepperf.dynamic.recording import places
from deepperf.dynamic.recording.places import STANDARD, UserCode, line_before

OURS = places.__file__.replace("places.py", "signals/torch_loops.py")


def frames(*listed: tuple[str, str]) -> Any:
    """Frames of a stack, given innermost first as file and function."""
    frame = None
    for file, function in reversed(listed):
        code = SimpleNamespace(co_filename=file, co_name=function)
        frame = SimpleNamespace(f_code=code, f_back=frame)
    return frame


def test_what_listens_to_operations_is_not_the_program() -> None:
    code = UserCode()
    user = ("/project/train.py", "train")
    assert code.is_listener(frames((OURS, "_hear"), user))
    assert code.is_listener(frames((OURS, "_count"), (OURS, "__torch_function__"), user))


def test_what_the_program_runs_through_us_is_its_own() -> None:
    code = UserCode()
    user = ("/project/train.py", "train")
    assert not code.is_listener(frames(user))
    assert not code.is_listener(frames((OURS, "timed"), user))
    assert not code.is_listener(frames((OURS, "__torch_function__"), user))
    below = ("/project/model.py", "forward")
    assert not code.is_listener(frames(below, (OURS, "__torch_function__"), user))


def test_what_a_compiler_writes_is_not_the_programs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TORCHINDUCTOR_CACHE_DIR", "/project/compiled")
    code = UserCode()
    assert code.path_of("/tmp/torchinductor_ann/zx/czx2.py") == ""
    assert code.path_of("/project/compiled/zx/czx2.py") == ""
    assert code.path_of("/tmp/__autograph_generated_file1.py") == ""
    assert code.path_of("/project/compiled.py") == "/project/compiled.py"


def test_the_package_at_work_is_the_one_that_called_pythons_library() -> None:
    code = UserCode()
    user = ("/project/train.py", "train")
    library = "/env/lib/python3/site-packages/matplotlib/axes/_axes.py"
    assert code.package_of(frames(user)) == ""
    assert code.package_of(frames((contextlib.__file__, "inner"), user)) == STANDARD
    assert code.package_of(frames((library, "imshow"), user)) == "matplotlib"
    assert (
        code.package_of(frames((contextlib.__file__, "inner"), (library, "imshow"), user))
        == "matplotlib"
    )


def test_the_jump_to_the_next_iteration_belongs_to_the_loop() -> None:
    def counted(rows: list[int]) -> int:
        found = 0
        for row in rows:
            if row > 1:
                found += 1
        return found

    code = counted.__code__
    told = [line_before(code, offset) for offset in range(0, len(code.co_code), 2)]
    jumps = [
        told[one.offset // 2]
        for one in dis.get_instructions(code)
        if one.opname in ("JUMP_BACKWARD", "JUMP_ABSOLUTE")
    ]
    first = code.co_firstlineno
    assert jumps
    assert all(first + 2 <= line <= first + 4 for line in jumps)
