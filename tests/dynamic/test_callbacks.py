"""What a library's trainer leads to after each of its steps is told at the callback's line."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.dynamic.made import script, trace_of

from deepperf.dynamic.diagnosis import Weight
from deepperf.dynamic.recording.trace import Observation, Samples
from deepperf.dynamic.signals import step_evaluation

CALLBACK = """\
class WriteSample:
    def on_step_end(self, model):
        self.last = model.generate(self.start)


def train(trainer):
    trainer.train()


def sample(model):
    return model.generate(model.start)


def by_hand(model):
    sample(model)
"""
WRITTEN, TRAINED, SAMPLED, BY_HAND = 3, 7, 11, 15


@pytest.mark.parametrize(
    ("ways", "more", "lines"),
    [
        ([(WRITTEN, "on_step_end"), (TRAINED, "train")], {}, [WRITTEN]),
        # Its time is that of training, too.
        ([(WRITTEN, "on_step_end"), (TRAINED, "train")], {"trains": True}, []),
        # The program itself calls it, in a line that steps: that is another signal's loop.
        ([(SAMPLED, "sample"), (BY_HAND, "by_hand")], {}, []),
    ],
)
def test_what_is_asked_after_each_step_of_a_trainer_is_told(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    ways: Any,
    more: dict[str, bool],
    lines: list[int],
) -> None:
    path = str(script(tmp_path, CALLBACK))
    stepping = [(path, TRAINED), (path, BY_HAND)]
    monkeypatch.setattr(step_evaluation, "lines_that_step", lambda _trace: stepping)
    found = [[path, line, function] for line, function in ways]
    detail = {"often": 40, "seldom": 0, "ways": found, **more}
    seen = Observation(step_evaluation.STEPS, path, ways[0][0], ways[0][1], detail=detail)
    samples = tuple(Samples(path, line, "f", 150, 150, 0) for line in (WRITTEN, SAMPLED))
    told = step_evaluation.diagnose(trace_of(Path(path), observations=(seen,), samples=samples))
    assert [(one.line, one.share) for one in told] == [(line, 0.3) for line in lines]
    few = tuple(Samples(path, line, "f", 40, 40, 0) for line in (WRITTEN, SAMPLED))
    told = step_evaluation.diagnose(trace_of(Path(path), observations=(seen,), samples=few))
    assert [(one.line, one.weight) for one in told] == [(line, Weight.HINT) for line in lines]
