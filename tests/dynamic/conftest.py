"""Watched programs are tried again when the machine was too busy to look at them."""

from __future__ import annotations

from pathlib import Path

import pytest

AGAIN = 2
"""What `run` says rests on samples of time, and a machine that other work holds for seconds takes
too few of them. A real mistake fails each time; `-ra` tells what was tried again."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    here = Path(__file__).parent
    for item in items:
        if here in item.path.parents:
            item.add_marker(pytest.mark.flaky(reruns=AGAIN))
