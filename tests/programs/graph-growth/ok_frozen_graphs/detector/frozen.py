"""Old frozen graphs as functions of TensorFlow 2."""

import tensorflow as tf


def read_graph_def(path):
    graph_def = tf.compat.v1.GraphDef()
    with tf.io.gfile.GFile(path, "rb") as file:
        graph_def.ParseFromString(file.read())
    return graph_def


def as_function(path, inputs, outputs):
    graph_def = read_graph_def(path)
    wrapped = tf.compat.v1.wrap_function(lambda: tf.import_graph_def(graph_def, name=""), [])
    find = wrapped.graph.as_graph_element
    return wrapped.prune(
        tf.nest.map_structure(find, inputs), tf.nest.map_structure(find, outputs)
    )


def operations(path):
    """How many operations of each kind a frozen graph has."""
    graph = tf.Graph()
    with graph.as_default():
        tf.import_graph_def(read_graph_def(path), name="")
    counts = {}
    for op in graph.get_operations():
        counts[op.type] = counts.get(op.type, 0) + 1
    return counts
