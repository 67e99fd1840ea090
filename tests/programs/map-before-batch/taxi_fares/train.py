import argparse

import tensorflow as tf

from .data import cleaned_data, evaluation_data, training_data
from .model import build
from .schema import RunConfig


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--batch-size", type=int, default=1024)
    parser.add_argument("--epochs", type=int, default=5)
    parser.add_argument("--count-clean", action="store_true")
    args = parser.parse_args()
    config = RunConfig(batch_size=args.batch_size, epochs=args.epochs)

    if args.count_clean:
        print(cleaned_data(config).reduce(0, lambda n, batch: n + 1).numpy(), "clean batches")
        return
    model = build(config)
    model.compile(
        optimizer=tf.keras.optimizers.Adam(config.learning_rate),
        loss="mse",
        metrics=[tf.keras.metrics.RootMeanSquaredError()],
    )
    model.fit(
        training_data(config),
        validation_data=evaluation_data(config),
        epochs=config.epochs,
        callbacks=[tf.keras.callbacks.TensorBoard(config.logdir)],
    )


if __name__ == "__main__":
    main()
