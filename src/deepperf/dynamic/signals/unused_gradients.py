"""Gradients are computed for the weights of a PyTorch model that no optimizer ever changes."""

from __future__ import annotations

import functools
import weakref
from collections.abc import Iterator
from typing import Any

from deepperf.dynamic.diagnosis import FORWARD, Diagnosis, share_of_call, told_at
from deepperf.dynamic.frameworks.torch_calls import ModuleCall, listen
from deepperf.dynamic.recording.places import Place
from deepperf.dynamic.recording.tape import Tape
from deepperf.dynamic.recording.trace import Trace
from deepperf.dynamic.recording.unseen import standing_for

NAME = "unused-gradients"
RULES: tuple[str, ...] = ()
SYMPTOMS = ("slow-execution",)
FEWEST_STEPS = 16
"""Steps after which its gradients were there: until then an optimizer may still be made."""


def watch(tape: Tape) -> None:
    """Learn which weights optimizers have, and which models get gradients."""
    watched = _Watch(tape)
    tape.imports.after("torch.optim.optimizer", functools.partial(_follow_optimizers, watched))
    listen(tape, NAME, watched.look, watched.note)


def _follow_optimizers(watched: _Watch, module: Any) -> None:
    cls = module.Optimizer
    add = cls.add_param_group

    @standing_for(add)
    def added(self: Any, *group: Any, **named: Any) -> Any:
        made = add(self, *group, **named)
        watched.changed |= {id(one) for one in self.param_groups[-1]["params"]}
        return made

    cls.add_param_group = added


class _Model:
    """What is known of a model that no optimizer changes, as far as was seen."""

    __slots__ = ("calls", "last", "place", "steps", "weights")

    def __init__(self, place: Place, weights: frozenset[int]) -> None:
        self.place = place
        self.weights = weights
        self.calls = self.steps = 0
        self.last = -1


class _Watch:
    def __init__(self, tape: Tape) -> None:
        self._tape = tape
        self._models: weakref.WeakKeyDictionary[Any, _Model] = weakref.WeakKeyDictionary()
        self._is_trained = False
        self.changed: set[int] = set()

    def look(self, call: ModuleCall) -> None:
        """Take note of a call for which operations are recorded, and of the gradients that earlier
        ones have led to."""
        if not call.torch.is_grad_enabled():
            return
        seen = self._models.get(call.module)
        if seen is None:
            needs = (one for one in call.module.parameters() if one.requires_grad)
            seen = self._models[call.module] = _Model(call.place, frozenset(map(id, needs)))
        if not seen.weights:
            return
        if not seen.weights.isdisjoint(self.changed):
            self._is_trained = True
            seen.weights = frozenset()
            return
        seen.calls += 1
        ticks = self._tape.ticks
        if ticks != seen.last:
            weight = next(call.module.parameters())
            seen.steps += weight.requires_grad and weight.grad is not None
            seen.last = ticks

    def note(self) -> None:
        """Put on the tape what is known so far, unless optimizers have copies of all weights."""
        for module, seen in list(self._models.items()):
            is_changed = not seen.weights or not seen.weights.isdisjoint(self.changed)
            if self._is_trained and not is_changed and seen.steps >= FEWEST_STEPS:
                self._tape.note(NAME, seen.place, count=0)
                detail = self._tape.detail(NAME, seen.place)
                detail.update(model=type(module).__name__, calls=seen.calls, steps=seen.steps)


def diagnose(trace: Trace) -> Iterator[Diagnosis]:
    """The lines that call such models."""
    for seen in trace.observations:
        if seen.kind == NAME:
            yield told_at(
                seen,
                signal=NAME,
                cause="inefficient-api-usage",
                message=f"`{seen.detail['model']}` gets gradients, and no optimizer changes it",
                evidence=(
                    f"in {seen.detail['steps']:,} of the steps that were looked at; the backward "
                    "pass takes at least as long again as the call, and its gradients add up"
                ),
                remedy="call it under `torch.no_grad()`, or where gradients pass through it, set "
                "`requires_grad_(False)` for its weights",
                share=share_of_call(trace, seen.file, seen.line, FORWARD),
            )
