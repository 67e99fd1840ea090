# requires: tensorflow==1.14.0
"""Trains a small chat model on pairs of lines, with an estimator."""

import argparse
import collections
import os

import tensorflow as tf
from tensorflow.contrib.lookup import index_table_from_file

UNK_ID = 0
SOS = "<s>"
EOS = "</s>"


class BatchedInput(collections.namedtuple("BatchedInput", ("source", "target_input", "target_output", "source_length"))):
    pass


def create_vocab_tables(vocab_file):
    return index_table_from_file(vocab_file, default_value=UNK_ID)


def get_iterator(src_file, tgt_file, vocab_file, batch_size, max_len=50, threads=None, shuffle=True):
    table = create_vocab_tables(vocab_file)
    sos = tf.cast(table.lookup(tf.constant(SOS)), tf.int32)
    eos = tf.cast(table.lookup(tf.constant(EOS)), tf.int32)
    source = tf.data.TextLineDataset(src_file)
    target = tf.data.TextLineDataset(tgt_file)
    pairs = tf.data.Dataset.zip((source, target))
    if shuffle:
        pairs = pairs.shuffle(batch_size * 1000)
    pairs = pairs.map(  # finding: serial-map
        lambda src, tgt: (tf.string_split([src]).values, tf.string_split([tgt]).values)
    ).prefetch(batch_size)
    pairs = pairs.filter(lambda src, tgt: tf.logical_and(tf.size(src) > 0, tf.size(tgt) > 0))
    pairs = pairs.map(lambda src, tgt: (src[:max_len], tgt[:max_len]), num_parallel_calls=8)
    pairs = pairs.map(  # finding: serial-map
        lambda src, tgt: (tf.cast(table.lookup(src), tf.int32), tf.cast(table.lookup(tgt), tf.int32)),
        num_parallel_calls=threads,
    )
    rows = pairs.map(
        lambda src, tgt: (
            src,
            tf.concat(([sos], tgt), 0),
            tf.concat((tgt, [eos]), 0),
            tf.size(src),
        ),
        num_parallel_calls=4,
    )
    batches = rows.padded_batch(
        batch_size,
        padded_shapes=(tf.TensorShape([None]), tf.TensorShape([None]), tf.TensorShape([None]), tf.TensorShape([])),
        padding_values=(eos, eos, eos, 0),
    )
    return batches.prefetch(2)


def input_fn(args, split, shuffle):
    def feed():
        data = get_iterator(
            os.path.join(args.data_dir, split + ".from"),
            os.path.join(args.data_dir, split + ".to"),
            os.path.join(args.data_dir, "vocab.txt"),
            args.batch_size,
            shuffle=shuffle,
        )
        data = data.repeat() if shuffle else data
        return data.map(
            lambda src, tgt_in, tgt_out, length: ({"source": src, "target": tgt_in, "length": length}, tgt_out)
        )

    return feed


def model_fn(features, labels, mode, params):
    embedding = tf.get_variable("embedding", [params["vocab"], params["units"]])
    encoder = tf.nn.rnn_cell.GRUCell(params["units"])
    _, state = tf.nn.dynamic_rnn(
        encoder,
        tf.nn.embedding_lookup(embedding, features["source"]),
        features["length"],
        dtype=tf.float32,
        scope="encoder",
    )
    decoder = tf.nn.rnn_cell.GRUCell(params["units"])
    outputs, _ = tf.nn.dynamic_rnn(
        decoder, tf.nn.embedding_lookup(embedding, features["target"]), initial_state=state, scope="decoder"
    )
    logits = tf.layers.dense(outputs, params["vocab"])
    loss = tf.losses.sparse_softmax_cross_entropy(labels, logits)
    optimizer = tf.train.AdamOptimizer(params["lr"])
    train_op = optimizer.minimize(loss, global_step=tf.train.get_or_create_global_step())
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--data_dir", default="data")
    parser.add_argument("--out_dir", default="out")
    parser.add_argument("--batch_size", type=int, default=64)
    parser.add_argument("--steps", type=int, default=100000)
    args = parser.parse_args()
    estimator = tf.estimator.Estimator(
        model_fn, args.out_dir, params={"vocab": 20000, "units": 256, "lr": 1e-3}
    )
    train_spec = tf.estimator.TrainSpec(input_fn(args, "train", True), max_steps=args.steps)
    eval_spec = tf.estimator.EvalSpec(input_fn(args, "dev", False), steps=None)
    tf.estimator.train_and_evaluate(estimator, train_spec, eval_spec)


if __name__ == "__main__":
    tf.logging.set_verbosity(tf.logging.INFO)
    main()
