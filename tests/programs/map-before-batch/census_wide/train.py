import argparse
import os

import tensorflow as tf

import columns
import inputs


def build_estimator(model_dir, model_type):
    wide, deep = columns.build_columns()
    hidden = [100, 75, 50, 25]
    config = tf.estimator.RunConfig(save_summary_steps=500, tf_random_seed=7)
    if model_type == "wide":
        return tf.estimator.LinearClassifier(wide, model_dir=model_dir, config=config)
    if model_type == "deep":
        return tf.estimator.DNNClassifier(hidden, deep, model_dir=model_dir, config=config)
    return tf.estimator.DNNLinearCombinedClassifier(
        model_dir=model_dir,
        linear_feature_columns=wide,
        dnn_feature_columns=deep,
        dnn_hidden_units=hidden,
        config=config,
    )


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--data_dir", default="/tmp/census_data")
    parser.add_argument("--model_dir", default="/tmp/census_model")
    parser.add_argument("--model_type", default="wide_deep")
    parser.add_argument("--train_epochs", type=int, default=40)
    parser.add_argument("--batch_size", type=int, default=40)
    args = parser.parse_args()

    train_file = os.path.join(args.data_dir, "adult.data")
    test_file = os.path.join(args.data_dir, "adult.test")
    model = build_estimator(args.model_dir, args.model_type)
    for _ in range(args.train_epochs // 2):
        model.train(inputs.make_input_fn(train_file, 2, args.batch_size))
        scores = model.evaluate(inputs.make_input_fn(test_file, 1, args.batch_size, shuffle=False))
        for key in sorted(scores):
            print("%s: %s" % (key, scores[key]))


if __name__ == "__main__":
    tf.logging.set_verbosity(tf.logging.INFO)
    main()
