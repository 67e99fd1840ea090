import functools

import tensorflow as tf
import tensorflow_hub as hub


class Frozen(object):
    def __init__(self, path):
        self.graph = tf.Graph()
        with self.graph.as_default():
            definition = tf.GraphDef()
            definition.ParseFromString(open(path, "rb").read())
            tf.import_graph_def(definition, name="")

    def ask(self, output, feed):
        with tf.Session(graph=self.graph) as sess:  # finding: session-per-step
            return sess.run(output, feed)


class Served(Frozen):
    def __init__(self, path):
        super(Served, self).__init__(path)
        self.sess = tf.Session(graph=self.graph)

    def ask(self, output, feed):
        return self.sess.run(output, feed)


@functools.lru_cache(maxsize=None)
def sentence_encoder(url):
    graph = tf.Graph()
    with graph.as_default():
        texts = tf.placeholder(tf.string, [None])
        vectors = hub.Module(url)(texts)
        init = [tf.global_variables_initializer(), tf.tables_initializer()]
    sess = tf.Session(graph=graph)
    sess.run(init)
    return lambda rows: sess.run(vectors, {texts: rows})
