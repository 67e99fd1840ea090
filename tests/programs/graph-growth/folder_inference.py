# requires: tensorflow==1.9.*
"""Features of all pictures below a folder, by a module of TF Hub or a local network."""
from __future__ import print_function

import argparse
import csv
import os

import numpy as np
import tensorflow as tf


def find(root):
    for folder, _, names in os.walk(root):
        for name in sorted(names):
            if name.lower().endswith((".jpg", ".jpeg")):
                yield os.path.join(folder, name)


def read_tensor_from_image_file(sess, path, size=299):
    data = tf.read_file(path)  # finding: graph-growth
    image = tf.image.decode_jpeg(data, channels=3)  # finding: graph-growth
    image = tf.expand_dims(tf.cast(image, tf.float32), 0)  # finding: graph-growth
    image = tf.image.resize_bilinear(image, [size, size])  # finding: graph-growth
    return sess.run((image - 127.5) / 127.5)  # finding: graph-growth


def load_graph(path):
    graph = tf.Graph()
    definition = tf.GraphDef()
    with tf.gfile.GFile(path, "rb") as handle:
        definition.ParseFromString(handle.read())
    with graph.as_default():
        tf.import_graph_def(definition)
    return graph


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("root")
    parser.add_argument("--graph", default="inception_v3_frozen.pb")
    parser.add_argument("--output", default="features.csv")
    args = parser.parse_args()

    graph = load_graph(args.graph)
    with tf.Session(graph=graph) as sess, open(args.output, "w") as out, graph.as_default():
        writer = csv.writer(out)
        bottleneck = graph.get_operation_by_name("import/pool_3").outputs[0]
        images = graph.get_operation_by_name("import/input").outputs[0]
        for number, path in enumerate(find(args.root)):
            image = read_tensor_from_image_file(sess, path)
            features = sess.run(bottleneck, {images: image})
            writer.writerow([path] + np.squeeze(features).tolist())
            if number % 100 == 0:
                print(number, path)


if __name__ == "__main__":
    main()
