"""Of what is proven, that is kept which gains beside the rest."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from deepperf.prove.candidates import Candidate
from deepperf.prove.combining import combined
from deepperf.prove.measuring import Judged
from deepperf.prove.offer import Quantity
from deepperf.prove.trial import Answer, Gain
from deepperf.records import Edit

ONE, TWO, THREE = (
    Candidate(name, "", "a.py", (1,), (Edit(at, at, name),))
    for at, name in enumerate(("one", "two", "three"))
)


def said(saved: float) -> Judged:
    answer = Answer.FASTER if saved >= 0.02 else Answer.NO_DIFFERENCE
    return Judged(answer, "", Gain(saved, saved - 0.01, saved + 0.01, 4))


def tried(times: Mapping[str, float]):  # type: ignore[no-untyped-def]
    """Measures by a table of the time that each set of names takes."""

    def time_of(candidates: Sequence[Candidate]) -> float:
        return times[" ".join(sorted(one.name for one in candidates))]

    return lambda made, base: said(1 - time_of(made) / time_of(base))


def test_what_is_proven_alone_needs_no_other_measurement() -> None:
    found = combined([(ONE, said(0.3))], tried({}))
    assert found.kept == (ONE,)


def test_all_that_gain_beside_each_other_are_kept() -> None:
    times = {"": 1.0, "one": 0.7, "two": 0.8, "one two": 0.5}
    found = combined([(TWO, said(0.2)), (ONE, said(0.3))], tried(times))
    assert found.kept == (ONE, TWO)
    assert found.judged.gain is not None
    assert round(found.judged.gain.saved, 2) == 0.5


def test_what_gains_nothing_beside_the_others_is_left_out() -> None:
    times = {"": 1.0, "one": 0.6, "two": 0.8, "one two": 0.61}
    found = combined([(ONE, said(0.4)), (TWO, said(0.2))], tried(times))
    assert found.kept == (ONE,)
    assert [one for one, _ in found.left_out] == [TWO]


def test_where_all_together_lose_each_is_added_that_gains() -> None:
    times = {"": 1.0, "one": 0.6, "one two": 0.9, "one three": 0.4, "one three two": 1.1}
    proven = [(ONE, said(0.4)), (TWO, said(0.3)), (THREE, said(0.2))]
    found = combined(proven, tried(times))
    assert found.kept == (ONE, THREE)


def test_what_saves_memory_is_kept_behind_what_saves_time() -> None:
    memory = Judged(Answer.LEANER, "", Gain(0.5, 0.49, 0.51, 4), Quantity.MEMORY)

    def attempt(made: Sequence[Candidate], base: Sequence[Candidate]) -> Judged:
        return said(0.3) if ONE in made and ONE not in base else memory

    found = combined([(TWO, memory), (ONE, said(0.3))], attempt)
    assert found.kept == (ONE, TWO)
    assert found.judged.answer is Answer.FASTER


def test_of_two_that_touch_the_same_text_the_better_one_is_kept() -> None:
    left, right = (Candidate(n, "", "a.py", (1,), (Edit(0, 5, n),)) for n in ("left", "right"))
    found = combined([(left, said(0.2)), (right, said(0.4))], tried({}))
    assert found.kept == (right,)
    assert [one for one, _ in found.left_out] == [left]


def test_once_the_time_is_up_what_is_known_is_kept() -> None:
    proven = [(ONE, said(0.4)), (TWO, said(0.3))]
    found = combined(proven, lambda _made, _base: Judged(Answer.NOT_TRIED, "the time was up"))
    assert found.kept == (ONE,)
    assert found.judged.gain == said(0.4).gain
