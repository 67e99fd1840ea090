"""What services, trainers and processes that train together lose is told of what was noted of
them."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.dynamic.made import script, trace_of

from deepperf.dynamic.diagnosis import Weight
from deepperf.dynamic.program import eager_steps
from deepperf.dynamic.recording.trace import Observation, Samples
from deepperf.dynamic.signals import collectives, trainer_pauses, validated_replies

SERVICE = """\
async def answer(query):
    return {"points": [{"value": value} for value in query.values]}


async def health():
    return "well"


app.run()
"""


@pytest.mark.parametrize(("asked", "elsewhere", "told"), [(400, 3, 1), (20, 3, 0)])
def test_replies_that_are_checked_value_by_value_are_told_of_what_returns_them(
    tmp_path: Path, asked: int, elsewhere: int, told: int
) -> None:
    path = str(script(tmp_path, SERVICE))
    loop = "run/Runner.run/BaseEventLoop.run_until_complete/BaseEventLoop._run_once"
    own = "BaseModel.model_validate"
    trace = trace_of(
        Path(path),
        observations=(
            Observation("requests", path, 1, "answer", asked, 4.0),
            Observation("requests", path, 5, "health", elsewhere, elsewhere / 100),
        ),
        samples=(
            Samples(path, 9, "<module>", 500, 200, 0, 0, {"pydantic": 100}, {loop: 150}),
            Samples(path, 2, "answer", 50, 50, 0, 0, {"pydantic": 50}, {own: 50}),
        ),
    )
    found = [*validated_replies.diagnose(trace)]
    assert [(one.line, one.share) for one in found] == [(1, 0.2)] * told


FIT = """\
model.compile(run_eagerly=True)
model.fit(batches)
"""


@pytest.mark.parametrize(("in_python", "weight"), [(60, Weight.TIME), (5, Weight.HINT)])
def test_what_eager_steps_spend_in_python_counts_whatever_their_operations_take(
    tmp_path: Path, in_python: int, weight: Weight
) -> None:
    path = str(script(tmp_path, FIT))
    heard = {"heard": 100, "elements": 10**8, "updates": 1, "fitted": True, "ways": []}
    ways = {f"TensorFlowTrainer.fit/{eager_steps.STEP}": 200, "TensorFlowTrainer.fit/save": 200}
    packages = {"keras": 2 * in_python, "tensorflow": 400 - 2 * in_python}
    trace = trace_of(
        Path(path),
        observations=(
            Observation(eager_steps.LAYERS, path, 2, "<module>", 1, detail=heard),
            Observation(eager_steps.FITTED, path, 2, "<module>", 1, 8.0, detail={"keras": True}),
        ),
        samples=(Samples(path, 2, "<module>", 400, 400, 0, 0, packages, ways),),
    )
    (found,) = eager_steps.eager_steps(trace)
    assert (found.weight, round(found.share, 3)) == (weight, in_python / 500)


@pytest.mark.parametrize(("rows", "told"), [([1, 16], 1), ([8, 16], 0), ([1, 1], 0)])
def test_a_trainer_that_evaluates_one_row_at_a_time_is_told(
    tmp_path: Path, rows: list[int], told: int
) -> None:
    path = script(tmp_path, "trainer.train()\n")
    detail = {"epochs": 2.0, "chosen": False, "first": 0, "steps": 90, "rows": rows}
    kind = "trainer-pauses eval_steps"
    seen = Observation(kind, str(path), 1, "<module>", 2, 3.0, detail=detail)
    found = [*trainer_pauses.diagnose(trace_of(path, observations=(seen,)))]
    assert [(one.line, one.share, one.weight) for one in found] == [(1, 0.3, Weight.HINT)] * told
    assert ["per_device_eval_batch_size" in one.message for one in found] == [True] * told


@pytest.mark.parametrize(
    ("name", "seconds", "told"),
    [
        ("broadcast_object_list", 2.4, 1),
        ("barrier", 2.4, 1),
        ("broadcast_object_list", 0.6, 0),
        ("all_reduce", 2.4, 0),
    ],
)
def test_a_process_that_waits_for_what_another_does_alone_is_told(
    tmp_path: Path, name: str, seconds: float, told: int
) -> None:
    path = script(tmp_path, "score = evaluate()\n")
    detail = {"name": name, "last": 190, "steps": 6}
    seen = Observation("collectives", str(path), 1, "evaluate", 6, seconds, detail=detail)
    found = [*collectives.diagnose(trace_of(path, observations=(seen,)))]
    assert [(one.line, one.share) for one in found] == [(1, 0.24)] * told
    assert [name in one.message for one in found] == [True] * told
