"""Work is shared out between processes, and their end is noticed."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deepperf.check.engine import WorkerLost
from deepperf.check.pool import chunked, in_processes


@given(st.lists(st.integers(0, 1000)), st.integers(1, 20))
def test_chunks_hold_everything_in_order(items: list[int], count: int) -> None:
    chunks = chunked(items, lambda item: item, count)

    assert [item for chunk in chunks for item in chunk] == items
    assert all(chunks)
    assert len(chunks) <= count + 1


def test_every_chunk_is_worked_on_once() -> None:
    def work(items: Sequence[int]) -> list[tuple[int, int]]:
        return [(item, os.getpid()) for item in items]

    results = [pair for chunk in in_processes(work, [[1, 2], [3], [4, 5]], 2) for pair in chunk]

    assert sorted(item for item, _ in results) == [1, 2, 3, 4, 5]
    assert os.getpid() not in {pid for _, pid in results}


def test_a_worker_that_is_killed_is_named_and_the_others_end() -> None:
    def work(items: Sequence[int]) -> list[int]:
        if items == [2]:
            os.kill(os.getpid(), signal.SIGKILL)
        time.sleep(0.01)
        return list(items)

    with pytest.raises(WorkerLost, match=r"killed by signal 9; try again with --jobs 1"):
        list(in_processes(work, [[1], [2], [3], [4]], 2))
