"""Extracts sentence features with a frozen BERT graph."""
import json
import os

import numpy as np
import tensorflow as tf

flags = tf.flags
FLAGS = flags.FLAGS
flags.DEFINE_string("input", None, "text file")
flags.DEFINE_string("graph", None, "frozen graph")
flags.DEFINE_integer("batch", 32, "batch size")


def read(path):
    with tf.gfile.Open(path) as reader:
        for line in reader:
            yield line.strip()


def decode_record(record, features):
    example = tf.parse_single_example(record, features)
    for name in list(example.keys()):
        t = example[name]
        if t.dtype == tf.int64:
            t = tf.to_int32(t)
        example[name] = t
    return example


def input_fn_builder(files, length, training, drop):
    features = {
        "ids": tf.FixedLenFeature([length], tf.int64),
        "mask": tf.FixedLenFeature([length], tf.int64),
    }

    def input_fn(params):
        batch_size = params["batch_size"]
        d = tf.data.TFRecordDataset(files)
        if training:
            d = d.repeat()
            d = d.shuffle(buffer_size=100)
        d = d.apply(
            tf.contrib.data.map_and_batch(  # finding: map-before-batch
                lambda record: decode_record(record, features), batch_size=batch_size, drop_remainder=drop
            )
        )
        return d

    return input_fn


class Extractor(object):
    def __init__(self, path):
        self.graph = tf.Graph()
        with self.graph.as_default():
            definition = tf.GraphDef()
            with tf.gfile.GFile(path, "rb") as f:
                definition.ParseFromString(f.read())
            self.out, = tf.import_graph_def(definition, return_elements=["pooled:0"])
        self.sess = tf.Session(graph=self.graph)

    def vectors(self, rows):
        return self.sess.run(self.out, {"import/ids:0": rows})

    def normed(self, rows):
        with self.graph.as_default():
            unit = tf.nn.l2_normalize(self.out, 1)  # finding: graph-growth
        return self.sess.run(unit, {"import/ids:0": rows})


def similarity(a, b):
    with tf.Session() as sess:  # finding: session-per-step
        return sess.run(tf.reduce_sum(tf.constant(a) * tf.constant(b)))  # finding: graph-growth


def main(_):
    extractor = Extractor(FLAGS.graph)
    rows, out = [], []
    for text in read(FLAGS.input):
        rows.append(np.frombuffer(text.encode()[:128].ljust(128), dtype=np.uint8))
        if len(rows) == FLAGS.batch:
            out.extend(extractor.normed(np.stack(rows)))
            rows = []
    scores = []
    for i in range(1, len(out)):
        scores.append(float(similarity(out[i - 1], out[i])))
    with open(os.path.splitext(FLAGS.input)[0] + ".json", "w") as f:
        json.dump(scores, f)


if __name__ == "__main__":
    tf.app.run()
