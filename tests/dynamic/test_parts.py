"""Where a line calls a library that does all the work, the parts of that work are told."""

from __future__ import annotations

from pathlib import Path

from tests.dynamic.made import script, trace_of

from deepperf.dynamic.diagnosis import parts_of_call
from deepperf.dynamic.recording.trace import Samples

WAYS = {
    "Trainer.train/inner_loop/Trainer.training_step/backward": 150,
    "Trainer.train/inner_loop/Trainer.training_step/compute_loss": 90,
    "Trainer.train/inner_loop/Trainer.evaluate/loop": 120,
    "Trainer.train/inner_loop/Adam.step": 35,
    "Trainer.train/log": 5,
}


def test_a_trainers_phases_are_told_with_their_shares(tmp_path: Path) -> None:
    path = script(tmp_path)
    line = Samples(str(path), 21, "<module>", 400, 400, 0, calls=WAYS)
    told = parts_of_call(trace_of(path, samples=(line,)), str(path), 21)
    assert told == (
        ("Trainer.training_step", 0.48),
        ("Trainer.evaluate", 0.24),
        ("Adam.step", 0.07),
    )


def test_a_line_with_work_of_its_own_has_no_parts(tmp_path: Path) -> None:
    path = script(tmp_path)
    line = Samples(str(path), 21, "<module>", 400, 400, 390, calls={"mean": 10})
    assert parts_of_call(trace_of(path, samples=(line,)), str(path), 21) == ()


def test_what_no_named_function_does_is_no_part(tmp_path: Path) -> None:
    path = script(tmp_path)
    ways = {"": 60, "Linear.forward": 80, "step": 60}
    line = Samples(str(path), 21, "<module>", 200, 200, 0, calls=ways)
    told = parts_of_call(trace_of(path, samples=(line,)), str(path), 21)
    assert told == (("Linear.forward", 0.16), ("step", 0.12))
