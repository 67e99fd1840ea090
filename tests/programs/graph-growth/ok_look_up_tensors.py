# requires: tensorflow==1.15.0
"""Looks tensors of a frozen graph up by name: finds nodes, adds none."""
import sys

import tensorflow as tf


def load(path):
    definition = tf.GraphDef()
    with tf.gfile.GFile(path, "rb") as source:
        definition.ParseFromString(source.read())
    graph = tf.Graph()
    with graph.as_default():
        tf.import_graph_def(definition, name="")
    return graph


def main(model, names):
    graph = load(model)
    with tf.Session(graph=graph) as sess:
        for name in names:
            tensor = graph.get_tensor_by_name(name + ":0")
            value = sess.run(tensor, {"input:0": [[0.0] * 10]})
            print(name, tensor.shape, value.mean())


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
