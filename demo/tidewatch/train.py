"""Trains both forecasters on synthetic readings."""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

import keras

from tidewatch import forecaster, torch_trainer
from tidewatch.pipeline import training_batches
from tidewatch.settings import Settings
from tidewatch.shards import write_shards
from tidewatch.synthetic import readings


def run(settings: Settings, hours: int) -> tuple[list[float], list[float]]:
    """The errors per epoch of the Keras and of the PyTorch forecaster."""
    keras.utils.set_random_seed(settings.seed)
    levels = readings(hours, settings.seed)
    paths = write_shards(levels, settings.data, settings.window)
    model = forecaster.build(settings.window)
    keras_errors = forecaster.train(model, training_batches(paths, settings), settings)
    torch_errors = torch_trainer.train(torch_trainer.loader(levels, settings), settings)
    return keras_errors, torch_errors


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--hours", type=int, default=600, help="length of the readings")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        settings = Settings(data=Path(folder), epochs=arguments.epochs)
        for name, errors in zip(("keras", "torch"), run(settings, arguments.hours), strict=True):
            print(name, " ".join(f"{error:.4f}" for error in errors))


if __name__ == "__main__":
    main()
