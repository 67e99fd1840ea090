import shutil

import census
import tensorflow as tf

flags = tf.flags
flags.DEFINE_string("data_dir", "/tmp/census_data", "Where the data is.")
flags.DEFINE_string("model_dir", "/tmp/census_model", "Where the model goes.")
flags.DEFINE_integer("train_epochs", 40, "Epochs.")
flags.DEFINE_integer("epochs_between_evals", 2, "Epochs between evaluations.")
flags.DEFINE_integer("batch_size", 40, "Batch size.")
FLAGS = flags.FLAGS


def images_input_fn(pattern, batch_size):
    """Scanned forms, for the second head."""

    def parse_form(serialized):
        parsed = tf.io.parse_single_example(
            serialized,
            {"form": tf.io.FixedLenFeature([], tf.string), "age": tf.io.FixedLenFeature([], tf.int64)},
        )
        form = tf.image.decode_png(parsed["form"], channels=1)
        form = tf.image.resize_image_with_crop_or_pad(form, 128, 64)
        return {"form": form}, parsed["age"]

    files = tf.data.Dataset.list_files(pattern)
    records = files.interleave(tf.data.TFRecordDataset, cycle_length=4, num_parallel_calls=4)
    forms = records.map(parse_form, num_parallel_calls=4)
    forms = forms.map(  # finding: map-before-batch
        lambda features, age: ({"form": tf.to_float(features["form"]) / 255.0}, tf.to_float(age)),
        num_parallel_calls=4,
    )
    return forms.batch(batch_size).prefetch(2)


def embeddings_input_fn(pattern, batch_size):
    """Vectors that were stored beside the forms."""
    spec = {
        "vector": tf.FixedLenFeature([256], tf.float32),
        "income": tf.FixedLenFeature([1], tf.int64),
    }
    files = tf.data.Dataset.list_files(pattern)
    records = files.interleave(tf.data.TFRecordDataset, cycle_length=4, num_parallel_calls=4)
    parsed = records.map(lambda r: tf.parse_single_example(r, spec), num_parallel_calls=4)  # finding: map-before-batch
    return parsed.shuffle(1000).repeat().batch(batch_size).prefetch(1)


def main(_):
    shutil.rmtree(FLAGS.model_dir, ignore_errors=True)
    wide, deep = census.build_model_columns()
    model = tf.estimator.DNNLinearCombinedClassifier(
        model_dir=FLAGS.model_dir,
        linear_feature_columns=wide,
        dnn_feature_columns=deep,
        dnn_hidden_units=[100, 75, 50, 25],
    )
    train_file, test_file = census.paths(FLAGS.data_dir)
    for _ in range(FLAGS.train_epochs // FLAGS.epochs_between_evals):
        model.train(
            lambda: census.input_fn(train_file, FLAGS.epochs_between_evals, True, FLAGS.batch_size)
        )
        results = model.evaluate(lambda: census.input_fn(test_file, 1, False, FLAGS.batch_size))
        tf.logging.info(results)
    for number, answer in enumerate(model.predict(lambda: census.predict_input_fn(test_file, 256))):
        if number < 10:
            print(answer["class_ids"])


if __name__ == "__main__":
    tf.logging.set_verbosity(tf.logging.INFO)
    tf.app.run(main)
