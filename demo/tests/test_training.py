"""Both forecasters learn, and runs with one seed agree."""

import pytest

from tidewatch.settings import Settings
from tidewatch.train import run


@pytest.fixture(scope="module")
def errors(tmp_path_factory):
    return run(Settings(data=tmp_path_factory.mktemp("shards"), epochs=2), hours=400)


def test_keras_forecaster_learns(errors):
    keras_errors = errors["keras"]
    assert keras_errors[-1] < keras_errors[0] < 1.0


def test_torch_forecaster_learns(errors):
    torch_errors = errors["torch"]
    assert torch_errors[-1] < torch_errors[0]


def test_a_seed_gives_the_same_run_again(errors, tmp_path):
    again = run(Settings(data=tmp_path, epochs=2), hours=400)
    assert again["keras"] == pytest.approx(errors["keras"], rel=1e-4)
    assert again["torch"] == pytest.approx(errors["torch"], rel=1e-4)


def test_one_forecaster_can_be_trained_alone(tmp_path):
    settings = Settings(data=tmp_path, epochs=1)
    assert list(run(settings, hours=200, forecasters=("torch",))) == ["torch"]
