# requires: tensorflow==1.4.*
"""Labels all images of a folder with a retrained Inception graph (after the poets codelab)."""
from __future__ import absolute_import
from __future__ import division
from __future__ import print_function

import argparse
import csv
import os

import numpy as np
import tensorflow as tf


def load_graph(model_file):
    graph = tf.Graph()
    graph_def = tf.GraphDef()
    with open(model_file, "rb") as f:
        graph_def.ParseFromString(f.read())
    with graph.as_default():
        tf.import_graph_def(graph_def)
    return graph


def read_tensor_from_image_file(file_name, input_height=299, input_width=299, input_mean=0, input_std=255):
    file_reader = tf.read_file(file_name, "file_reader")  # finding: graph-growth
    if file_name.endswith(".png"):
        image_reader = tf.image.decode_png(file_reader, channels=3, name="png_reader")
    else:
        image_reader = tf.image.decode_jpeg(file_reader, channels=3, name="jpeg_reader")
    float_caster = tf.cast(image_reader, tf.float32)
    dims_expander = tf.expand_dims(float_caster, 0)
    resized = tf.image.resize_bilinear(dims_expander, [input_height, input_width])
    normalized = tf.divide(tf.subtract(resized, [input_mean]), [input_std])
    sess = tf.Session()  # finding: session-per-step
    return sess.run(normalized)


def load_labels(label_file):
    return [line.rstrip() for line in tf.gfile.GFile(label_file).readlines()]


def classify(graph, image, input_name, output_name):
    input_operation = graph.get_operation_by_name("import/" + input_name)
    output_operation = graph.get_operation_by_name("import/" + output_name)
    with tf.Session(graph=graph) as sess:  # finding: session-per-step
        results = sess.run(output_operation.outputs[0], {input_operation.outputs[0]: image})
    return np.squeeze(results)


def find_images(folder):
    for base, _, names in os.walk(folder):
        for name in sorted(names):
            if name.lower().endswith((".jpg", ".jpeg", ".png")):
                yield os.path.join(base, name)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--folder", required=True)
    parser.add_argument("--graph", default="retrained_graph.pb")
    parser.add_argument("--labels", default="retrained_labels.txt")
    parser.add_argument("--input_layer", default="Mul")
    parser.add_argument("--output_layer", default="final_result")
    parser.add_argument("--out", default="labels.csv")
    args = parser.parse_args()

    graph = load_graph(args.graph)
    labels = load_labels(args.labels)
    with open(args.out, "w") as f:
        writer = csv.writer(f)
        writer.writerow(["file", "label", "score"])
        for path in find_images(args.folder):
            image = read_tensor_from_image_file(path)
            scores = classify(graph, image, args.input_layer, args.output_layer)
            best = scores.argmax()
            writer.writerow([path, labels[best], scores[best]])
            print(path, labels[best], scores[best])
