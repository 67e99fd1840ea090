import json
import sys

import tensorflow as tf

from clips import Clips


def main(listing):
    with open(listing) as file:
        rows = json.load(file)
    train = Clips([r["path"] for r in rows["train"]], [r["tag"] for r in rows["train"]], True)
    held = Clips([r["path"] for r in rows["held"]], [r["tag"] for r in rows["held"]], False)
    model = tf.keras.Sequential([
        tf.keras.layers.GRU(64),
        tf.keras.layers.Dense(40),
    ])
    model.compile("adam", tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True))
    model.fit(train.batches(32), validation_data=held.batches(32), epochs=20, steps_per_epoch=500)
    model.evaluate(held.archive(32))


if __name__ == "__main__":
    main(sys.argv[1])
