"""The ratio of two sides and how sure it is."""

from __future__ import annotations

import math

import pytest

from deepperf.bench.compare import EXACT, PAIRED_T, compare


def test_equal_counts_give_an_exact_ratio() -> None:
    comparison = compare([30, 30, 30], [2, 2, 2])
    assert math.isclose(comparison.ratio or 0, 15)
    assert comparison.low == comparison.high == comparison.ratio
    assert comparison.method == EXACT


def test_noise_that_both_sides_share_does_not_widen_the_interval() -> None:
    noise = [1.0, 3.0, 0.7, 2.2, 1.4]
    own = [1.01, 0.99, 1.0, 0.98, 1.02]
    bad = [8 * shared * alone for shared, alone in zip(noise, own, strict=True)]
    comparison = compare(bad, [4 * shared for shared in noise])
    assert math.isclose(comparison.ratio or 0, 2, rel_tol=0.01)
    assert 1.9 < (comparison.low or 0) < (comparison.high or 0) < 2.1


def test_noise_of_one_side_widens_the_interval_around_the_ratio() -> None:
    comparison = compare([10.0, 12.0, 9.0, 11.0], [1.0, 1.1, 0.9, 1.2])
    assert comparison.method == PAIRED_T
    assert comparison.low is not None
    assert comparison.high is not None
    assert 5 < comparison.low < 10 < comparison.high < 20


def test_no_difference_gives_an_interval_around_one() -> None:
    comparison = compare([1.0, 1.1, 0.9], [1.05, 0.95, 1.0])
    assert comparison.low is not None
    assert comparison.high is not None
    assert comparison.low < 1 < comparison.high


def test_the_interval_is_student_s_t_on_logarithms() -> None:
    # Ratios 2 and 8: mean of logarithms log 4, standard error log 2, t(0.975, 1) = 12.706.
    comparison = compare([2.0, 8.0], [1.0, 1.0])
    assert math.isclose(comparison.ratio or 0, 4)
    assert math.isclose(comparison.high or 0, 4 * 2**12.7062, rel_tol=1e-3)


def test_something_against_nothing_has_no_ratio() -> None:
    comparison = compare([12, 12], [0, 0])
    assert (comparison.ratio, comparison.low, comparison.high) == (None, None, None)


@pytest.mark.parametrize(
    ("bad", "good"), [([1.0], [1.0, 2.0]), ([], []), ([-1.0], [1.0]), ([1.0], [2.0, 3.0])]
)
def test_what_cannot_be_compared_is_refused(bad: list[float], good: list[float]) -> None:
    with pytest.raises(ValueError, match=r"."):
        compare(bad, good)
