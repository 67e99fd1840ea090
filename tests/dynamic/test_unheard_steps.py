"""What an optimizer of a library does in a step is counted once, and what a program's own does is
always heard."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

from tests.dynamic.watched import needs

from deepperf.dynamic.frameworks.unheard_steps import UnheardSteps
from deepperf.dynamic.recording.places import UserCode
from deepperf.dynamic.recording.windows import Windows

needs("torch")


class Listened:
    """A mode that counts operations while it is on the stack, around steps of an optimizer."""

    def __init__(self) -> None:
        import torch

        self.overrides: Any = torch.overrides
        windows = SimpleNamespace(is_open=True, is_enough=lambda: False)
        self.windows = windows
        self.steps = UnheardSteps(UserCode(), cast(Windows, windows), torch.overrides)
        steps = self.steps

        class Mode(torch.overrides.TorchFunctionMode):  # type: ignore[misc]
            def __torch_function__(
                self, func: Any, types: Any, args: Any = (), kwargs: Any = None
            ) -> Any:
                steps.heard += 1
                return func(*args, **(kwargs or {}))

        self.mode = Mode()
        self.steps.begin(self.mode)

    def stepped(self, optimizer: Any, *given: Any) -> tuple[int, int]:
        """How many operations of a step were heard, and how many are said not to be."""
        before = self.steps.heard
        self.steps.stepping(optimizer, (optimizer, *given), {})
        optimizer.step(*given)
        return self.steps.stepped(optimizer), self.steps.heard - before


def test_the_first_step_is_heard_and_the_others_are_as_long() -> None:
    import torch

    listened = Listened()
    weight = torch.nn.Parameter(torch.ones(3))
    weight.grad = torch.ones(3)
    optimizer = torch.optim.SGD([weight], lr=0.5, foreach=False)
    with listened.mode:
        unheard, heard = listened.stepped(optimizer)
        assert (unheard, heard > 0) == (0, True)
        assert listened.stepped(optimizer) == (heard, 0)
        assert listened.stepped(optimizer, lambda: 0.0)[1] > 0
        # What the program does afterwards is heard again.
        before = listened.steps.heard
        weight.detach().add_(1)
        assert listened.steps.heard > before
    assert weight.tolist() == [0.5, 0.5, 0.5]
    assert listened.overrides._get_current_function_mode_stack() == []


def test_an_optimizer_of_the_program_is_always_heard(tmp_path: Path) -> None:
    import torch

    text = """
import torch

class Own(torch.optim.Optimizer):
    def __init__(self, weights):
        super().__init__(weights, {})

    @torch.no_grad()
    def step(self):
        for group in self.param_groups:
            for weight in group["params"]:
                weight.add_(weight.grad, alpha=-0.1)
"""
    names: dict[str, Any] = {"__name__": "own"}
    exec(compile(text, str(tmp_path / "own.py"), "exec"), names)
    listened = Listened()
    weight = torch.nn.Parameter(torch.ones(3))
    weight.grad = torch.ones(3)
    optimizer = names["Own"]([weight])
    with listened.mode:
        counts = {listened.stepped(optimizer)[1] > 0 for _ in range(3)}
    assert counts == {True}


def test_a_window_that_ends_within_a_step_stays_closed() -> None:
    import torch

    listened = Listened()
    weight = torch.nn.Parameter(torch.ones(3))
    weight.grad = torch.ones(3)
    optimizer = torch.optim.SGD([weight], lr=0.5, foreach=False)
    overrides = listened.overrides
    overrides._push_mode(listened.mode)
    listened.stepped(optimizer)
    listened.steps.stepping(optimizer, (optimizer,), {})
    assert overrides._get_current_function_mode_stack() == []
    assert listened.steps.closed()
    optimizer.step()
    assert listened.steps.stepped(optimizer) == 0
    assert overrides._get_current_function_mode_stack() == []


def test_after_a_step_that_fails_the_mode_is_put_back_where_no_other_is() -> None:
    import torch

    listened = Listened()
    weight = torch.nn.Parameter(torch.ones(3))
    weight.grad = torch.ones(3)
    optimizer = torch.optim.SGD([weight], lr=0.5, foreach=False)
    with listened.mode:
        listened.stepped(optimizer)
        # What raises an error never ends.
        listened.steps.stepping(optimizer, (optimizer,), {})
        with torch.device("cpu"):
            listened.stepped(optimizer)
        assert torch.overrides._get_current_function_mode_stack() == []
        listened.stepped(optimizer)
        assert torch.overrides._get_current_function_mode_stack() == [listened.mode]
