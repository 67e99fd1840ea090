"""Trains the forecasters on synthetic readings."""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Sequence
from pathlib import Path

import keras

from tidewatch import forecaster, torch_trainer
from tidewatch.pipeline import training_batches
from tidewatch.settings import Settings
from tidewatch.shards import write_shards
from tidewatch.synthetic import readings


FORECASTERS = ("keras", "torch")


def run(
    settings: Settings, hours: int, forecasters: Sequence[str] = FORECASTERS
) -> dict[str, list[float]]:
    """The errors per epoch of each forecaster."""
    keras.utils.set_random_seed(settings.seed)
    levels = readings(hours, settings.seed)
    errors = {}
    if "keras" in forecasters:
        paths = write_shards(levels, settings.data, settings.window)
        model = forecaster.build(settings.window)
        errors["keras"] = forecaster.train(model, training_batches(paths, settings), settings)
    if "torch" in forecasters:
        batches = torch_trainer.loader(levels, settings)
        errors["torch"] = torch_trainer.train(batches, settings)
    return errors


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--hours", type=int, default=600, help="length of the readings")
    parser.add_argument("--only", choices=FORECASTERS, help="train this forecaster alone")
    arguments = parser.parse_args()
    forecasters = (arguments.only,) if arguments.only else FORECASTERS
    with tempfile.TemporaryDirectory() as folder:
        settings = Settings(data=Path(folder), epochs=arguments.epochs)
        for name, errors in run(settings, arguments.hours, forecasters).items():
            print(name, " ".join(f"{error:.4f}" for error in errors))


if __name__ == "__main__":
    main()
