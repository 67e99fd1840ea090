"""Both forecasters learn, and runs with one seed agree."""

import pytest

from tidewatch.settings import Settings
from tidewatch.train import run


@pytest.fixture(scope="module")
def errors(tmp_path_factory):
    return run(Settings(data=tmp_path_factory.mktemp("shards"), epochs=2), hours=200)


def test_keras_forecaster_learns(errors):
    keras_errors, _ = errors
    assert keras_errors[-1] < keras_errors[0] < 1.0


def test_torch_forecaster_learns(errors):
    _, torch_errors = errors
    assert torch_errors[-1] < torch_errors[0]


def test_a_seed_gives_the_same_run_again(errors, tmp_path):
    keras_errors, torch_errors = run(Settings(data=tmp_path, epochs=2), hours=200)
    assert keras_errors == pytest.approx(errors[0], rel=1e-4)
    assert torch_errors == pytest.approx(errors[1], rel=1e-4)
