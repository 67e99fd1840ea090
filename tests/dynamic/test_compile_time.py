"""Compiling that takes a large part of a run is told by that, however few functions there are."""

from __future__ import annotations

import threading
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from tests.dynamic.made import script, trace_of
from tests.dynamic.watched import diagnoses, marked, needs

from deepperf.dynamic.diagnosis import Diagnosis
from deepperf.dynamic.recording.places import Place, UserCode
from deepperf.dynamic.recording.tape import Tape
from deepperf.dynamic.recording.trace import Observation, Samples
from deepperf.dynamic.signals import compile_time, recompilation, retracing
from deepperf.dynamic.signals.compile_time import CACHE, TORCH, diagnose

CALL = 21
"""The line of the program that is on the stack all the time; the run takes ten seconds."""


@pytest.fixture(autouse=True)
def short_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    """The runs of these tests are shorter than those of which anything is told."""
    monkeypatch.setattr(compile_time, "LONG", 3.0)


def seen(
    path: Path, kind: str, seconds: float = 4.0, line: int = CALL, **detail: Any
) -> Observation:
    return Observation(kind, str(path), line, "<module>", 1, seconds, detail=detail)


def of_jax(path: Path, line: int = CALL, **functions: tuple[int, float, int]) -> Observation:
    """Functions that a line compiled, each with how often, how long, for how many shapes."""
    entries = {
        name: {
            "count": count,
            "seconds": seconds,
            "shapes": [*map(str, range(shapes))],
            "told": count,
            "library": False,
            "work": 1.0,
        }
        for name, (count, seconds, shapes) in functions.items()
    }
    return seen(path, recompilation.JAX, 0.0, line, functions=entries)


def told(path: Path, *observations: Observation, **changes: Any) -> list[Diagnosis]:
    return [*diagnose(trace_of(path, observations=observations, **changes))]


def test_one_compilation_by_jax_that_takes_long_is_told_with_its_share(tmp_path: Path) -> None:
    path = script(tmp_path)
    (one,) = told(path, of_jax(path, step=(1, 4.0, 1)))
    assert one.line == CALL
    assert one.share == pytest.approx(0.4)
    assert "`step`" in one.message
    assert "1 compilation took 4.0 s" in one.evidence
    assert "jax_compilation_cache_dir" in one.remedy
    assert "one shape" not in one.remedy
    assert "min_compile_time" not in one.remedy


def test_few_shapes_that_take_long_are_told_to_be_made_one(tmp_path: Path) -> None:
    path = script(tmp_path)
    (one,) = told(path, of_jax(path, step=(3, 4.0, 3)))
    assert "pass arrays of one shape" in one.remedy


def test_a_cache_that_is_on_is_not_advised(tmp_path: Path) -> None:
    path = script(tmp_path)
    (one,) = told(path, of_jax(path, step=(1, 4.0, 1)), Observation(CACHE, "", 0, "", 1))
    assert "jax_compilation_cache_dir" not in one.remedy
    assert "keeps them on disk" in one.evidence


def test_what_is_told_of_compiling_again_and_again_is_not_told_twice(tmp_path: Path) -> None:
    path = script(tmp_path)
    assert told(path, of_jax(path, step=(8, 4.0, 8))) == []
    (one,) = told(path, of_jax(path, step=(8, 1.0, 8), init=(1, 4.0, 1)))
    assert one.share == pytest.approx(0.4)


def test_many_small_compilations_at_many_lines_are_told_as_one(tmp_path: Path) -> None:
    path = script(tmp_path)
    lines = range(1, 13)
    samples = tuple(Samples(str(path), line, "<module>", 40, 40, 0) for line in lines)
    small = [of_jax(path, line, add=(1, 0.5, 1)) for line in lines]
    (one,) = told(path, *small, samples=samples)
    assert one.share == pytest.approx(0.6)
    assert "12 functions at 12 lines" in one.message
    assert "one function under `jax.jit`" in one.remedy
    # By default JAX keeps nothing that was compiled in less than a second.
    assert "`jax_persistent_cache_min_compile_time_secs` to 0" in one.remedy


def test_what_takes_little_of_the_run_or_a_moment_is_not_told(tmp_path: Path) -> None:
    path = script(tmp_path)
    assert told(path, of_jax(path, step=(1, 0.8, 1))) == []
    assert told(path, of_jax(path, step=(1, 2.0, 1))) == []
    assert told(path, of_jax(path, step=(1, 8.0, 1)), seconds=200.0) == []


def test_what_is_compiled_in_a_run_of_a_moment_is_not_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.undo()
    path = script(tmp_path)
    assert told(path, of_jax(path, step=(1, 8.0, 1))) == []
    assert len(told(path, of_jax(path, step=(1, 12.0, 1)), seconds=20.0)) == 1


def test_stages_within_each_other_count_no_more_than_their_line_took(tmp_path: Path) -> None:
    path = script(tmp_path)
    samples = (Samples(str(path), CALL, "<module>", 200, 200, 0),)
    (one,) = told(path, of_jax(path, step=(1, 30.0, 1)), samples=samples)
    assert one.share == pytest.approx(0.4)


def test_the_first_compilation_by_pytorch_is_told_where_it_was_called(tmp_path: Path) -> None:
    path = script(tmp_path)
    (one,) = told(path, seen(path, TORCH, hits=0, misses=2))
    assert one.line == CALL
    assert one.share == pytest.approx(0.4)
    assert "TORCHINDUCTOR_CACHE_DIR" in one.remedy
    assert "found on disk" not in one.evidence
    (warm,) = told(path, seen(path, TORCH, hits=2, misses=0))
    assert "2 of 2 graphs were found on disk" in warm.evidence
    assert "TORCHINDUCTOR_CACHE_DIR" not in warm.remedy


def test_of_pytorch_too_what_is_told_of_compiling_again_is_left_out(tmp_path: Path) -> None:
    path = script(tmp_path)
    again = Observation(
        recompilation.TORCH, str(path), 7, "train", 4, 4.0, detail={"reasons": ["size changed"]}
    )
    assert told(path, seen(path, TORCH), again) == []


def of_tensorflow(path: Path, traces: int, varying: dict[str, int]) -> Observation:
    entry = {"traces": traces, "seconds": 4.0, "varying": varying}
    return seen(path, retracing.NAME, 0.0, functions={"step:3": entry})


def test_few_graphs_of_tensorflow_that_take_long_are_told(tmp_path: Path) -> None:
    path = script(tmp_path)
    (one,) = told(path, of_tensorflow(path, 2, {}))
    assert one.share == pytest.approx(0.4)
    assert "2 traces" in one.evidence
    assert told(path, of_tensorflow(path, 9, {"shape x": 8})) == []


def test_a_run_without_samples_tells_nothing(tmp_path: Path) -> None:
    path = script(tmp_path)
    assert told(path, of_jax(path, step=(1, 4.0, 1)), samples=(), sampled=0) == []


COMPILED = """\
import time

import torch
import torch._dynamo


def slowly(graph, inputs):
    end = time.monotonic() + 6.0
    while time.monotonic() < end:
        sum(range(1000))
    return graph.forward


model = torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.ReLU())
compiled = torch.compile(model, backend=slowly)
for _ in range(5):
    compiled(torch.ones(2, 4))  # compiled
"""


def test_a_model_of_a_librarys_that_is_compiled_once_is_told_at_its_call(tmp_path: Path) -> None:
    needs("torch")
    (one,) = diagnoses(tmp_path, COMPILED, "compile-time")
    assert [one["line"]] == marked(COMPILED, "compiled")
    assert one["share"] > 0.5


def test_what_a_thread_of_a_device_has_compiled_is_the_line_that_waits_for_it() -> None:
    noted: list[Place] = []
    tape = SimpleNamespace(
        active=True,
        code=UserCode(),
        note=lambda _kind, place, **_: noted.append(place),
        detail=lambda *_: {},
    )
    watched = compile_time._Watch(cast(Tape, tape))
    # None of its frames is the program's own.
    text = "begin()\nend()"
    code = compile(text, "<engine>", "exec")
    names = {"begin": watched.begin, "end": watched.end}
    engine = threading.Thread(target=exec, args=(code, names))
    engine.start()
    engine.join()
    assert [(place.file, place.function) for place in noted] == [
        (__file__, "test_what_a_thread_of_a_device_has_compiled_is_the_line_that_waits_for_it")
    ]
