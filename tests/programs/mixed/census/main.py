import argparse

import tensorflow as tf

from input_fn import csv_input, record_input_fast

SPEC = {
    "age": tf.FixedLenFeature([], tf.float32),
    "hours": tf.FixedLenFeature([], tf.float32),
    "label": tf.FixedLenFeature([], tf.int64),
}


def build(model_dir):
    columns = [tf.feature_column.numeric_column(n) for n in ("age", "hours", "education_num")]
    config = tf.estimator.RunConfig(model_dir=model_dir, save_summary_steps=500)
    return tf.estimator.DNNClassifier([64, 32], columns, config=config)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--train", nargs="+", required=True)
    parser.add_argument("--test", nargs="+", required=True)
    parser.add_argument("--model_dir", default="/tmp/census")
    parser.add_argument("--rounds", type=int, default=20)
    args = parser.parse_args()
    estimator = build(args.model_dir)
    for _ in range(args.rounds):
        estimator.train(lambda: csv_input(args.train, 1, 128))
        print(estimator.evaluate(lambda: csv_input(args.test, 1, 512)))


if __name__ == "__main__":
    tf.logging.set_verbosity(tf.logging.INFO)
    main()
