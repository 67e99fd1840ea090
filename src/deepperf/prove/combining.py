"""Which proven changes go together: all at first, then without each that no longer helps."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from deepperf.prove.candidates import Candidate, change_of, together
from deepperf.prove.measuring import Bench, Judged, Trial, race
from deepperf.prove.offer import Quantity
from deepperf.prove.runs import UNCHANGED
from deepperf.prove.trial import PROVEN, Answer
from deepperf.semantics.text.source import Source


@dataclass(frozen=True, slots=True)
class Combination:
    """The changes kept, and what they gain together; `left_out` says why of the others."""

    kept: tuple[Candidate, ...]
    judged: Judged
    left_out: tuple[tuple[Candidate, str], ...] = ()


Try = Callable[[Sequence[Candidate], Sequence[Candidate]], Judged]
"""Measures some changes against others that are made, or none."""


def combined(proven: Sequence[tuple[Candidate, Judged]], attempt: Try) -> Combination:
    """The proven changes that go together, what saves most time first, what saves memory last.

    `attempt` answers `NOT_TRIED` once the time is up: then what is known is kept.
    """
    ordered = sorted(proven, key=lambda one: (PROVEN.index(one[1].answer), -_saved(one[1])))
    candidates = [candidate for candidate, _ in ordered]
    kept = together(candidates)
    left_out = [(one, "touches the same text as another") for one in candidates if one not in kept]
    if len(kept) == 1:
        return Combination(kept, ordered[0][1], tuple(left_out))
    whole = attempt(kept, ())
    if whole.answer not in PROVEN:
        return _added(kept, ordered, attempt, left_out)
    for one in reversed(kept):
        rest = tuple(other for other in kept if other is not one)
        if not rest:
            break
        said = attempt(kept, rest)
        if said.answer in (Answer.NO_DIFFERENCE, Answer.SLOWER) and _saved(said) <= 0:
            left_out.append((one, "gains nothing beside the others"))
            kept = rest
            again = attempt(kept, ()) if len(kept) > 1 else dict(ordered)[kept[0]]
            whole = again if again.answer in PROVEN else whole
    return Combination(kept, whole, tuple(left_out))


def _added(
    candidates: Sequence[Candidate],
    ordered: Sequence[tuple[Candidate, Judged]],
    attempt: Try,
    left_out: list[tuple[Candidate, str]],
) -> Combination:
    """One after the other, each that gains beside those before it."""
    kept = candidates[:1]
    whole = ordered[0][1]
    for one in candidates[1:]:
        said = attempt((*kept, one), kept)
        if said.answer not in PROVEN:
            left_out.append((one, said.said or "gains nothing beside the others"))
            continue
        kept = (*kept, one)
        again = attempt(kept, ())
        whole = again if again.answer in PROVEN else whole
    return Combination(tuple(kept), whole, tuple(left_out))


def attempt_on(bench: Bench, sources: Mapping[str, Source]) -> Try:
    """Measures combinations by running them. Raises `Stopped`."""

    def attempt(made: Sequence[Candidate], base: Sequence[Candidate]) -> Judged:
        if bench.left <= 0:
            said = "interrupted" if bench.interrupted else "the time was up"
            return Judged(Answer.NOT_TRIED, said)
        names = " + ".join(one.name for one in made)
        quantity = _common(made)
        try:
            before = change_of(base, sources) if base else UNCHANGED
            trial = Trial(names, change_of(made, sources), quantity, before)
        except ValueError as error:
            return Judged(Answer.NOT_TRIED, str(error))
        return race(bench, [trial])[0]

    return attempt


def _common(candidates: Sequence[Candidate]) -> Quantity:
    """The quantity in which all show: where work overlaps, only a clock tells."""
    quantities = {one.quantity for one in candidates}
    for quantity in (Quantity.WALL, Quantity.STEP):
        if quantity in quantities:
            return quantity
    return Quantity.CPU


def _saved(judged: Judged) -> float:
    return judged.gain.saved if judged.gain is not None else 0.0
