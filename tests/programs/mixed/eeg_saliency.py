# requires: tensorflow==1.15.5
"""Which electrodes drive the sleep-stage CNN?  Saliency per subject and stage."""
import argparse
import csv
import os

import numpy as np
import tensorflow as tf
from tensorflow.keras import backend as K

STAGES = ["W", "N1", "N2", "N3", "REM"]
FS, SECONDS, CHANNELS = 100, 30, 8


def _bandpass(blob):
    sig = np.frombuffer(blob, np.float32).reshape(FS * SECONDS, CHANNELS)
    spec = np.fft.rfft(sig, axis=0)
    freq = np.fft.rfftfreq(FS * SECONDS, 1.0 / FS)
    spec[(freq < 0.3) | (freq > 35.0)] = 0
    out = np.fft.irfft(spec, FS * SECONDS, axis=0)
    return ((out - out.mean(0)) / (out.std(0) + 1e-6)).astype(np.float32)


def _window(blob):
    x = tf.py_func(_bandpass, [blob], tf.float32)
    x.set_shape([FS * SECONDS, CHANNELS])
    return x


def windows(path, batch):
    raw = tf.compat.v1.data.FixedLengthRecordDataset(path, 4 * FS * SECONDS * CHANNELS)
    ds = raw.map_with_legacy_function(_window)  # finding: serial-map
    return ds.batch(batch).prefetch(1)


class Explainer(object):
    def __init__(self, weights):
        self.model = tf.keras.models.load_model(weights, compile=False)
        self.layer = self.model.layers[0]
        self.maps = {}

    def _score(self, stage):
        return K.mean(self.model.output[:, STAGES.index(stage)])  # finding: graph-growth

    def gradient(self, stage):
        g = K.gradients(self._score(stage), self.model.input)[0]  # finding: graph-growth
        return K.abs(g) * K.abs(self.model.input)  # finding: graph-growth

    def explain(self, batch):
        return {s: K.get_session().run(self.gradient(s), {self.model.input: batch}).mean((0, 1))
                for s in STAGES}

    def add(self, subject, batch):
        for stage, v in self.explain(batch).items():
            acc, n = self.maps.get((subject, stage), (np.zeros(CHANNELS), 0))
            self.maps[subject, stage] = (acc + v, n + 1)


def subjects(folder):
    for name in sorted(os.listdir(folder)):
        if name.endswith(".f32"):
            yield name[:-4], os.path.join(folder, name)


def main():
    p = argparse.ArgumentParser()
    p.add_argument("folder")
    p.add_argument("weights")
    p.add_argument("--out", default="saliency.csv")
    a = p.parse_args()

    source = tf.compat.v1.placeholder(tf.string, [])
    it = tf.compat.v1.data.make_initializable_iterator(windows(source, 128))
    pull = it.get_next()
    ex = Explainer(a.weights)
    sess = K.get_session()
    for subject, path in subjects(a.folder):
        sess.run(it.initializer, {source: path})
        while True:
            try:
                batch = sess.run(pull)
            except tf.errors.OutOfRangeError:
                break
            ex.add(subject, batch)
    with open(a.out, "w") as fh:
        w = csv.writer(fh)
        for (subject, stage), (acc, n) in sorted(ex.maps.items()):
            w.writerow([subject, stage] + list(acc / n))


if __name__ == "__main__":
    main()
