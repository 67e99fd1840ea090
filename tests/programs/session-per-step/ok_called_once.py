# requires: tensorflow==1.15.0
"""Freezes a checkpoint."""
import argparse
import os

import tensorflow as tf


def freeze(checkpoint, outputs, target):
    with tf.Session(graph=tf.Graph()) as sess:
        saver = tf.train.import_meta_graph(checkpoint + ".meta", clear_devices=True)
        saver.restore(sess, checkpoint)
        frozen = tf.graph_util.convert_variables_to_constants(
            sess, sess.graph.as_graph_def(), outputs
        )
    with tf.gfile.GFile(target, "wb") as f:
        f.write(frozen.SerializeToString())
    for node in frozen.node:
        print(node.name, node.op)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder")
    parser.add_argument("--outputs", default="softmax")
    args = parser.parse_args()
    latest = tf.train.latest_checkpoint(args.folder)
    freeze(latest, args.outputs.split(","), os.path.join(args.folder, "frozen.pb"))


if __name__ == "__main__":
    main()
