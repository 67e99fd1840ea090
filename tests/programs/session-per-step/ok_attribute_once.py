# requires: tensorflow==1.15.0
import sys

import numpy as np
import tensorflow as tf


class Detector(object):
    def __init__(self, frozen):
        self.graph = tf.Graph()
        with self.graph.as_default():
            definition = tf.GraphDef()
            with tf.gfile.GFile(frozen, "rb") as f:
                definition.ParseFromString(f.read())
            tf.import_graph_def(definition, name="")
        self.session = tf.Session(graph=self.graph)

    def detect(self, image):
        return self.session.run("boxes:0", {"image_tensor:0": image[None]})


def main(frozen, paths):
    detector = Detector(frozen)
    for path in paths:
        print(path, detector.detect(np.load(path)).shape)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
