import argparse

import pandas as pd
import tensorflow as tf

import columns
import inputs


def steps_for(total, batch_size):
    return total // batch_size


def lines_in(path):
    with open(path) as handle:
        return sum(1 for _ in handle)


def records_in(path):
    return sum(1 for _ in tf.python_io.tf_record_iterator(path))


def top_users(estimator, frame):
    ranking = []
    for prediction in estimator.predict(inputs.frame_input(frame, 1024)):
        ranking.append(prediction["logistic"][0])
    return ranking


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--train", nargs="+")
    parser.add_argument("--eval", nargs="+")
    parser.add_argument("--batch-size", type=int, default=512)
    parser.add_argument("--csv", action="store_true")
    args = parser.parse_args()

    config = tf.estimator.RunConfig(model_dir="model", save_checkpoints_steps=5000)
    estimator = tf.estimator.DNNClassifier([256, 128, 64], columns.build(), config=config)
    make = inputs.csv_input if args.csv else inputs.fast_record_input
    total = sum(lines_in(path) for path in args.train) if args.csv else 45000000
    for epoch in range(3):
        estimator.train(make(args.train, args.batch_size), steps=steps_for(total, args.batch_size))
        metrics = estimator.evaluate(inputs.record_input(args.eval, args.batch_size), steps=200)
        print(epoch, metrics["auc"])
    print(top_users(estimator, pd.read_csv("users.csv"))[:10])


if __name__ == "__main__":
    main()
