import json
import sys

import tensorflow as tf

from dataset import RecordReader
from model import deepfm


def main(path):
    with open(path) as f:
        config = json.load(f)
    reader = RecordReader(config)
    estimator = tf.estimator.Estimator(
        deepfm,
        model_dir=config["model_dir"],
        params=dict(config["params"], field_size=reader.field_size),
        config=tf.estimator.RunConfig(save_checkpoints_steps=2000, keep_checkpoint_max=3),
    )
    tf.estimator.train_and_evaluate(
        estimator,
        tf.estimator.TrainSpec(lambda: reader.train(config["train"]), max_steps=200000),
        tf.estimator.EvalSpec(lambda: reader.evaluate(config["valid"]), steps=None),
    )


if __name__ == "__main__":
    tf.logging.set_verbosity(tf.logging.INFO)
    main(sys.argv[1])
