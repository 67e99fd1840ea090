"""The proof as one file for a browser, which needs no network."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from deepperf.dynamic.report import Screen, duration, size
from deepperf.outputs.page import page_environment
from deepperf.prove.candidates import Candidate
from deepperf.prove.measuring import Judged
from deepperf.prove.proving import Proof
from deepperf.prove.report import command_of, measured_as, patch_of, remarks, whole_runs
from deepperf.prove.report.text import told
from deepperf.prove.trial import Answer

TEMPLATE = Path(__file__).with_name("page.html.jinja")
WIDTH = 120
"""Half of the width of the bars, in pixels: that of all of the time."""


@dataclass(frozen=True, slots=True)
class _Row:
    """A candidate as the page shows it; the bar goes from the low to the high end of its gain."""

    candidate: Candidate
    judged: Judged
    said: str
    begin: float
    width: float
    middle: float


def show(proof: Proof, _: Screen) -> str:
    """The page. Raises `WrongUse` where what makes it is not installed."""
    order = list(Answer)
    rows = [_row(one, judged) for one, judged in proof.tried]
    rows.sort(key=lambda row: (order.index(row.judged.answer), -row.middle))
    whole = proof.combination
    template = page_environment().from_string(TEMPLATE.read_text(encoding="utf-8"))
    return template.render(
        proof=proof,
        command=command_of(proof),
        rows=rows,
        together=None if whole is None else _row(whole.kept[0], whole.judged),
        patch=patch_of(proof).decode("utf-8", "replace").splitlines(),
        remarks=[*remarks(proof)],
        duration=duration,
        size=size,
        middle_line=WIDTH,
        whole_width=2 * WIDTH,
    )


def _row(candidate: Candidate, judged: Judged) -> _Row:
    gain = judged.gain
    amount = f"{told(gain)} {measured_as(judged)}".strip() if gain is not None else ""
    said = "; ".join(part for part in (amount, whole_runs(judged), judged.said) if part)
    if gain is None:
        return _Row(candidate, judged, said, 0.0, 0.0, 0.0)
    low, middle, high = (_place(value) for value in (gain.low, gain.saved, gain.high))
    return _Row(candidate, judged, said, low, high - low, middle)


def _place(saved: float) -> float:
    """Where a gain stands on the bar, in pixels; the middle is no gain."""
    return WIDTH * (1 + min(1.0, max(-1.0, saved)))
