# requires: tensorflow==1.15.0
import functools
import sys

import numpy as np
import tensorflow as tf


@functools.lru_cache(maxsize=None)
def runtime(model):
    graph = tf.Graph()
    with graph.as_default():
        saver = tf.train.import_meta_graph(model + ".meta")
        sess = tf.Session(graph=graph)
        saver.restore(sess, model)
    return sess


def segment(path, model):
    image = np.load(path)
    return runtime(model).run("mask:0", {"image:0": image[None]})[0]


def main():
    for path in sys.argv[2:]:
        print(path, segment(path, sys.argv[1]).mean())


if __name__ == "__main__":
    main()
