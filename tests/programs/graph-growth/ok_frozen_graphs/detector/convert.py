"""Rewrites checkpoints of the old trainer as frozen graphs."""

import tensorflow as tf

v1 = tf.compat.v1


def freeze(checkpoint, target, outputs):
    with v1.Graph().as_default() as graph, v1.Session(graph=graph) as session:
        saver = v1.train.import_meta_graph(checkpoint + ".meta", clear_devices=True)
        saver.restore(session, checkpoint)
        scores = graph.get_tensor_by_name("scores:0")
        tf.identity(tf.nn.sigmoid(scores), name="probabilities")
        frozen = v1.graph_util.convert_variables_to_constants(
            session, graph.as_graph_def(), outputs
        )
    with tf.io.gfile.GFile(target, "wb") as file:
        file.write(frozen.SerializeToString())


def freeze_all(checkpoints, outputs=("boxes", "probabilities")):
    for checkpoint in checkpoints:
        freeze(checkpoint, checkpoint + ".pb", list(outputs))
