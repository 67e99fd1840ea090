import dataclasses
import json
import sys

import tensorflow as tf

import surf


def main(path=None):
    settings = json.load(open(path)) if path else {}
    config = surf.Config(**settings)
    held_out = dataclasses.replace(config, shards="gs://surf/held-out-*.tfrecord")
    model = surf.forecaster(config)
    model.compile(tf.keras.optimizers.Adam(1e-3), "mae")
    model.fit(
        surf.build(config),
        validation_data=surf.build(held_out, training=False),
        epochs=config.epochs,
        callbacks=[tf.keras.callbacks.ModelCheckpoint("surf.h5", save_best_only=True)],
    )


if __name__ == "__main__":
    main(*sys.argv[1:])
