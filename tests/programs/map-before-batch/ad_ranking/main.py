import argparse
import glob

import tensorflow as tf

import schema
from inputs import input_fn_for


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--train", required=True)
    parser.add_argument("--valid", required=True)
    parser.add_argument("--batch-size", type=int, default=4096)
    parser.add_argument("--steps", type=int, default=200000)
    parser.add_argument("--model-dir", default="/models/ads")
    args = parser.parse_args()
    tf.logging.set_verbosity(tf.logging.INFO)
    estimator = tf.estimator.DNNClassifier(
        [256, 128, 64],
        schema.feature_columns(),
        model_dir=args.model_dir,
        optimizer=lambda: tf.train.AdagradOptimizer(0.02),
        dropout=0.1,
    )
    train = input_fn_for(sorted(glob.glob(args.train)), args.batch_size, True)
    valid = input_fn_for(sorted(glob.glob(args.valid)), args.batch_size, False)
    tf.estimator.train_and_evaluate(
        estimator,
        tf.estimator.TrainSpec(train, max_steps=args.steps),
        tf.estimator.EvalSpec(valid, steps=None, throttle_secs=900),
    )


if __name__ == "__main__":
    main()
