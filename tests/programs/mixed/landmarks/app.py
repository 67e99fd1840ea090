import os
import threading

import numpy as np
import tensorflow as tf

tf1 = tf.compat.v1
tf1.disable_eager_execution()

_lock = threading.Lock()
_pool = {}


def session_for(name):
    with _lock:
        if name not in _pool:
            graph = tf1.Graph()
            with graph.as_default():
                saver = tf1.train.import_meta_graph(name + ".meta")
                _pool[name] = tf1.Session(graph=graph)
                saver.restore(_pool[name], name)
        return _pool[name]


def locate(image, name="landmarks"):
    return session_for(name).run("points:0", {"image:0": image[None]})[0]


def locate_cold(image, name="landmarks"):
    graph = tf1.Graph()
    with graph.as_default():
        saver = tf1.train.import_meta_graph(name + ".meta")
        with tf1.Session() as sess:  # finding: session-per-step
            saver.restore(sess, name)
            return sess.run("points:0", {"image:0": image[None]})[0]


def crops(folder):
    for name in os.listdir(folder):
        image = np.load(os.path.join(folder, name))
        points = locate_cold(image)
        with tf1.Session() as sess:  # finding: session-per-step
            box = sess.run(tf1.reduce_max(points, 0))  # finding: graph-growth
        yield image[: int(box[0]), : int(box[1])]


def compare(folder, names):
    errors = {}
    for name in names:
        errors[name] = np.mean([locate(np.load(p), name) for p in os.listdir(folder)])
    return errors


def export(names):
    for name in names:
        tf1.reset_default_graph()
        with tf1.Session() as sess:
            tf1.train.import_meta_graph(name + ".meta").restore(sess, name)
            tf1.saved_model.simple_save(sess, name + "_saved", {}, {})


if __name__ == "__main__":
    for i, crop in enumerate(crops("faces")):
        np.save("crop%d.npy" % i, crop)
