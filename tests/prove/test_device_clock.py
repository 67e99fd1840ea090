"""Steps are told apart where the accelerator is done with them, not where they are sent off."""

from __future__ import annotations

import sys
from types import SimpleNamespace

import pytest

from deepperf.prove.device_clock import MOST_MARKS, DeviceClock


class Device:
    """Stands in for `torch.cuda`: an accelerator that takes `busy` seconds for what it is sent."""

    def __init__(self) -> None:
        self.done = 0.0
        self.held = {0: 1}
        self.capturing = False

    def is_initialized(self) -> bool:
        return True

    def is_current_stream_capturing(self) -> bool:
        return self.capturing

    def Event(self, *, enable_timing: bool) -> Mark:  # noqa: N802 - as PyTorch has it
        assert enable_timing
        return Mark(self)

    def synchronize(self) -> None:
        return

    def device_count(self) -> int:
        return 2

    def max_memory_allocated(self, number: int) -> int:
        return self.held.get(number, 0)

    def current_device(self) -> int:
        return 0


class Mark:
    def __init__(self, device: Device) -> None:
        self._device = device
        self.at = 0.0

    def record(self) -> None:
        self.at = self._device.done

    def synchronize(self) -> None:
        return

    def elapsed_time(self, other: Mark) -> float:
        return 1000 * (other.at - self.at)


@pytest.fixture
def device(monkeypatch: pytest.MonkeyPatch) -> Device:
    made = Device()
    monkeypatch.setitem(sys.modules, "torch", SimpleNamespace(cuda=made))
    return made


def ticked(device: Device, steps: int, seconds: float) -> DeviceClock:
    """A clock of steps, the first half of which takes ten times as long."""
    clock = DeviceClock()
    for step in range(steps):
        device.done += seconds * (10 if step < steps // 2 else 1)
        clock.tick()
    return clock


def test_steps_are_told_from_their_middle_and_until_the_end(device: Device) -> None:
    clock = ticked(device, 20, 0.01)
    device.done += 0.09
    paced = clock.paced()
    assert paced is not None
    assert paced.count == 20
    assert paced.step == pytest.approx(0.01)
    assert paced.rest == pytest.approx(0.02)


def test_of_many_steps_few_marks_are_kept_and_all_are_counted(device: Device) -> None:
    steps = 20 * MOST_MARKS + 3
    paced = ticked(device, steps, 0.001).paced()
    assert paced is not None
    assert paced.count == steps
    assert paced.step == pytest.approx(0.001)


def test_where_work_is_on_several_devices_nothing_is_told(device: Device) -> None:
    device.held = {0: 1, 1: 1}
    assert ticked(device, 20, 0.01).paced() is None
    device.held = {1: 1}
    assert ticked(device, 20, 0.01).paced() is None


def test_few_steps_and_steps_that_are_captured_tell_nothing(device: Device) -> None:
    assert ticked(device, 3, 0.01).paced() is None
    device.capturing = True
    assert ticked(device, 20, 0.01).paced() is None


def test_without_an_accelerator_nothing_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "torch", raising=False)
    assert ticked(Device(), 20, 0.01).paced() is None
