import pathlib
import sys

import tensorflow as tf
import yaml
from kws import features, pipeline


def listed(root, split):
    root = pathlib.Path(root)
    words = sorted(folder.name for folder in root.iterdir() if folder.is_dir())
    names = (root / f"{split}.txt").read_text().split()
    return [str(root / name) for name in names], [words.index(name.split("/")[0]) for name in names]


def build(classes):
    return tf.keras.Sequential(
        [
            tf.keras.layers.Input((98, 40)),
            tf.keras.layers.Conv1D(64, 5, activation="relu"),
            tf.keras.layers.Conv1D(64, 5, strides=2, activation="relu"),
            tf.keras.layers.GRU(64),
            tf.keras.layers.Dense(classes),
        ]
    )


def main(path):
    config = yaml.safe_load(open(path))
    train_paths, train_labels = listed(config["root"], "train")
    test_paths, test_labels = listed(config["root"], "test")
    chain = pipeline.Pipeline(train_paths, train_labels, config["batch_size"])
    chain.add(features.load).add(features.shift).add(features.log_mel)
    model = build(35)
    model(features.fake_batch())
    model.compile("adam", tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True), ["accuracy"])
    held_out = pipeline.evaluation(test_paths, test_labels, config["batch_size"])
    model.fit(chain.batches(), epochs=config["epochs"], validation_data=held_out)
    if config.get("finetune"):
        model.fit(pipeline.stretched(train_paths, train_labels, 128), epochs=3)


if __name__ == "__main__":
    main(sys.argv[1])
