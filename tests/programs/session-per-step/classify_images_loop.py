# requires: tensorflow==1.15.0
"""Labels every picture of a folder with a frozen Inception."""
import os
import sys

import tensorflow as tf


def load_graph(path):
    with tf.gfile.FastGFile(path, "rb") as f:
        graph_def = tf.GraphDef()
        graph_def.ParseFromString(f.read())
        tf.import_graph_def(graph_def, name="")


def main(folder, model):
    load_graph(model)
    for name in os.listdir(folder):
        with open(os.path.join(folder, name), "rb") as f:
            data = f.read()
        with tf.Session() as sess:  # finding: session-per-step
            scores = sess.run("softmax:0", {"DecodeJpeg/contents:0": data})
        print(name, scores.argmax())


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
