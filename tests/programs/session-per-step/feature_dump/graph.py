import tensorflow as tf


def load_frozen(path):
    graph = tf.Graph()
    with graph.as_default():
        definition = tf.GraphDef()
        with tf.gfile.GFile(path, "rb") as f:
            definition.ParseFromString(f.read())
        tf.import_graph_def(definition, name="")
    return graph


class Extractor(object):
    def __init__(self, path, layer="pool_3:0", source="DecodeJpeg:0"):
        self.graph = load_frozen(path)
        self.layer = self.graph.get_tensor_by_name(layer)
        self.source = source

    def session(self):
        config = tf.ConfigProto()
        config.gpu_options.allow_growth = True
        return tf.Session(graph=self.graph, config=config)

    def features(self, images):
        with self.session() as sess:  # finding: session-per-step
            return [sess.run(self.layer, {self.source: im}).squeeze() for im in images]
