"""A part of a PyTorch model that nothing trains computes the same for the same samples, again in
each epoch."""

from __future__ import annotations

from collections.abc import Iterable

from deepperf.dynamic.diagnosis import Diagnosis, Weight, share_of, told_at
from deepperf.dynamic.frameworks.torch_calls import ModuleCall, Which, listen
from deepperf.dynamic.program.turns import in_loop
from deepperf.dynamic.recording.places import Place
from deepperf.dynamic.recording.tape import Tape
from deepperf.dynamic.recording.trace import Observation, Trace
from deepperf.dynamic.signals.repeated_call import follows_answers, is_timed

NAME = "repeated-samples"
RULES = ("loop-invariant-op",)
LOOKED_AT = 24
"""Rows of a call that are looked at, about."""
MOST_ROWS = 8192
"""Rows that are remembered at a line."""
FEWEST_KNOWN = 96
"""Rows that came again: fewer may be drawn twice by chance."""
PART_KNOWN = 0.2
"""Part of the rows looked at that came again: of two epochs, half of which was heard, a quarter."""
CHANGED = 0.1
"""Part of those that may be answered otherwise: more, and the model itself changes now and then."""
LEAST = 0.1
"""Share of the line below which it is not worth a file of features."""
FEWEST_TRIED = 400
"""Calls of a line after which one that never met a row again is looked at no more."""


def watch(tape: Tape) -> None:
    """Compare rows with those that the same line has asked about before."""
    watched = _Watch(tape)
    listen(tape, NAME, watched.look, watched.note, Which.SETTLED)


class _Line:
    """What was asked at a line, row by row, and how often an answer was known."""

    __slots__ = ("answers", "calls", "changed", "known", "model", "rows", "ways")

    def __init__(self, model: str, ways: tuple[Place, ...]) -> None:
        self.answers: dict[int, int] = {}
        self.calls = self.rows = self.known = self.changed = 0
        self.model = model
        self.ways = ways


class _Watch:
    def __init__(self, tape: Tape) -> None:
        self._tape = tape
        self._lines: dict[Place, _Line] = {}

    def look(self, call: ModuleCall) -> None:
        """Take note of what a call was asked and has answered."""
        line = self._lines.get(call.place)
        if line is None:
            line = self._lines[call.place] = _Line(type(call.module).__name__, call.ways)
        line.calls += 1
        if line.calls > FEWEST_TRIED and not line.known:
            return
        asked = call.rows_asked(LOOKED_AT)
        if asked is None:
            return
        answered = call.rows_answered(asked)
        if answered is None:
            return
        weights = id(call.module)
        for row, answer in zip(asked.hashes, answered, strict=True):
            key = hash((row, weights))
            before = line.answers.get(key)
            line.rows += 1
            line.known += before == answer
            line.changed += before is not None and before != answer
            if before is not None or len(line.answers) < MOST_ROWS:
                line.answers[key] = answer

    def note(self) -> None:
        """Put on the tape what is known so far."""
        for place, line in list(self._lines.items()):
            if line.known >= FEWEST_KNOWN:
                self._tape.note(NAME, place, count=0)
                self._tape.detail(NAME, place).update(
                    rows=line.rows,
                    known=line.known,
                    changed=line.changed,
                    model=line.model,
                    ways=[[way.file, way.line] for way in line.ways],
                )


def diagnose(trace: Trace) -> Iterable[Diagnosis]:
    """The lines whose answers could have been kept."""
    for seen in trace.observations:
        if seen.kind != NAME or "rows" not in seen.detail:
            continue
        known, changed = seen.detail["known"], seen.detail["changed"]
        is_often = known >= PART_KNOWN * seen.detail["rows"] and changed <= CHANGED * known
        share = share_of(trace, seen.file, seen.line)
        if is_often and share >= LEAST and not follows_answers(seen) and _turns(seen):
            yield _diagnosis(seen, share)


def _turns(seen: Observation) -> bool:
    return any(in_loop(*way) for way in seen.detail["ways"])


def _diagnosis(seen: Observation, share: float) -> Diagnosis:
    known, rows = seen.detail["known"], seen.detail["rows"]
    return told_at(
        seen,
        signal=NAME,
        cause="inefficient-api-usage",
        message=f"`{seen.detail['model']}`, which is not trained, computes the same samples again",
        evidence=(
            f"{known:,} of {rows:,} sampled rows repeated earlier ones, with the same "
            f"output; the line takes {share:.0%} of the run"
        ),
        remedy=(
            "run it once on each sample, keep the outputs in memory or in a file, and train on them"
        ),
        weight=Weight.HINT if is_timed(seen.file, seen.line) else Weight.TIME,
        share=share * known / rows,
        rule="loop-invariant-op",
    )
