"""Pools of threads that crowd the cores are found; what fits them is not, nor what only waits."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.dynamic.made import HOT, script, trace_of
from tests.dynamic.watched import diagnoses, marked, needs

from deepperf.dynamic.diagnosis import Weight
from deepperf.dynamic.processes import diagnose_all
from deepperf.dynamic.recording.trace import Observation
from deepperf.dynamic.signals.too_many_threads import POOL, diagnose
from deepperf.dynamic.signals.too_many_threads import WORKERS as OF_WORKERS

needs("torch")

SETUP = """\
import multiprocessing
import os
import time

os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})


def train(seconds):
    import torch

    net = torch.nn.Sequential(
        torch.nn.Linear(256, 256), torch.nn.ReLU(), torch.nn.Linear(256, 1)
    )
    optimizer = torch.optim.SGD(net.parameters(), lr=0.01)
    rows = torch.rand(256, 256)
    begin = time.process_time()
    while time.process_time() - begin < seconds:
        optimizer.zero_grad()
        net(rows).pow(2).mean().backward()
        optimizer.step()


def simulate(threads):
    import torch

    torch.set_num_threads(threads)
    rows = torch.rand(200, 200)
    begin = time.process_time()
    while time.process_time() - begin < 1.2:
        rows = torch.tanh(rows @ rows / 100)


"""

OWN = (
    SETUP
    + """\
import torch

torch.set_num_threads(6)  # crowded
train(2.5)
"""
)

WORKERS = (
    SETUP
    + """\
with multiprocessing.get_context("fork").Pool(2) as pool:
    pool.map(simulate, [4, 4])  # crowded
"""
)

FITTING = (
    SETUP
    + """\
with multiprocessing.get_context("fork").Pool(2) as pool:
    pool.map(simulate, [1, 1])

import torch

torch.set_num_threads(len(os.sched_getaffinity(0)))
train(1.5)
"""
)

BARELY_USED = (
    SETUP
    + """\
import torch
from torch.utils.data import DataLoader, TensorDataset

torch.set_num_threads(6)
net = torch.nn.Linear(8, 1)
optimizer = torch.optim.SGD(net.parameters(), lr=0.01)
loader = DataLoader(TensorDataset(torch.rand(20000, 8)), batch_size=16, num_workers=2)
for (rows,) in loader:
    optimizer.zero_grad()
    net(rows).pow(2).mean().backward()
    optimizer.step()
"""
)


@pytest.mark.watched
def test_a_setting_above_the_cores_is_found_where_it_costs(tmp_path: Path) -> None:
    found = diagnoses(tmp_path, OWN, "too-many-threads")
    assert [item["line"] for item in found] == marked(OWN, "crowded")
    assert found[0]["message"] == "PyTorch computes with 6 threads on 1 core"
    assert found[0]["cause"] == "improper-configuration"


@pytest.mark.watched
def test_workers_with_pools_of_their_own_are_found_where_they_are_waited_for(
    tmp_path: Path,
) -> None:
    found = diagnoses(tmp_path, WORKERS, "too-many-threads")
    assert [item["line"] for item in found] == marked(WORKERS, "crowded")
    assert found[0]["message"] == "2 processes compute with 8 threads on 1 core"


@pytest.mark.parametrize(("coreless", "told"), [(30.0, 1), (4.0, 0)])
def test_pools_that_wait_without_stopping_are_noted_where_they_have_no_cores(
    tmp_path: Path, coreless: float, told: int
) -> None:
    counted = {"threads": 8, "cores": 2, "processes": 4, "worked": 10.0, "lasted": 6.0}
    seen = Observation(
        OF_WORKERS,
        str(script(tmp_path)),
        HOT,
        "train",
        count=600,
        detail={**counted, "ran": 9.0, "coreless": coreless},
    )
    found = [*diagnose(trace_of(script(tmp_path), observations=(seen,)))]
    assert [item.weight for item in found] == [Weight.HINT] * told
    for item in found:
        assert item.message == "4 processes compute with 8 threads on 2 cores"
        assert "were ready to run and had no core for 77% of the time" in item.evidence


@pytest.mark.watched
@pytest.mark.parametrize("program", [FITTING, BARELY_USED], ids=["fitting", "barely used"])
def test_what_fits_the_cores_or_costs_nothing_is_no_finding(tmp_path: Path, program: str) -> None:
    assert diagnoses(tmp_path, program, "too-many-threads") == []


@pytest.mark.parametrize(("threads", "told"), [(1, 0), (4, 1)])
def test_workers_of_one_thread_each_have_no_pools_to_blame(
    tmp_path: Path, threads: int, told: int
) -> None:
    path = script(tmp_path)
    detail = {"threads": 4, "cores": 2, "processes": 2, "worked": 10.0, "lasted": 6.0}
    crowd = Observation(
        OF_WORKERS, str(path), HOT, "train", detail={**detail, "ran": 9.0, "coreless": 30.0}
    )
    pool = Observation(POOL, "", 0, "", detail={"threads": threads})
    whole = trace_of(path, observations=(crowd,))
    workers = [trace_of(path, process=n, parent=1, observations=(pool,)) for n in (2, 3)]
    found = diagnose_all((whole, *workers))
    assert len([item for item in found if item.signal == "too-many-threads"]) == told


@pytest.mark.parametrize(("threads", "told"), [(1, 0), (4, 1)])
@pytest.mark.parametrize("count", [600, 600_000])
def test_a_parent_that_takes_all_cores_says_nothing_of_workers_that_take_one(
    tmp_path: Path, threads: int, told: int, count: int
) -> None:
    path = script(tmp_path)
    detail = {"threads": 4, "cores": 2, "processes": 2, "worked": 10.0, "lasted": 6.0}
    waited = {"ran": 9.0, "coreless": 30.0, "crowd": [2, 3]}
    crowd = Observation(OF_WORKERS, str(path), HOT, "train", count, detail=detail | waited)
    first, *workers = (
        Observation(POOL, "", 0, "", detail={"threads": n, "process": process})
        for process, n in ((1, 4), (2, threads), (3, threads))
    )
    whole = trace_of(path, process=1, observations=(crowd, first))
    others = [
        trace_of(path, process=n, parent=1, observations=(one,)) for n, one in enumerate(workers, 2)
    ]
    found = diagnose_all((whole, *others))
    assert len([item for item in found if item.signal == "too-many-threads"]) == told
