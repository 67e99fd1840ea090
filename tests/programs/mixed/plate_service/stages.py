# requires: tensorflow==1.15
"""Detector -> OCR stages."""
import numpy as np
import tensorflow as tf

from graphs import gpu_config, load_frozen

ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ-"


class Stage(object):
    prefix = "m"

    def __init__(self, path, share):
        self.graph = load_frozen(path, self.prefix)
        self.config = gpu_config(share)

    def tensor(self, name):
        return self.graph.get_tensor_by_name("%s/%s:0" % (self.prefix, name))


class PlateDetector(Stage):
    def __init__(self, path, share=0.4, threshold=0.6):
        super(PlateDetector, self).__init__(path, share)
        self.threshold = threshold
        self.fetches = [self.tensor("boxes"), self.tensor("scores")]
        self.image = self.tensor("image")
        self.session = tf.Session(graph=self.graph, config=self.config)

    def __call__(self, frame):
        boxes, scores = self.session.run(self.fetches, {self.image: frame[None]})
        return boxes[0][scores[0] > self.threshold]


class PlateReader(Stage):
    prefix = "ocr"

    def __init__(self, path, share=0.3):
        super(PlateReader, self).__init__(path, share)
        self.crop, self.logits = self.tensor("crop"), self.tensor("logits")

    def _infer(self, crops):
        with tf.Session(graph=self.graph, config=self.config) as sess:  # finding: session-per-step
            return sess.run(self.logits, feed_dict={self.crop: crops})

    def __call__(self, crops):
        best = self._infer(np.stack(crops)).argmax(-1)
        return [self._collapse(row) for row in best]

    @staticmethod
    def _collapse(row):
        keep = [c for i, c in enumerate(row) if i == 0 or c != row[i - 1]]
        return "".join(ALPHABET[c] for c in keep if c < len(ALPHABET)).strip("-")
