# requires: tensorflow==1.15.*
"""Turn the checkpoints of a training into frozen graphs, each in a graph of its own."""
import argparse
import glob
import os

import tensorflow as tf
from tensorflow.python.framework import graph_util


def export(checkpoint, output, target):
    with tf.Graph().as_default() as graph:
        saver = tf.train.import_meta_graph(checkpoint + ".meta", clear_devices=True)
        with tf.Session(graph=graph) as session:
            saver.restore(session, checkpoint)
            frozen = graph_util.convert_variables_to_constants(
                session, graph.as_graph_def(), [output]
            )
    with tf.gfile.GFile(target, "wb") as handle:
        handle.write(frozen.SerializeToString())


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder")
    parser.add_argument("--output", default="logits/BiasAdd")
    args = parser.parse_args()
    for meta in sorted(glob.glob(os.path.join(args.folder, "*.meta"))):
        checkpoint = meta[: -len(".meta")]
        export(checkpoint, args.output, checkpoint + ".pb")
        print(checkpoint)


if __name__ == "__main__":
    main()
