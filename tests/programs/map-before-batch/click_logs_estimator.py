# requires: tensorflow==1.13.1
# coding: utf-8
"""Wide and deep model on click logs (tab separated), with estimators."""
import os
import sys

import tensorflow as tf

flags = tf.app.flags
FLAGS = flags.FLAGS
flags.DEFINE_string('data_dir', './data/', 'folder with train.tsv and test.tsv')
flags.DEFINE_string('model_dir', './model/', 'where the model is kept')
flags.DEFINE_integer('batch_size', 1024, 'rows per step')
flags.DEFINE_integer('num_epochs', 3, 'passes')
flags.DEFINE_integer('num_threads', 8, 'threads of the input')
flags.DEFINE_string('task', 'train', 'train, tags or infer')

NUMERIC = ['I%d' % i for i in range(1, 14)]
CATEGORICAL = ['C%d' % i for i in range(1, 27)]
COLUMNS = ['label'] + NUMERIC + CATEGORICAL
DEFAULTS = [[0]] + [[0.0]] * 13 + [['']] * 26


def parse_line(line):
    columns = tf.decode_csv(line, record_defaults=DEFAULTS, field_delim='\t')
    features = dict(zip(COLUMNS, columns))
    label = features.pop('label')
    return features, label


def squash(features, label):
    squashed = {}
    for name, value in features.items():
        if name in NUMERIC:
            value = tf.log1p(tf.maximum(value, 0.0))
        squashed[name] = value
    return squashed, label


def input_fn(file_names, batch_size, num_epochs=1, shuffle=False):
    print('Reading', file_names)
    dataset = tf.data.TextLineDataset(file_names).skip(1)
    dataset = dataset.map(parse_line, num_parallel_calls=FLAGS.num_threads)  # finding: map-before-batch
    dataset = dataset.map(squash, FLAGS.num_threads)  # finding: map-before-batch
    if shuffle:
        dataset = dataset.shuffle(buffer_size=200000)
    dataset = dataset.repeat(num_epochs)
    dataset = dataset.batch(batch_size)
    return dataset.make_one_shot_iterator().get_next()


def infer_input_fn(file_names, batch_size):
    dataset = tf.data.TextLineDataset(file_names).skip(1).batch(batch_size)
    dataset = dataset.map(parse_line, num_parallel_calls=FLAGS.num_threads)
    dataset = dataset.map(squash, num_parallel_calls=FLAGS.num_threads)
    return dataset.prefetch(2).make_one_shot_iterator().get_next()


def tags_input_fn(file_names, batch_size):
    """Lines of a label and words, as many as there are."""

    def split(line):
        parts = tf.string_split([line], delimiter=' ').values
        return parts[1:], tf.string_to_number(parts[0], tf.int32)

    dataset = tf.data.TextLineDataset(file_names)
    dataset = dataset.map(split, num_parallel_calls=FLAGS.num_threads)
    dataset = dataset.padded_batch(batch_size, padded_shapes=([None], []))
    words, labels = dataset.make_one_shot_iterator().get_next()
    return {'words': words}, labels


def feature_columns():
    wide, deep = [], []
    for name in NUMERIC:
        deep.append(tf.feature_column.numeric_column(name))
    for name in CATEGORICAL:
        hashed = tf.feature_column.categorical_column_with_hash_bucket(name, 100000)
        wide.append(hashed)
        deep.append(tf.feature_column.embedding_column(hashed, 16))
    return wide, deep


def main(_):
    train = os.path.join(FLAGS.data_dir, 'train.tsv')
    test = os.path.join(FLAGS.data_dir, 'test.tsv')
    config = tf.estimator.RunConfig(log_step_count_steps=500)
    if FLAGS.task == 'tags':
        words = tf.feature_column.categorical_column_with_hash_bucket('words', 50000)
        model = tf.estimator.LinearClassifier([words], model_dir=FLAGS.model_dir)
        model.train(lambda: tags_input_fn([train], FLAGS.batch_size))
        return
    wide, deep = feature_columns()
    model = tf.estimator.DNNLinearCombinedClassifier(
        model_dir=FLAGS.model_dir, linear_feature_columns=wide, dnn_feature_columns=deep,
        dnn_hidden_units=[256, 128, 64], config=config)
    if FLAGS.task == 'train':
        model.train(lambda: input_fn([train], FLAGS.batch_size, FLAGS.num_epochs, True))
        print(model.evaluate(lambda: input_fn([test], FLAGS.batch_size)))
    elif FLAGS.task == 'infer':
        with open('pred.txt', 'w') as out:
            for row in model.predict(lambda: infer_input_fn([test], FLAGS.batch_size)):
                out.write('%f\n' % row['probabilities'][1])
    else:
        sys.exit('unknown task')


if __name__ == '__main__':
    tf.logging.set_verbosity(tf.logging.INFO)
    tf.app.run()
