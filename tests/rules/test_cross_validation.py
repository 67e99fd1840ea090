"""Levels are held against verdicts on repositories from which nothing was learnt."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from pathlib import Path

import pytest

from deepperf.dev.cross_validation import (
    COLUMNS,
    ESTIMATORS,
    FILE,
    Hit,
    Outcome,
    by_rule,
    concordance,
    crossed,
    curve,
    folds_of,
    operating_point,
    outcome,
    read_hits,
)

ROOT = Path(__file__).parents[2]


def _hit(
    repository: str, verdict: str, estimate: float = 0.0, now: str = "note", rule: str = "slow-op"
) -> Hit:
    parts = {**dict.fromkeys(COLUMNS, ""), "rule": rule, "place": "source"}
    parts["estimate"] = str(estimate)
    return Hit(repository, verdict, now, True, "judged-1", parts)


def _separable(repositories: int = 20) -> list[Hit]:
    """In each repository two findings that are true and dear, and one that is neither."""
    of = [("true", 0.5), ("true", 0.4), ("arguable", 0.1)]
    names = [f"owner__{number}" for number in range(repositories)]
    return [_hit(name, verdict, estimate) for name in names for verdict, estimate in of]


def test_findings_of_a_repository_are_in_one_fold() -> None:
    hits = [_hit(f"owner__{number % 30}", "true") for number in range(200)]
    folds = folds_of(hits)
    of = {hit.repository: fold for hit, fold in zip(hits, folds, strict=True)}
    assert [of[hit.repository] for hit in hits] == folds
    assert len(set(folds)) == 10
    assert max(map(folds.count, folds)) - min(map(folds.count, folds)) <= 7


def test_nothing_is_learnt_from_the_repository_that_is_scored() -> None:
    hits = [*_separable(), *(_hit("big__one", "true", rule="other") for _ in range(9))]

    def seen(known: Sequence[Hit], asked: Sequence[Hit]) -> list[float]:
        both = {hit.repository for hit in known} & {hit.repository for hit in asked}
        return [float(len(both))] * len(asked)

    scores, _ = crossed(hits, seen)
    assert set(scores) == {0.0}
    scores, _ = crossed(hits, by_rule)
    mean = 2 / 3  # no other repository has a finding of the rule
    assert scores[-9:] == pytest.approx([mean] * 9)


def test_an_estimate_that_tells_true_findings_from_others_is_enough() -> None:
    hits = _separable()
    _, warned = crossed(hits, ESTIMATORS["estimate"])
    assert outcome(hits, warned) == Outcome(1.0, 1.0, 1.0, 0.0, 40)
    assert outcome(hits, warned).is_enough


def test_an_estimate_that_says_nothing_is_not_enough() -> None:
    hits = [_hit(one.repository, one.verdict, 0.2) for one in _separable()]
    hits += [_hit("owner__0", "false", 0.2) for _ in range(20)]
    _, warned = crossed(hits, ESTIMATORS["estimate"])
    found = outcome(hits, warned)
    assert (found.warned, found.true, found.false) == (1.0, 0.5, 0.25)
    assert not found.is_enough


def test_weights_are_learnt_of_what_findings_have_in_common() -> None:
    hits = [one._replace(parts={**one.parts, "loops": _loop_of(one)}) for one in _separable()]
    _, warned = crossed(hits, ESTIMATORS["all parts"])
    assert outcome(hits, warned).is_enough


def _loop_of(hit: Hit) -> str:
    return "step" if hit.verdict == "true" else "epoch"


def test_a_true_finding_that_is_silent_or_in_a_test_is_not_warned_of() -> None:
    hits = [_hit("a__a", "true", 0.5), _hit("a__a", "true", 0.5, "silent")]
    tried = _hit("b__b", "true", 0.5)
    hits.append(tried._replace(parts={**tried.parts, "place": "test"}))
    ((threshold, found),) = curve(hits, [0.5, 0.5, 0.5])
    assert threshold == 0.5
    assert found == Outcome(2 / 3, 1 / 3, 1.0, 0.0, 1)


def test_the_best_that_is_enough_wins_over_a_better_score_that_is_not() -> None:
    wrong = Outcome(told=0.9, warned=0.95, true=0.9, false=0.1, warnings=50)
    little = Outcome(told=0.9, warned=0.6, true=0.9, false=0.02, warnings=30)
    right = Outcome(told=0.9, warned=0.7, true=0.85, false=0.05, warnings=40)
    points = [(0.9, little), (0.5, right), (0.1, wrong)]
    assert operating_point(points) == (0.5, right)


def test_where_nothing_is_enough_the_best_by_f_score_is_chosen() -> None:
    sharp = Outcome(told=0.9, warned=0.1, true=1.0, false=0.0, warnings=5)
    middle = Outcome(told=0.9, warned=0.5, true=0.5, false=0.1, warnings=50)
    everything = Outcome(told=0.9, warned=0.9, true=0.2, false=0.3, warnings=200)
    assert operating_point([(3, sharp), (2, middle), (1, everything)]) == (2, middle)
    assert operating_point([])[1].warnings == 0


def test_pairs_of_findings_of_one_rule_tell_whether_scores_say_more_than_the_rule() -> None:
    hits = [_hit("a__a", "true"), _hit("a__a", "false"), _hit("a__a", "true", rule="other")]
    assert concordance(hits, [0.5, 0.2, 0.1], [0, 0, 0]) == 1.0
    assert concordance(hits, [0.2, 0.5, 0.9], [0, 0, 0]) == 0.0
    assert concordance(hits, [0.3, 0.3, 0.3], [0, 0, 0]) == 0.5
    assert concordance(hits, [0.5, 0.2, 0.1], [0, 1, 0]) == 0.5  # no pair within a fold


def test_copies_of_a_file_count_once(tmp_path: Path) -> None:
    path = tmp_path / "estimates.csv"
    rows = [("a__a", "src/net/x.py"), ("b__b", "lib/src/net/x.py"), ("a__a", "x.py")]
    with path.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.DictWriter(stream, COLUMNS, restval="")
        writer.writeheader()
        for repository, file in (*rows, ("b__b", "x.py")):
            writer.writerow({"repository": repository, "file": file, "line": "1", "rule": "r"})
    assert [hit.repository for hit in read_hits(path)] == ["b__b", "a__a", "b__b"]


def test_the_estimates_that_are_kept_can_be_calibrated() -> None:
    hits = read_hits(ROOT / FILE)
    assert {hit.verdict for hit in hits} == {"true", "arguable", "false"}
    assert {hit.now for hit in hits} <= {"warning", "note", "silent"}
    assert any(hit.parts["cost"] and hit.parts["loops"] for hit in hits)
