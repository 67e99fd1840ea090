"""Reads of HDF5 chunks of which little is used are told where the chunks were chosen."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.dynamic.watched import diagnoses, marked

pytest.importorskip("h5py")

PROGRAM = """\
import h5py
import numpy as np

frames = np.random.default_rng(0).integers(0, 9, (960, 32, 32), dtype="uint8")
with h5py.File("frames.h5", "w") as file:
    file.create_dataset("frames", data=frames, chunks=CHUNKS, compression="gzip")  # chosen
with h5py.File("frames.h5") as file:
    order = np.random.default_rng(1).permutation(960)
    print(sum(int(file["frames"][index].sum()) for index in order))
"""


def test_chunks_far_larger_than_what_is_read_are_told_where_they_are_chosen(tmp_path: Path) -> None:
    program = PROGRAM.replace("CHUNKS", "(960, 32, 32)")
    (found,) = diagnoses(tmp_path, program, "chunked-read")
    assert [found["line"]] == marked(program, "chosen")
    assert "960 times as large" in found["message"]


def test_chunks_of_single_samples_are_not(tmp_path: Path) -> None:
    program = PROGRAM.replace("CHUNKS", "(1, 32, 32)")
    assert diagnoses(tmp_path, program, "chunked-read") == []
