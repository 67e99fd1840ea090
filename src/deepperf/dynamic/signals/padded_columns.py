"""A model is given sequences that are padded to far more positions than the longest of them has."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from deepperf.dynamic.diagnosis import Diagnosis, running_part, share_of, share_of_seconds, told_at
from deepperf.dynamic.frameworks.torch_calls import ModuleCall, listen
from deepperf.dynamic.frameworks.torch_padding import columns_reached
from deepperf.dynamic.program.padding import padded_at
from deepperf.dynamic.program.text import text_of
from deepperf.dynamic.recording.places import Place
from deepperf.dynamic.recording.tape import Tape
from deepperf.dynamic.recording.trace import Observation, Trace, shown_path

NAME = "padded-columns"
RULES = ("padding-to-maximum",)
LEAST = 0.005
"""Share of the run below which it is not even worth a note."""
MASK = "attention_mask"
"""The argument by which models of Hugging Face learn which tokens are padding."""
FEWEST_CALLS = 16
"""Calls of a line that were looked at: fewer are an example or two."""
FEWEST_STEPS = 4
"""Steps of a training that do as well: budgets end soon where a step has many operations."""
FEWEST_ROWS = 2
"""Rows of a call: a single one is padded by whoever compiled the model for one length."""
WASTED = 0.3
"""Part of all columns that no text of a batch reaches from which on a change is felt: lengths that
are multiples of 8 or 64, which units for matrices want, waste less."""
PACKS = ("pack_padded_sequence", "pack_sequence", "nested_tensor", "varlen")
"""What PyTorch and kernels for attention call sequences without padding."""
MASKED = (
    "pad each batch to its longest text: `padding=True` where it is tokenized, or no "
    "padding there and `DataCollatorWithPadding` where batches are made; keep `max_length` "
    "for cutting"
)
PLAIN = (
    "pad each batch to its own longest sequence, in the `collate_fn` of the loader with "
    "`torch.nn.utils.rnn.pad_sequence(..., batch_first=True)`; a model that wants one length for "
    "all needs what is there"
)
BACKWARD = 3
"""How many times as long as its forward pass a training step takes."""
COUNTED = ("calls", "columns", "masked", "needed", "seconds", "trains")


class _Line:
    __slots__ = (*COUNTED, "kind", "steps", "tick")

    def __init__(self, kind: Any) -> None:
        self.kind = kind
        self.calls = self.columns = self.masked = self.needed = self.trains = 0
        self.seconds = 0.0
        self.steps, self.tick = 0, -1


def _unmasked(call: ModuleCall, given: Any) -> int | None:
    """The columns in which a mask lets some row take part."""
    mask: Any = call.named[MASK]
    if not call.is_tensor(mask) or mask.dim() != 2 or mask.device.type != "cpu":
        return None
    # Of numbers that are added to scores, zero is what counts.
    if mask.is_floating_point() or given.shape[:2] != mask.shape:
        return None
    return int(mask.bool().any(0).sum())


class _Watch:
    def __init__(self, tape: Tape) -> None:
        self._tape = tape
        self._lines: dict[Place, _Line] = {}

    def look(self, call: ModuleCall) -> None:
        """Count the columns of a call, and those that hold a token of some row."""
        given = call.given
        # What generates gives the masks of all tokens so far, and computes the last alone.
        if given is None or given.dim() < 2 or given.size(0) < FEWEST_ROWS:
            return
        mask: Any = call.named.get(MASK)
        reached = _unmasked(call, given) if mask is not None else columns_reached(given)
        if reached is None:
            return
        line = self._lines.get(call.place)
        if line is None:
            line = self._lines[call.place] = _Line(given.dtype)
        # What one model makes of tokens, another may be given at the same line.
        if given.dtype != line.kind:
            return
        line.calls += 1
        line.columns += given.size(1)
        line.needed += reached
        line.seconds += call.seconds
        line.trains += call.trains
        ticks = self._tape.ticks
        line.steps += call.trains and ticks != line.tick
        line.tick = ticks
        line.masked += mask is not None

    def note(self) -> None:
        """Put on the tape what is known so far."""
        for place, line in list(self._lines.items()):
            if line.calls >= FEWEST_CALLS or line.steps >= FEWEST_STEPS:
                self._tape.note(NAME, place, count=0)
                told: dict[str, Any] = {name: getattr(line, name) for name in COUNTED}
                self._tape.detail(NAME, place).update(told)


def watch(tape: Tape) -> None:
    """Hear of calls of models once PyTorch is there, as long as the budget lasts."""
    watched = _Watch(tape)
    listen(tape, NAME, watched.look, watched.note)


def diagnose(trace: Trace) -> Iterable[Diagnosis]:
    """The lines that compute what nobody needs."""
    for seen in trace.observations:
        if seen.kind == NAME and "needed" in seen.detail:
            detail = seen.detail
            wasted = 1 - detail["needed"] / detail["columns"]
            share = wasted * _share_of_calls(trace, seen)
            is_sure = detail.get("masked", detail["calls"]) or not _packs(trace)
            if wasted >= WASTED and share >= LEAST and is_sure:
                yield _diagnosis(trace, seen, wasted, share)


def _diagnosis(trace: Trace, seen: Observation, wasted: float, share: float) -> Diagnosis:
    detail = seen.detail
    calls, asked_at = detail["calls"], _asked_at(trace)
    asked = (
        f"; `max_length` is asked for at {shown_path(trace, asked_at[0])}:{asked_at[1]}"
        if asked_at
        else ""
    )
    told = told_at(
        seen,
        signal=NAME,
        cause="improper-data-input",
        message="sequences are padded far beyond the longest of their batch",
        evidence=(
            f"{calls:,} sampled batches have {detail['columns'] / calls:,.0f} positions "
            f"in a row, and their longest sequences {detail['needed'] / calls:,.0f}: {wasted:.0%} "
            f"of the computation is padding{asked}"
        ),
        remedy=MASKED if detail.get("masked", calls) else PLAIN,
        share=share,
        rule=RULES[0],
    )
    return replace(told, asked_at=asked_at)


def _packs(trace: Trace) -> bool:
    """Whether a file of the program takes padding out itself, before it computes."""
    files = {seen.file for seen in trace.samples} | set(trace.reached)
    return any(one in (text_of(file) or "") for file in files for one in PACKS)


def _asked_at(trace: Trace) -> tuple[str, int] | None:
    """Where the program asks for it, if that is in one place."""
    files = sorted({seen.file for seen in trace.samples} | set(trace.reached))
    found = [(file, line) for file in files for line in padded_at(file)]
    return found[0] if len(found) == 1 else None


def _share_of_calls(trace: Trace, seen: Observation) -> float:
    """The share of the run that the calls of a line take, with what goes back through them."""
    detail = seen.detail
    share = share_of(trace, seen.file, seen.line)
    if not detail["trains"]:
        return share
    steps = max((detail["calls"], *trace.steps.values()))
    seconds = BACKWARD * steps * detail["seconds"] / detail["calls"]
    # These are of the processor.
    return share_of_seconds(trace, seconds / (running_part(trace) or 1.0))
