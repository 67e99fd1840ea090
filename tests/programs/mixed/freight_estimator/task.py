import argparse

import tensorflow as tf

import freight


def run(args):
    carriers = [line.strip() for line in tf.gfile.GFile(args.carriers)]
    estimator = tf.estimator.Estimator(
        freight.model.model_fn,
        model_dir=args.job_dir,
        params={"columns": freight.model.columns(carriers), "hidden": [128, 64], "rate": 0.05},
        config=tf.estimator.RunConfig(save_checkpoints_secs=300),
    )
    train = tf.estimator.TrainSpec(
        freight.make_input_fn(args.train_files, args.batch_size, True), max_steps=args.steps
    )
    evaluate = tf.estimator.EvalSpec(
        freight.make_input_fn(args.eval_files, args.batch_size, False), steps=None
    )
    tf.estimator.train_and_evaluate(estimator, train, evaluate)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--train-files", required=True)
    parser.add_argument("--eval-files", required=True)
    parser.add_argument("--carriers", default="carriers.txt")
    parser.add_argument("--job-dir", default="jobs")
    parser.add_argument("--batch-size", type=int, default=512)
    parser.add_argument("--steps", type=int, default=100000)
    tf.logging.set_verbosity(tf.logging.INFO)
    run(parser.parse_args())
