"""What the pipeline hands to training."""

import numpy as np
import pytest

from tidewatch.features import LEVEL_SPREAD, MEAN_LEVEL
from tidewatch.pipeline import training_batches
from tidewatch.settings import STATIONS, Settings
from tidewatch.shards import read_shards, write_shards
from tidewatch.synthetic import readings, windows


@pytest.fixture
def settings(tmp_path):
    return Settings(data=tmp_path, window=6, batch_size=8)


def test_readings_depend_on_the_seed_alone():
    again = readings(100, seed=3)
    assert all(np.array_equal(series, again[name]) for name, series in readings(100, 3).items())
    assert not np.array_equal(readings(100, 4)["arlen"], again["arlen"])


def test_a_window_is_followed_by_the_next_level():
    past, following = windows(np.arange(5.0), 2)
    assert past.tolist() == [[0, 1], [1, 2], [2, 3]]
    assert following.tolist() == [2, 3, 4]


def test_files_are_read_in_turn_and_in_the_same_order_every_time(settings):
    paths = write_shards(readings(40, 1), settings.data, settings.window)
    first = [record.numpy() for record in read_shards(paths)]
    assert first == [record.numpy() for record in read_shards(paths)]
    assert len(first) == len(STATIONS) * (40 - settings.window)
    assert [name.encode() in record for name, record in zip(STATIONS, first)] == [True] * 4


def test_batches_hold_standardized_windows_and_station_numbers(settings):
    levels = readings(40, 1)
    paths = write_shards(levels, settings.data, settings.window)
    known = {
        np.round((series[hour : hour + 6] - MEAN_LEVEL) / LEVEL_SPREAD, 3).tobytes(): number
        for number, series in enumerate(levels.values())
        for hour in range(34)
    }
    seen = 0
    for (past, station), following in training_batches(paths, settings):
        assert past.shape == (8, 6) and station.shape == (8,) and following.shape == (8,)
        for row, number in zip(np.round(past.numpy(), 3), station.numpy()):
            assert known[row.tobytes()] == number
            seen += 1
    assert seen == 4 * 34 // 8 * 8
