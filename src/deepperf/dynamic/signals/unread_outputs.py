"""A model of Hugging Face gives what it computed in each layer with every call, and nobody reads
it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from deepperf.dynamic.diagnosis import Diagnosis, Weight, told_at
from deepperf.dynamic.frameworks.torch_calls import ModuleCall, listen
from deepperf.dynamic.program.text import text_of
from deepperf.dynamic.recording.places import Place
from deepperf.dynamic.recording.tape import Tape
from deepperf.dynamic.recording.trace import Observation, Trace

NAME = "unread-outputs"
RULES = ("unused-attention-weights",)
FEWEST_CALLS = 16
OUTPUTS = {"attentions": "output_attentions", "hidden_states": "output_hidden_states"}
"""What is given for each layer, and the option that asks for it."""


def watch(tape: Tape) -> None:
    """Hear of calls of models once PyTorch is there, as long as the budget lasts."""
    watched = _Watch(tape)
    listen(tape, NAME, watched.look, watched.note)


class _Watch:
    def __init__(self, tape: Tape) -> None:
        self._tape = tape
        self._lines: dict[Place, dict[str, Any]] = {}

    def look(self, call: ModuleCall) -> None:
        """Take note of a call that gave something of each layer."""
        output = call.output
        if not isinstance(output, dict) or not hasattr(output, "to_tuple"):
            return
        given = [name for name in OUTPUTS if isinstance(output.get(name), tuple)]
        if not given:
            return
        line = self._lines.setdefault(call.place, {"calls": 0, "bytes": 0})
        line["calls"] += 1
        line["model"], line["given"] = type(call.module).__name__, given
        parts = [part for name in given for part in output[name] if call.is_tensor(part)]
        line["bytes"] = max(line["bytes"], sum(part.nbytes for part in parts))

    def note(self) -> None:
        """Put on the tape what is known so far."""
        for place, line in list(self._lines.items()):
            if line["calls"] >= FEWEST_CALLS:
                self._tape.note(NAME, place, count=0, detail=line)


def diagnose(trace: Trace) -> Iterator[Diagnosis]:
    """The lines that get outputs whose names stand nowhere else in the program: one that reads them
    by their position is not seen."""
    files = {seen.file for seen in trace.samples} | set(trace.reached)
    texts = [text_of(file) or "" for file in files]
    for seen in trace.observations:
        if seen.kind != NAME:
            continue
        unread = [name for name in seen.detail["given"] if not _is_read(name, texts)]
        if unread:
            yield _diagnosis(seen, unread)


def _is_read(name: str, texts: list[str]) -> bool:
    """Whether a program names such outputs, but for the option that asks for them."""
    return any(name in text.replace(OUTPUTS[name], "") for text in texts)


def _diagnosis(seen: Observation, unread: list[str]) -> Diagnosis:
    detail = seen.detail
    options = " and ".join(f"`{OUTPUTS[name]}`" for name in unread)
    cost = "; attention is computed the slow way for it" if "attentions" in unread else ""
    return told_at(
        seen,
        signal=NAME,
        cause="inefficient-api-usage",
        message=f"`{detail['model']}` gives {' and '.join(unread)} of all layers, and no file that "
        "ran names them",
        evidence=f"{detail['bytes'] / 1e6:,.1f} MB with each of {detail['calls']:,} sampled "
        f"calls{cost}",
        remedy=f"leave {options} off, in calls and in the configuration",
        weight=Weight.HINT,
        rule=RULES[0] if "attentions" in unread else "",
    )
