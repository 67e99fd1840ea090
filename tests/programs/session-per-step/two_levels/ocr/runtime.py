import tensorflow as tf

from .settings import MODEL


def execute(graph, fetches, feed):
    config = tf.ConfigProto()
    config.gpu_options.allow_growth = True
    sess = tf.Session(graph=graph, config=config)  # finding: session-per-step
    try:
        return sess.run(fetches, feed)
    finally:
        sess.close()


def load():
    graph = tf.Graph()
    with graph.as_default():
        definition = tf.GraphDef()
        with tf.gfile.GFile(MODEL, "rb") as f:
            definition.ParseFromString(f.read())
        tf.import_graph_def(definition, name="ocr")
    return graph
