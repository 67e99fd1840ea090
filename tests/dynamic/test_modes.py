"""Ways of computing that cost more than they give, told from traces and from looks at models: 64
bits, activations computed twice, outputs nobody reads, batches asked about twice, frozen parts."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from tests.dynamic.made import script, trace_of
from tests.dynamic.watched import needs

from deepperf.dynamic.diagnosis import Weight
from deepperf.dynamic.frameworks.torch_calls import ModuleCall
from deepperf.dynamic.frameworks.torch_lists import parts_listed
from deepperf.dynamic.recording.places import Place
from deepperf.dynamic.recording.tape import Tape
from deepperf.dynamic.recording.trace import Observation, Samples
from deepperf.dynamic.signals import (
    autograd_history,
    double_precision,
    frozen_features,
    gathered_outputs,
    jax_debugging,
    recomputed_activations,
    same_batch_again,
    unread_outputs,
)

needs("torch")

GIGABYTE = 1_000_000_000


class Noted:
    """A tape that keeps what it is told, by kind and line."""

    def __init__(self) -> None:
        self.ticks = 0
        self.kept: dict[tuple[str, int], dict[str, Any]] = {}
        self.budget = SimpleNamespace(charge=lambda _seconds: None)

    def note(self, kind: str, place: Place, detail: Any = None, **_: Any) -> None:
        self.kept.setdefault((kind, place.line), {}).update(detail or {})

    def detail(self, kind: str, place: Place) -> dict[str, Any]:
        return self.kept.setdefault((kind, place.line), {})


def called(module: Any, given: Any, line: int = 3, output: Any = None) -> ModuleCall:
    import torch

    ways = (Place("/train.py", line, "step"),)
    return ModuleCall(torch, module, (given,), {}, output, ways, 0.01)


def seen_of(signal: Any, path: Path, line: int, **detail: Any) -> Observation:
    return Observation(signal.NAME, str(path), line, "step", 1, detail=detail)


def test_a_batch_that_was_just_trained_on_is_told_when_it_is_asked_about_again() -> None:
    import torch

    tape = Noted()
    watched = same_batch_again._Watch(cast(Tape, tape))
    net = torch.nn.Linear(4, 2)
    for step in range(10):
        tape.ticks = step
        batch = torch.rand(8, 4)
        watched.look(called(net, batch, line=3))
        with torch.no_grad():
            watched.look(called(net, batch, line=5))
            watched.look(called(net, torch.rand(8, 4), line=6))
    watched.note()
    assert [line for _, line in tape.kept] == [5]
    assert tape.kept[same_batch_again.NAME, 5]["again"] == 9


def test_two_passes_that_both_train_and_a_batch_of_the_step_before_are_none() -> None:
    import torch

    tape = Noted()
    watched = same_batch_again._Watch(cast(Tape, tape))
    net, batch = torch.nn.Linear(4, 2), torch.rand(8, 4)
    for step in range(20):
        watched.look(called(net, batch, line=3))
        watched.look(called(net, batch, line=4))
        tape.ticks = step + 1
        with torch.no_grad():
            watched.look(called(net, batch, line=6))
    watched.note()
    assert tape.kept == {}


@pytest.mark.parametrize(("again", "lines"), [(12, [3]), (4, [])])
def test_a_line_that_asks_again_now_and_then_is_no_finding(
    tmp_path: Path, again: int, lines: list[int]
) -> None:
    path = script(tmp_path)
    seen = seen_of(same_batch_again, path, 3, again=again, calls=16, model="Net", other=2)
    samples = (Samples(str(path), 3, "step", 100, 100, 0),)
    told = [*same_batch_again.diagnose(trace_of(path, observations=(seen,), samples=samples))]
    assert [one.line for one in told] == lines
    assert all(one.share == pytest.approx(0.15) for one in told)


def test_models_with_weights_of_64_bits_are_told_where_they_are_asked_for(tmp_path: Path) -> None:
    import torch

    tape = Noted()
    watched = double_precision._Watch(cast(Tape, tape))
    for net in (torch.nn.Linear(4, 2).double(), torch.nn.Linear(4, 2)):
        for _ in range(20):
            watched.look(called(net, None, line=7 if net.weight.dtype is torch.float64 else 8))
    watched.note()
    assert [line for _, line in tape.kept] == [7]
    path = script(tmp_path)
    seen = seen_of(double_precision, path, 7, model="Linear", calls=20)
    chosen = Observation(double_precision.CHOSEN, str(path), 5, "main", 1, detail={"by": ""})
    told = [
        *double_precision.diagnose(trace_of(path, observations=(seen,))),
        *double_precision.diagnose(trace_of(path, observations=(seen, chosen))),
    ]
    assert [(one.line, one.weight) for one in told] == [(7, Weight.HINT), (5, Weight.HINT)]


def test_arrays_of_64_bits_in_jax_are_told_if_anything_is_compiled_for_them(tmp_path: Path) -> None:
    path = script(tmp_path)
    chosen = Observation(
        double_precision.CHOSEN, str(path), 5, "<module>", 1, detail={"by": double_precision.JAX}
    )

    def compiled(shapes: str) -> Observation:
        functions = {"step": {"shapes": [shapes] * 4}}
        return Observation(
            "recompilation jax", str(path), 9, "main", detail={"functions": functions}
        )

    def lines(shapes: str) -> list[int]:
        trace = trace_of(path, observations=(chosen, compiled(shapes)))
        return [one.line for one in double_precision.diagnose(trace)]

    assert lines("float64[8,3], float64[8]") == [5]
    assert lines("float32[8,3], int64[8]") == []


class Config:
    """As JAX has it, with the names of its parameters."""

    def __init__(self) -> None:
        self.kept: dict[str, Any] = {}

    def update(self, name: str, val: Any) -> None:
        self.kept[name] = val


@pytest.mark.parametrize("signal", [double_precision, jax_debugging])
def test_a_program_may_name_what_it_sets_in_jax(signal: Any) -> None:
    own = type("Own", (Config,), {"update": Config.update})
    tape: Any = Noted()
    tape.active = True
    tape.code = SimpleNamespace(place=lambda _frame: Place("/train.py", 3, "main"))
    tape.guarded = lambda _what, work: work()
    watch = getattr(signal, "_watch_jax", None) or signal._watch
    watch(tape, SimpleNamespace(Config=own))
    config = own()
    config.update("jax_enable_x64", val=True)
    config.update(val=True, name="jax_debug_nans")
    assert config.kept == {"jax_enable_x64": True, "jax_debug_nans": True}
    assert len(tape.kept) == 1


OPTIONS = """\
config = Config(output_attentions=True, output_hidden_states=True)
for batch in batches:
    loss = model(**batch).loss
"""


@pytest.mark.parametrize(
    ("more", "told"), [("", ["attentions and hidden_states"]), ("a = out.attentions\n", ["hidden"])]
)
def test_outputs_that_no_line_names_are_told(tmp_path: Path, more: str, told: list[str]) -> None:
    path = script(tmp_path, OPTIONS + more)
    given = ["attentions", "hidden_states"]
    seen = seen_of(unread_outputs, path, 3, calls=20, bytes=8_000_000, model="Bert", given=given)
    found = [*unread_outputs.diagnose(trace_of(path, observations=(seen,)))]
    assert [part in one.message for one, part in zip(found, told, strict=True)] == [True]
    assert [bool(one.rule) for one in found] == [not more]


@pytest.mark.parametrize(("peak", "lines"), [(2 * GIGABYTE, [3]), (20 * GIGABYTE, [])])
def test_activations_that_are_computed_twice_are_told_where_little_is_held(
    tmp_path: Path, peak: int, lines: list[int]
) -> None:
    path = script(tmp_path)
    seen = seen_of(recomputed_activations, path, 3, model="GPT2", calls=20)
    way = {"Trainer.train/run_backward/unpack_hook/_run_fn_with_dynamo_disabled": 150}
    samples = (Samples(str(path), 3, "step", 400, 400, 0, 0, {"torch": 400}, way),)
    trace = trace_of(path, observations=(seen,), samples=samples, memory=((1.0, peak),), clocks=())
    told = [*recomputed_activations.diagnose(trace)]
    assert [one.line for one in told] == lines
    assert all("30% of the time" in one.evidence for one in told)


def test_whether_a_model_computes_twice_is_asked_of_no_property() -> None:
    import torch

    def warn(_block: Any) -> bool:
        raise AssertionError("a property may warn")

    parts = {"is_gradient_checkpointing": property(warn)}
    block: Any = type("Block", (torch.nn.Linear,), parts)
    tape = Noted()
    watched = recomputed_activations._Watch(cast(Tape, tape))
    on, off = block(4, 2), block(4, 2)
    setattr(on, recomputed_activations.SWITCH, True)
    for _ in range(20):
        watched.look(called(on, None, line=3))
        watched.look(called(off, None, line=4))
    watched.note()
    assert [line for _, line in tape.kept] == [3]


@pytest.mark.parametrize(("most", "lines"), [(400_000_000, [3]), (2_000_000, [])])
def test_what_an_evaluation_gathers_is_told_if_it_is_much(
    tmp_path: Path, most: int, lines: list[int]
) -> None:
    path = script(tmp_path)
    seen = seen_of(gathered_outputs, path, 3, most=most, batches=8, parts=1, shape=[8, 128, 6000])
    trace = trace_of(path, observations=(seen,), memory=((1.0, GIGABYTE),), clocks=())
    told = [*gathered_outputs.diagnose(trace)]
    assert [(one.line, one.weight, one.share) for one in told] == [
        (line, Weight.MEMORY, 0.4) for line in lines
    ]


def test_what_a_container_is_given_is_added_up_by_container() -> None:
    import torch

    class Container:
        pass

    tape: Any = Noted()
    tape.code = SimpleNamespace(place=lambda _frame: Place("/train.py", 3, "main"))
    for _ in range(2):
        container = Container()
        for _ in range(5):
            parts = (torch.zeros(2, 10, 50), (torch.zeros(2, 10),))
            gathered_outputs._note(tape, container, parts, cast(Any, None))
    detail = tape.kept[gathered_outputs.NAME, 3]
    assert (detail["batches"], detail["parts"], detail["shape"]) == (5, 2, [2, 10, 50])
    assert detail["most"] == 5 * 4 * (2 * 10 * 50 + 2 * 10)


def test_a_frozen_part_is_a_note_where_the_training_takes_a_part_of_the_run(tmp_path: Path) -> None:
    path = script(tmp_path)
    detail = {"model": "backbone", "epochs": 5}
    seen = Observation(frozen_features.NAME, str(path), 3, "main", 1, 6.0, detail=detail)
    brief = Observation(frozen_features.NAME, str(path), 4, "main", 1, 0.1, detail=detail)
    told = [*frozen_features.diagnose(trace_of(path, observations=(seen, brief)))]
    assert [(one.line, one.weight) for one in told] == [(3, Weight.HINT)]


def test_a_tensor_with_a_history_is_found_behind_one_without() -> None:
    import torch

    loss = (torch.rand(3, requires_grad=True) * 2).sum()
    listed = [(torch.rand(2), loss), (torch.rand(2), loss)]
    assert len(autograd_history._history(torch.Tensor, listed)) == 2
    assert autograd_history._history(torch.Tensor, [(torch.rand(2), 3.0)] * 2) == []


def test_long_lists_of_numbers_are_told_from_short_ones_and_from_lists_of_arrays() -> None:
    import numpy as np
    import torch

    def kind(given: Any) -> str:
        return parts_listed((torch.Tensor,), given)

    assert kind([0.5] * 5000) == "numbers"
    assert kind([[1, 2]] * 5000) == "numbers"
    assert kind(np.zeros((8, 4, 24, 24)).tolist()) == "numbers"
    assert kind([0.5] * 100) == ""
    assert kind([[["a"] * 99] * 99] * 9) == ""
    assert kind([np.zeros(3)] * 5) == "arrays"
