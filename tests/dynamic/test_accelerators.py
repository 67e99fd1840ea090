"""What is said of accelerators, on traces made by hand, and with a double of the driver's library.

No device took part in any of these tests.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from tests.dynamic.made import HOT, script, trace_of
from tests.dynamic.watched import marked, needs, report_on, told_by

from deepperf.dynamic.diagnosis import Diagnosis, Weight
from deepperf.dynamic.frameworks.device_use import USE
from deepperf.dynamic.frameworks.torch_transfers import (
    MOVED,
    MULTIPLIED,
    Move,
    Moves,
    move_of,
    precision_of,
)
from deepperf.dynamic.recording.accelerators import SEEN, Accelerator, visible
from deepperf.dynamic.recording.trace import Observation, Trace
from deepperf.dynamic.signals import (
    device_precision,
    device_transfers,
    idle_accelerator,
    unused_accelerator,
)

AMPERE = ["NVIDIA A100", "GPU-1", 8, 0]
VOLTA = ["NVIDIA V100", "GPU-1", 7, 0]
PASCAL = ["NVIDIA P100", "GPU-1", 6, 0]
ON_HOST = {"framework": "PyTorch", "used": False, "built": True, "precision": "highest"}
ON_DEVICE = {**ON_HOST, "used": True}
NO_DEVICE: list[Any] = []


def run(
    folder: Path,
    use: Mapping[str, Any],
    device: list[Any] = AMPERE,
    busy: float = 0.0,
    others: Mapping[str, Mapping[str, Any]] | None = None,
    **changes: Any,
) -> Trace:
    """A training of eight seconds on a machine with a device that was busy for this part of it."""
    path = script(folder)
    there = {"devices": [device] if device else [], "looks": 20, "busy": 20 * busy}
    observations = (
        Observation(SEEN, "", 0, "", detail=there),
        Observation(USE, str(path), HOT, "train", count=5, detail=use),
        *(
            Observation(kind, str(path), HOT, "train", detail=detail)
            for kind, detail in (others or {}).items()
        ),
    )
    return trace_of(path, observations=observations, **changes)


def only(found: Any) -> Diagnosis:
    (one,) = found
    assert one.line == HOT
    # Nothing of this was seen on a device.
    assert one.weight is Weight.HINT
    assert one.is_note
    return one  # type: ignore[no-any-return]


def test_steps_on_the_processor_beside_a_device_are_noted(tmp_path: Path) -> None:
    told = only(unused_accelerator.diagnose(run(tmp_path, ON_HOST)))
    assert told.cause == "hardware-code-mismatch"
    assert told.message.endswith("runs on the CPU, and this machine has a GPU: NVIDIA A100")
    assert told.evidence == "199 optimizer steps of 40 ms, and this process held no device"


@pytest.mark.parametrize("framework", ["PyTorch", "TensorFlow", "JAX"])
def test_a_build_for_the_processor_alone_is_told_as_such(tmp_path: Path, framework: str) -> None:
    use = {**ON_HOST, "built": False, "framework": framework}
    told = only(unused_accelerator.diagnose(run(tmp_path, use)))
    assert told.cause == "hardware-library-mismatch"
    assert told.message.startswith(f"{framework} is a CPU-only build, and")
    assert told.remedy.startswith("install")


def test_a_build_that_finds_no_device_is_told_as_such(tmp_path: Path) -> None:
    use = {**ON_HOST, "framework": "TensorFlow", "found": False}
    told = only(unused_accelerator.diagnose(run(tmp_path, use)))
    assert told.message == ("TensorFlow finds no GPU, and this machine has a GPU: NVIDIA A100")


def test_a_device_that_nobody_may_or_need_use_is_not_missed(tmp_path: Path) -> None:
    short = trace_of(script(tmp_path)).clocks[0]
    runs = {
        "used": run(tmp_path, ON_DEVICE),
        "hidden by a setting": run(tmp_path, ON_HOST, NO_DEVICE),
        "hidden by the program": run(tmp_path, {**ON_HOST, "hidden": True}),
        "busy for others": run(tmp_path, ON_HOST, busy=0.8),
        "not wished": run(tmp_path, ON_HOST, command=("python", "train.py", "--device", "cpu")),
        "not wished, either": run(tmp_path, ON_HOST, command=("python", "train.py", "--no_cuda")),
        "a trial": run(tmp_path, ON_HOST, clocks=(replace(short, count=10),)),
        "soon over": run(tmp_path, ON_HOST, clocks=(replace(short, last=short.first + 1),)),
        "tiny steps": run(tmp_path, ON_HOST, clocks=(replace(short, count=10_000),)),
    }
    assert {name: [*unused_accelerator.diagnose(trace)] for name, trace in runs.items()} == {
        name: [] for name in runs
    }


def test_a_device_that_waits_is_noted(tmp_path: Path) -> None:
    told = only(idle_accelerator.diagnose(run(tmp_path, ON_DEVICE, busy=0.12)))
    assert told.evidence == "a kernel ran in 12% of the time, in 20 samples of the driver"
    assert "larger batches" in told.remedy


def test_what_it_waits_for_is_named_where_another_signal_tells_it(tmp_path: Path) -> None:
    waited = {
        "first": 0,
        "last": 150,
        "modelled": 0,
        "lines": {f"{HOT} train {script(tmp_path)}": 200},
    }
    trace = run(tmp_path, ON_DEVICE, busy=0.12)
    waits = Observation(
        "generator-wait", str(script(tmp_path)), HOT, "train", count=200, detail=waited
    )
    trace = replace(trace, observations=(*trace.observations, waits))
    told = only(idle_accelerator.diagnose(trace))
    assert told.cause == "inefficient-data-preprocessing"
    assert f"line {HOT}: the training loop waits while the next batch is prepared" in told.evidence


def test_a_busy_device_or_one_of_other_programs_does_not_wait(tmp_path: Path) -> None:
    assert [*idle_accelerator.diagnose(run(tmp_path, ON_DEVICE, busy=0.7))] == []
    assert [*idle_accelerator.diagnose(run(tmp_path, ON_HOST, busy=0.1))] == []


def test_exact_products_are_noted_where_rounded_ones_are_faster(tmp_path: Path) -> None:
    exact = {MULTIPLIED: {"float32": 90, "bfloat16": 10}}
    told = only(device_precision.diagnose(run(tmp_path, ON_DEVICE, others=exact)))
    assert told.cause == "improper-configuration"
    assert told.evidence.startswith("90 of the 100 observed matrix products gave float32")
    rounded = {**ON_DEVICE, "precision": "high"}
    assert [*device_precision.diagnose(run(tmp_path, rounded, others=exact))] == []
    # Before Ampere there is no TF32 to round to.
    only(device_precision.diagnose(run(tmp_path, rounded, VOLTA, others=exact)))
    assert [*device_precision.diagnose(run(tmp_path, ON_DEVICE, PASCAL, others=exact))] == []
    mixed = {MULTIPLIED: {"float32": 10, "bfloat16": 90}}
    assert [*device_precision.diagnose(run(tmp_path, ON_DEVICE, others=mixed))] == []


def test_the_policy_of_keras_is_noted_where_nothing_is_rounded(tmp_path: Path) -> None:
    use = {**ON_DEVICE, "framework": "TensorFlow", "precision": "float32"}
    # TensorFlow rounds to TF32 of itself.
    assert [*device_precision.diagnose(run(tmp_path, use))] == []
    only(device_precision.diagnose(run(tmp_path, {**use, "precision": "float32 exact"})))
    only(device_precision.diagnose(run(tmp_path, use, VOLTA)))
    mixed = {**use, "precision": "mixed_bfloat16 exact"}
    assert [*device_precision.diagnose(run(tmp_path, mixed))] == []


def test_what_steps_move_is_noted_where_it_is_much(tmp_path: Path) -> None:
    assert moved(tmp_path, Move(True, 4, False), 6).startswith("single values are read")
    assert moved(tmp_path, Move(True, 2_000_000, False), 1).startswith("results are copied")
    assert moved(tmp_path, Move(False, 2_000_000, True), 1).startswith(
        "batches are copied to the device"
    )
    # The loss is read, and small or pinned batches are sent, in every training.
    assert moved(tmp_path, Move(True, 4, False), 1) == ""
    assert moved(tmp_path, Move(False, 2_000_000, False), 1) == ""
    assert moved(tmp_path, Move(False, 1000, True), 1) == ""
    assert moved(tmp_path, Move(True, 4, False), 6, steps=5) == ""


def moved(folder: Path, move: Move, times: int, steps: int = 20) -> str:
    """What is said of a line that moves this so many times in each step."""
    moves = Moves()
    for step in range(steps):
        for _ in range(times):
            moves.add(move, step)
    trace = run(folder, ON_DEVICE, others={MOVED: moves.told()})
    found = [*device_transfers.diagnose(trace)]
    assert [one.line for one in found] in ([], [HOT])
    # A copy that keeps the program at its line costs what the line does; what other transfers wait
    # for is not theirs.
    assert all((one.weight is Weight.TIME) == move.is_paged for one in found)
    return found[0].message if found else ""


def tensor(device: str, **changes: Any) -> Any:
    """What a tensor of a hundred numbers tells of itself."""
    told = {
        "device": SimpleNamespace(type=device),
        "numel": lambda: 100,
        "element_size": lambda: 4,
        "is_pinned": lambda: False,
        "dtype": "torch.float32",
    }
    return SimpleNamespace(**{**told, **changes})


def test_a_move_is_told_from_what_stays_where_it_is() -> None:
    host, device = tensor("cpu"), tensor("cuda")
    assert move_of("item", device, 1.0) == Move(True, 400, False)
    assert move_of("cpu", device, host) == Move(True, 400, False)
    assert move_of("to", host, device) == Move(False, 400, True)
    pinned = tensor("cpu", is_pinned=lambda: True)
    assert move_of("to", pinned, device) == Move(False, 400, False)
    stays = [
        move_of("item", host, 1.0),
        move_of("to", host, host),
        move_of("to", device, device),
        move_of("add", device, device),
        move_of("to", host, tensor("meta")),
    ]
    assert stays == [None] * 5


def test_a_product_is_told_from_other_operations() -> None:
    assert precision_of("linear", tensor("cuda")) == "float32"
    assert precision_of("linear", tensor("cpu")) == ""
    assert precision_of("add", tensor("cuda")) == ""


@pytest.mark.parametrize(
    ("setting", "names"),
    [
        (None, ["first", "second"]),
        ("1,0", ["second", "first"]),
        ("GPU-b", ["second"]),
        ("0,-1,1", ["first"]),
        ("MIG-b/1/0", ["first", "second"]),
        ("", []),
        ("-1", []),
        ("7", []),
        # It does not say which of the two is meant.
        ("GPU", []),
    ],
)
def test_a_program_sees_what_the_setting_of_cuda_lets_it_see(
    setting: str | None, names: list[str]
) -> None:
    found = [Accelerator("first", "GPU-a1", (8, 0)), Accelerator("second", "GPU-b2", (8, 0))]
    assert [one.name for one in visible(found, setting)] == names


DOUBLE = '''\
"""Stands for the driver's library: the calls that NVIDIA documents, for a device that is idle."""


class NVMLError(Exception):
    pass


class Rates:
    gpu = 0
    memory = 0


def nvmlInit():
    pass


def nvmlDeviceGetCount():
    return 1


def nvmlDeviceGetHandleByIndex(index):
    return index


def nvmlDeviceGetName(handle):
    return "a double"


def nvmlDeviceGetUUID(handle):
    return "GPU-double"


def nvmlDeviceGetCudaComputeCapability(handle):
    return (9, 0)


def nvmlDeviceGetUtilizationRates(handle):
    return Rates()
'''

MAPS = Path("/proc/self/maps")
TRAINS = """\
import os
import time

{setting}
import torch

net = torch.nn.Linear(64, 1)
optimizer = torch.optim.SGD(net.parameters(), lr=0.001)
for _ in range(40):
    optimizer.zero_grad()
    net(torch.rand(32, 64)).pow(2).mean().backward()
    optimizer.step()  # steps
    time.sleep(0.07)
"""


@pytest.mark.skipif(not MAPS.exists(), reason="the system does not tell what is loaded")
@pytest.mark.parametrize("setting", ["", 'os.environ["CUDA_VISIBLE_DEVICES"] = ""'])
def test_a_training_beside_a_device_is_noted_unless_the_program_hides_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, setting: str
) -> None:
    needs("torch")
    beside = tmp_path / "driver"
    beside.mkdir()
    (beside / "libnvidia-ml.so.1").symlink_to(any_library())
    (beside / "pynvml.py").write_text(DOUBLE)
    monkeypatch.setenv("LD_LIBRARY_PATH", str(beside))
    monkeypatch.setenv("PYTHONPATH", str(beside), prepend=":")
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)
    program = TRAINS.format(setting=setting)
    report = report_on(tmp_path, program)
    assert report["run"]["problems"] == []
    found = told_by(report, "unused-accelerator")
    assert [item["line"] for item in found] == ([] if setting else marked(program, "steps"))
    for item in found:
        assert item["message"] == (
            "PyTorch is a CPU-only build, and this machine has a GPU: a double"
        )
        assert item["cause"] == "hardware-library-mismatch"
        assert item["weight"] == "hint"


def any_library() -> Path:
    """Some library that can be loaded, in the place of the driver's."""
    return next(
        Path(words[-1])
        for words in map(str.split, MAPS.read_text().splitlines())
        if "libc.so" in words[-1] or "libc-" in words[-1]
    )
