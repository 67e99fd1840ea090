"""Loops that wait for a `DataLoader` are told from those that compute meanwhile."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from tests.dynamic.made import script, trace_of
from tests.dynamic.watched import diagnoses, marked, needs

from deepperf.dynamic.diagnosis import Weight
from deepperf.dynamic.frameworks.loader_waits import OTHER_WAITS, STARTS
from deepperf.dynamic.recording.trace import Observation
from deepperf.dynamic.signals.loader_wait import NAME, diagnose

needs("torch")

PROGRAM = """\
import time

import torch
from torch.utils.data import DataLoader, Dataset, TensorDataset


class Spectra(Dataset):
    def __init__(self, seconds):
        self.seconds = seconds

    def __len__(self):
        return 64

    def __getitem__(self, index):
        row = torch.zeros(16)
        if self.seconds:
            time.sleep(self.seconds)  # slow
        return row


def train(model, loader, seconds):
    for rows in loader:
        model(rows).sum().backward()
        time.sleep(seconds)


model = torch.nn.Linear(16, 1)
for rows in DataLoader(Spectra(0.005), batch_size=4):  # waits
    model(rows).sum().backward()
train(model, DataLoader(Spectra(0.0), batch_size=4), 0.02)
for _ in range(2):
    for (rows,) in DataLoader(TensorDataset(torch.zeros(640, 16)), batch_size=32, shuffle=True):
        model(rows).sum().backward()
"""

DRAWN = """\
import random
import time

import torch
from torch.utils.data import DataLoader, Dataset


class Spectra(Dataset):
    def __len__(self):
        return 640

    def __getitem__(self, index):
        time.sleep(0.002)
        return torch.zeros(16)


class Drawn:
    def __len__(self):
        return 40

    def __iter__(self):
        for _ in range(40):
            yield random.sample(range(640), 16)


model = torch.nn.Linear(16, 1)
for rows in DataLoader(Spectra(), batch_sampler=Drawn()):  # waits
    model(rows).sum().backward()
"""

WORKERS = """\
import time

import torch
from torch.utils.data import DataLoader, Dataset


class Spectra(Dataset):
    def __len__(self):
        return 24

    def __getitem__(self, index):
        time.sleep(0.005)
        return torch.zeros(4)


def epochs(loader, seconds):
    for _ in range(4):
        for _ in loader:
            time.sleep(seconds)


if __name__ == "__main__":
    for _ in range(4):
        for rows in DataLoader(Spectra(), batch_size=12, num_workers=1):  # started
            time.sleep(0.001)
    kept = DataLoader(Spectra(), batch_size=2, num_workers=2, persistent_workers=True)
    epochs(kept, 0.02)
"""

REBUILT = (
    WORKERS[: WORKERS.index("    for _ in range(4):\n        for rows in DataLoader")]
    + """\
    for _ in range(4):
        loader = DataLoader(Spectra(), batch_size=12, num_workers=1, persistent_workers=True)
        for _ in range(2):
            for rows in loader:  # rebuilt
                time.sleep(0.001)
"""
)


@pytest.mark.watched
def test_a_loop_that_waits_for_samples_is_found(tmp_path: Path) -> None:
    found = diagnoses(tmp_path, PROGRAM, "loader-wait")
    sure = [item for item in found if item["weight"] == "time"]
    assert [item["line"] for item in sure] == marked(PROGRAM, "waits")
    assert sure[0]["cause"] == "inefficient-data-transmission"
    (slow,) = marked(PROGRAM, "slow")
    assert f"`Spectra.__getitem__` takes most of it, at line {slow}" in sure[0]["evidence"]
    assert "0 workers and batches of 4" in sure[0]["evidence"]


def test_batches_are_as_large_as_their_sampler_makes_them(tmp_path: Path) -> None:
    found = diagnoses(tmp_path, DRAWN, "loader-wait")
    assert [item["line"] for item in found] == marked(DRAWN, "waits")
    assert "0 workers and batches of 16" in found[0]["evidence"]


@pytest.mark.watched
def test_workers_started_for_each_epoch_are_found_and_those_that_hide_the_wait_are_not(
    tmp_path: Path,
) -> None:
    found = diagnoses(tmp_path, WORKERS, "loader-wait")
    assert [item["line"] for item in found] == marked(WORKERS, "started")
    assert "persistent_workers" in found[0]["remedy"]


def test_a_loader_that_is_made_again_has_its_workers_started_again(tmp_path: Path) -> None:
    (found,) = diagnoses(tmp_path, REBUILT, "loader-wait")
    assert [found["line"]] == marked(REBUILT, "rebuilt")
    assert found["evidence"].startswith("4 starts")
    assert "create the loader once" in found["remedy"]


def test_workers_that_lack_a_core_are_not_called_slow() -> None:
    detail = {
        "waited": 5.0,
        "worked": 0.1,
        "turned": 8.0,
        "started": 0.2,
        "batches": 100,
        "collated": 0.0,
        "workers": 4,
        "size": 32,
        "dataset": "Spectra",
        "collate": "default_collate",
    }
    seen = Observation(NAME, "/train.py", 3, "train", count=0, detail=detail)
    alone = trace_of(Path("/train.py"), observations=(seen,))
    busy = replace(alone, coreless=0.5 * alone.seconds)
    assert [item.weight for item in diagnose(alone)] == [Weight.TIME]
    assert [item.weight for item in diagnose(busy)] == [Weight.HINT]


@pytest.mark.parametrize(("again", "lines"), [(2, [1]), (1, [])])
def test_workers_that_start_for_the_same_data_once_more_are_told_sooner(
    tmp_path: Path, again: int, lines: list[int]
) -> None:
    path = str(script(tmp_path, "for batch in loader:\n    step(batch)\n"))
    waits = {"workers": 2, "waited": 1.0, "turned": 6.0, "batches": 30, "first": 6, "started": 2.0}
    seen = (
        Observation(STARTS, path, 1, "<module>", 3, 0.3, detail={"keeps": False, "again": again}),
        Observation("loader-wait", path, 1, "<module>", detail={**waits, "size": 8}),
    )
    told = diagnose(trace_of(Path(path), observations=seen))
    assert [one.line for one in told if one.rule == "loader-per-epoch"] == lines


def test_loaders_of_training_and_of_evaluation_at_one_line_are_told_apart(tmp_path: Path) -> None:
    path = str(script(tmp_path, "trainer.fit(model, data)\n"))
    common = {"first": 1, "collated": 0.0, "dataset": "Windows", "size": 32, "worked": [0.05]}
    common |= {"is_sized_by_sampler": False, "collate": "default_collate"}
    waiting = {**common, "workers": 0, "waited": 3.0, "turned": 4.0, "batches": 30, "started": 0.0}
    fed = {**common, "workers": 2, "waited": 0.1, "turned": 9.0, "batches": 90, "started": 2.5}
    seen = (
        Observation("loader-wait", path, 1, "<module>", detail=waiting),
        Observation(OTHER_WAITS, path, 1, "<module>", detail=fed),
        Observation(STARTS, path, 1, "<module>", 5, 0.5, detail={"keeps": False, "again": 4}),
    )
    told = [*diagnose(trace_of(Path(path), observations=seen))]
    assert [one.rule for one in told] == ["serial-loader", "loader-per-epoch"]
    assert "3.00 s of the 4.00 s" in told[0].evidence
    assert "took 3.00 s" in told[1].evidence
