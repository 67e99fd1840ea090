"""What every signal is."""

from __future__ import annotations

import pytest

from deepperf.dynamic.signals import Signal, signals
from deepperf.rules.registry import load_rules


@pytest.mark.parametrize("signal", signals(), ids=lambda signal: signal.NAME)
def test_a_signal_is_named_after_its_file(signal: Signal) -> None:
    module = getattr(signal, "__name__", "").rpartition(".")[2]
    assert module.replace("_", "-") == signal.NAME


@pytest.mark.parametrize("signal", signals(), ids=lambda signal: signal.NAME)
def test_a_signal_is_about_rules_that_exist(signal: Signal) -> None:
    assert set(signal.RULES) <= {loaded.rule.name for loaded in load_rules()}
