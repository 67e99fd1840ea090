# requires: tensorflow==1.15.*
"""Freezes a checkpoint and compares what both graphs answer; run by hand before a release."""
import argparse

import numpy as np
import tensorflow as tf


class FrozenModel(object):
    """Keeps one session for its whole life."""

    _session = None

    def __init__(self, path, inputs, outputs):
        self.graph = tf.Graph()
        with self.graph.as_default():
            graph_def = tf.compat.v1.GraphDef()
            with tf.io.gfile.GFile(path, "rb") as f:
                graph_def.ParseFromString(f.read())
            tf.import_graph_def(graph_def, name="")
        self.inputs, self.outputs = inputs, outputs

    @property
    def session(self):
        if self._session is None:
            config = tf.compat.v1.ConfigProto(allow_soft_placement=True)
            self._session = tf.compat.v1.Session(graph=self.graph, config=config)
        return self._session

    def __call__(self, *arrays):
        return self.session.run(self.outputs, dict(zip(self.inputs, arrays)))

    def close(self):
        if self._session is not None:
            self._session.close()
            self._session = None


def freeze(checkpoint, outputs, target):
    with tf.Graph().as_default():
        saver = tf.compat.v1.train.import_meta_graph(checkpoint + ".meta", clear_devices=True)
        with tf.compat.v1.Session() as sess:
            saver.restore(sess, checkpoint)
            names = [name.split(":")[0] for name in outputs]
            frozen = tf.compat.v1.graph_util.convert_variables_to_constants(sess, sess.graph_def, names)
    with tf.io.gfile.GFile(target, "wb") as f:
        f.write(frozen.SerializeToString())


def reference(checkpoint, inputs, outputs, samples):
    answers = []
    with tf.Graph().as_default():
        saver = tf.compat.v1.train.import_meta_graph(checkpoint + ".meta", clear_devices=True)
        with tf.compat.v1.Session() as sess:
            saver.restore(sess, checkpoint)
            for sample in samples:
                answers.append(sess.run(outputs, dict(zip(inputs, sample))))
    return answers


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("checkpoint")
    parser.add_argument("--inputs", nargs="+", default=["image:0"])
    parser.add_argument("--outputs", nargs="+", default=["probs:0"])
    parser.add_argument("--samples", default="samples.npz")
    parser.add_argument("--target", default="frozen.pb")
    args = parser.parse_args()

    stored = np.load(args.samples)
    samples = [[stored[name][i : i + 1] for name in stored.files] for i in range(50)]
    freeze(args.checkpoint, args.outputs, args.target)
    wanted = reference(args.checkpoint, args.inputs, args.outputs, samples)
    model = FrozenModel(args.target, args.inputs, args.outputs)
    worst = 0.0
    for sample, want in zip(samples, wanted):
        got = model(*sample)
        worst = max(worst, max(np.abs(g - w).max() for g, w in zip(got, want)))
    model.close()
    print("largest difference", worst)


if __name__ == "__main__":
    main()
