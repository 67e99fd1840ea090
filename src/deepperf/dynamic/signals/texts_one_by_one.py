"""A tokenizer of Hugging Face is given one text at a time, again and again from one line."""

from __future__ import annotations

import functools
import sys
import time
from collections.abc import Callable, Iterable, Mapping
from types import FrameType, ModuleType
from typing import Any

from deepperf.dynamic.diagnosis import Diagnosis, Weight, share_of_seconds, told_at
from deepperf.dynamic.program.handed_on import is_item_of_loop
from deepperf.dynamic.program.turns import needs_last_turn
from deepperf.dynamic.recording.places import DEEPEST
from deepperf.dynamic.recording.tape import Tape
from deepperf.dynamic.recording.trace import Observation, Trace
from deepperf.dynamic.recording.unseen import standing_for

NAME = "texts-one-by-one"
RULES = ("unbatched-tokenizer",)
LEAST = 0.005
"""Share of the run below which it is not even worth a note."""
FEWEST_TEXTS = 500
"""Texts from one line: fewer take less than half a second."""
OVERHEAD = 40e-6
"""Seconds that a text of a few words takes longer alone than in a batch of a thousand; one that is
padded, or made a tensor, takes yet longer."""
MOST_WAYS = 5
"""Lines of the user's that are kept of what led to a call."""
PREPARING = (
    "torch/utils/data/",
    "datasets/arrow_dataset.py",
    "datasets/iterable_dataset.py",
    "tensorflow/python/data/",
    "tensorflow/python/ops/script_ops.py",
)
"""What asks for one sample after the other: what it calls makes the samples of a data set."""


def watch(tape: Tape) -> None:
    """Time what the program itself gives to tokenizers."""
    tape.imports.after("transformers.tokenization_utils_base", functools.partial(_watch, tape))


def _watch(tape: Tape, module: ModuleType) -> None:
    cls: Any = getattr(module, "PreTrainedTokenizerBase", None)
    for name in ("__call__", "encode", "encode_plus"):
        method = getattr(cls, name, None)
        if method is not None:
            setattr(cls, name, _timed(tape, method))


def _timed(tape: Tape, method: Callable[..., Any]) -> Callable[..., Any]:
    @standing_for(method)
    def timed(tokenizer: Any, *arguments: Any, **named: Any) -> Any:
        frame = sys._getframe(1)
        if not tape.active or not tape.code.path_of(frame.f_code.co_filename):
            return method(tokenizer, *arguments, **named)
        begin = time.perf_counter()
        result = method(tokenizer, *arguments, **named)
        seconds = time.perf_counter() - begin
        if _is_one(arguments, named) and getattr(tokenizer, "is_fast", False):
            tape.guarded(NAME, lambda: _note(tape, seconds, frame))
        return result

    return timed


def _is_one(arguments: tuple[Any, ...], named: Mapping[str, Any]) -> bool:
    text = arguments[0] if arguments else named.get("text")
    return isinstance(text, str) or (bool(named.get("is_split_into_words")) and _is_words(text))


def _is_words(text: Any) -> bool:
    return isinstance(text, (list, tuple)) and bool(text) and isinstance(text[0], str)


def _note(tape: Tape, seconds: float, frame: FrameType) -> None:
    place = tape.code.place(frame)
    if place is None:
        return
    tape.note(NAME, place, seconds=seconds)
    detail = tape.detail(NAME, place)
    if "ways" not in detail:
        detail["ways"] = [[way.file, way.line] for way in tape.code.stack(frame)[:MOST_WAYS]]
        detail["prepares"] = _prepares(frame)


def _prepares(frame: FrameType | None) -> bool:
    """Whether what calls is asked for one sample after the other by what loads data."""
    for _ in range(DEEPEST):
        if frame is None:
            break
        if any(part in frame.f_code.co_filename for part in PREPARING):
            return True
        frame = frame.f_back
    return False


def diagnose(trace: Trace) -> Iterable[Diagnosis]:
    """The lines that tokenize text after text."""
    for seen in trace.observations:
        if seen.kind != NAME or seen.count < FEWEST_TEXTS:
            continue
        ways = [tuple(way) for way in seen.detail["ways"]]
        share = share_of_seconds(trace, _saved(trace, seen))
        # What is written word by word, or answered in turn, is not there before.
        if share >= LEAST and not any(needs_last_turn(*way) for way in ways):
            yield _diagnosis(trace, seen, ways, share)


def _saved(trace: Trace, seen: Observation) -> float:
    """The seconds that all texts would take less in batches."""
    saved = min(seen.seconds, seen.count * OVERHEAD)
    return saved + (seen.seconds - saved) * (1 - 1 / _cores(trace))


def _cores(trace: Trace) -> int:
    return int(trace.machine.get("cores", 1))


def _diagnosis(
    trace: Trace, seen: Observation, ways: list[tuple[str, int]], share: float
) -> Diagnosis:
    prepares = seen.detail["prepares"]
    return told_at(
        seen,
        signal=NAME,
        cause="missed-batch-api",
        message="a tokenizer is called with one text at a time",
        evidence=(
            f"{seen.count:,} texts took {seen.seconds:.2f} s, "
            f"{1e6 * seen.seconds / seen.count:,.0f} us each; a batch spreads over "
            f"{_cores(trace)} cores, and saves the cost of each call"
        ),
        remedy=(
            "pass it lists of texts: all of them once, before the loop or with `batched=True`, or "
            "those of a batch in the function that collates"
            if prepares
            else "pass it a list of all texts, or of a few thousand at a time"
        ),
        weight=Weight.TIME if prepares or is_item_of_loop(ways) else Weight.HINT,
        share=share,
        rule=RULES[0],
    )
