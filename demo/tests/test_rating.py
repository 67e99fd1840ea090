"""Discharge, floods and the line service."""

import io
import json

import numpy as np
import pytest

from tidewatch.rating import RatingCurve, flood_days
from tidewatch.serve import answers


def test_discharge_follows_the_power_law_and_is_zero_below_the_base():
    curve = RatingCurve(scale=10.0, base=1.0, power=2.0)
    assert curve.discharge([0.5, 1.0, 2.0, 3.0]) == pytest.approx([0.0, 0.0, 10.0, 40.0])


def test_flood_days_counts_days_whose_peak_is_above_the_threshold():
    days = np.array([[1.0, 2.0], [3.5, 0.0], [3.0, 3.0]], dtype=np.float32)
    assert flood_days(days, threshold=2.5) == 2


def test_every_request_line_is_answered_in_order():
    requests = io.StringIO(
        '{"station": "arlen", "levels": [1.4, 0.0]}\n{"station": "brook", "levels": [2.4]}\n'
    )
    replies = [json.loads(line) for line in answers(requests, RatingCurve(10.0, 0.4, 2.0))]
    assert replies == [
        {"station": "arlen", "discharge": [10.0, 0.0]},
        {"station": "brook", "discharge": [40.0]},
    ]
