"""Activations are computed again in the backward pass, though there is memory enough to keep them:
gradient checkpointing."""

from __future__ import annotations

import weakref
from collections.abc import Iterator
from typing import Any

from deepperf.dynamic.diagnosis import FLOOR, Diagnosis, Weight, told_at
from deepperf.dynamic.frameworks.torch_calls import ModuleCall, listen
from deepperf.dynamic.recording.places import Place
from deepperf.dynamic.recording.tape import Tape
from deepperf.dynamic.recording.trace import Trace

NAME = "recomputed-activations"
RULES: tuple[str, ...] = ()
SYMPTOMS = ("slow-execution",)
FEWEST_CALLS = 4
"""Calls in training: it is a switch, which few of them tell."""
SWITCH = "gradient_checkpointing"
"""The attribute that it sets in parts of a model."""
AGAIN = ("recompute_fn", "CheckpointFunction.backward", "unpack_hook")
"""Functions of `torch.utils.checkpoint` that compute something again, or ask for it, as their names
end."""
LITTLE = 8_000_000_000
"""Bytes up to which a process that holds no more has little to gain by holding less."""


def watch(tape: Tape) -> None:
    """Hear of calls of models once PyTorch is there, as long as the budget lasts."""
    watched = _Watch(tape)
    listen(tape, NAME, watched.look, watched.note)


class _Watch:
    def __init__(self, tape: Tape) -> None:
        self._tape = tape
        self._lines: dict[Place, tuple[str, int]] = {}
        self._models: weakref.WeakKeyDictionary[Any, bool] = weakref.WeakKeyDictionary()

    def look(self, call: ModuleCall) -> None:
        """Take note of a training call of a model of Hugging Face's that keeps no activations, on
        the processor: what an accelerator lacks of memory is not known."""
        if not call.trains:
            return
        computes = self._models.get(call.module)
        if computes is None:
            weight = next(iter(call.module.parameters()), None)
            is_at_hand = weight is not None and weight.device.type == "cpu"
            computes = is_at_hand and any(map(_is_switched_on, call.module.modules()))
            self._models[call.module] = computes
        if computes:
            _, calls = self._lines.get(call.place, ("", 0))
            self._lines[call.place] = type(call.module).__name__, calls + 1

    def note(self) -> None:
        """Put on the tape what is known so far."""
        for place, (model, calls) in list(self._lines.items()):
            if calls >= FEWEST_CALLS:
                self._tape.note(NAME, place, count=0, detail={"model": model, "calls": calls})


def _is_switched_on(module: Any) -> bool:
    # A property that says so may warn, which the program would not.
    return module.__dict__.get(SWITCH) is True


def diagnose(trace: Trace) -> Iterator[Diagnosis]:
    """The lines that call such a model."""
    seen = next((one for one in trace.observations if one.kind == NAME), None)
    if seen is None or not 0 < trace.peak <= LITTLE:
        return
    again = sum(
        count for one in trace.samples for way, count in one.calls.items() if _is_again(way)
    )
    share = again / trace.sampled if trace.sampled else 0.0
    is_met = share >= FLOOR
    cost = f"{share:.0%} of the time goes to that" if is_met else "what it takes was not seen"
    yield told_at(
        seen,
        signal=NAME,
        cause="improper-configuration",
        message=f"`{seen.detail['model']}` computes its activations again in each backward pass "
        "(gradient checkpointing)",
        evidence=f"{cost}; the process held {trace.peak / 1e9:,.1f} GB at most",
        remedy="switch it off where memory suffices without it: it trades time for memory",
        weight=Weight.HINT,
    )


def _is_again(way: str) -> bool:
    return any(name.endswith(AGAIN) for name in way.split("/"))
