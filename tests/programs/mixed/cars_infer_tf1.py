# requires: tensorflow==1.12.0
"""Names the makes of the cars in a folder of pictures, with a frozen graph."""

from __future__ import print_function

import os
import sys

import numpy as np
import tensorflow as tf

FLAGS = tf.app.flags.FLAGS
tf.app.flags.DEFINE_string("graph", "cars_frozen.pb", "The frozen graph.")
tf.app.flags.DEFINE_string("labels", "labels.txt", "One make on each line.")
tf.app.flags.DEFINE_string("images", "images", "A folder of pictures.")
tf.app.flags.DEFINE_integer("size", 224, "Size that the network takes.")


def load_graph(path):
    graph = tf.Graph()
    graph_def = tf.GraphDef()
    with open(path, "rb") as f:
        graph_def.ParseFromString(f.read())
    with graph.as_default():
        tf.import_graph_def(graph_def)
    return graph


def load_labels(path):
    return [line.rstrip() for line in tf.gfile.GFile(path)]


def read_tensor_from_image_file(file_name, size):
    file_reader = tf.read_file(file_name, "file_reader")  # finding: graph-growth
    if file_name.endswith(".png"):
        image_reader = tf.image.decode_png(file_reader, channels=3, name="png_reader")
    else:
        image_reader = tf.image.decode_jpeg(file_reader, channels=3, name="jpeg_reader")
    dims_expander = tf.expand_dims(tf.cast(image_reader, tf.float32), 0)
    resized = tf.image.resize_bilinear(dims_expander, [size, size])
    normalized = tf.divide(tf.subtract(resized, [128.0]), [128.0])
    sess = tf.Session()  # finding: session-per-step
    return sess.run(normalized)


class Classifier:
    def __init__(self, graph_file, label_file):
        self.graph = load_graph(graph_file)
        self.labels = load_labels(label_file)
        self.session = tf.Session(graph=self.graph)
        self.image = self.graph.get_tensor_by_name("import/input:0")
        self.scores = self.graph.get_tensor_by_name("import/final_result:0")

    def __call__(self, pixels, k=5):
        results = np.squeeze(self.session.run(self.scores, {self.image: pixels}))
        return [(self.labels[i], results[i]) for i in results.argsort()[-k:][::-1]]

    def confident(self, pixels):
        """Whether one make stands out."""
        with self.graph.as_default():
            entropy = -tf.reduce_sum(self.scores * tf.log(self.scores + 1e-8))  # finding: graph-growth
            return self.session.run(entropy, feed_dict={self.image: pixels}) < 0.5


def main(_):
    classify = Classifier(FLAGS.graph, FLAGS.labels)
    unsure = []
    for name in sorted(os.listdir(FLAGS.images)):
        pixels = read_tensor_from_image_file(os.path.join(FLAGS.images, name), FLAGS.size)
        best, score = classify(pixels)[0]
        print("%s\t%s\t%.3f" % (name, best, score))
        if not classify.confident(pixels):
            unsure.append(name)
    with tf.gfile.GFile("unsure.txt", "w") as f:
        f.write("\n".join(unsure))
    with tf.Graph().as_default():
        total = tf.add_n([tf.constant(len(name)) for name in unsure or [""]])
        with tf.Session() as sess:
            print(sess.run(total), file=sys.stderr)


if __name__ == "__main__":
    tf.app.run()
