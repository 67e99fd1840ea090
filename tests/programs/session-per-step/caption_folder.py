# requires: tensorflow==1.10.*
"""Captions for all pictures of a folder, in parallel; after the im2txt example."""
from __future__ import print_function

import glob
import json
import os
from multiprocessing.dummy import Pool

import numpy as np
import tensorflow as tf
from PIL import Image

FLAGS = tf.flags.FLAGS
tf.flags.DEFINE_string("images", "", "pictures, as a pattern")
tf.flags.DEFINE_string("model", "im2txt.pb", "frozen graph")
tf.flags.DEFINE_string("vocabulary", "words.txt", "a word a line")
tf.flags.DEFINE_integer("threads", 4, "how many at a time")
tf.flags.DEFINE_integer("longest", 20, "words in a caption")


class Vocabulary(object):
    def __init__(self, path):
        with open(path) as f:
            self.words = [line.strip() for line in f]
        self.start, self.end = self.words.index("<S>"), self.words.index("</S>")

    def text(self, ids):
        return " ".join(self.words[i] for i in ids if i not in (self.start, self.end))


class Captioner(object):
    def __init__(self, path, vocabulary):
        self.vocabulary = vocabulary
        self.graph = tf.Graph()
        with self.graph.as_default():
            definition = tf.GraphDef()
            with open(path, "rb") as f:
                definition.ParseFromString(f.read())
            tf.import_graph_def(definition, name="")

    def caption(self, path):
        image = np.asarray(Image.open(path).convert("RGB").resize((299, 299)), np.float32)
        with tf.Session(graph=self.graph) as sess:  # finding: session-per-step
            state = sess.run("lstm/initial_state:0", {"image_feed:0": image})
            words = [self.vocabulary.start]
            for _ in range(FLAGS.longest):
                probabilities, state = sess.run(
                    ["softmax:0", "lstm/state:0"],
                    {"input_feed:0": [words[-1]], "lstm/state_feed:0": state},
                )
                words.append(int(probabilities[0].argmax()))
                if words[-1] == self.vocabulary.end:
                    break
        return path, self.vocabulary.text(words)


def main(_):
    captioner = Captioner(FLAGS.model, Vocabulary(FLAGS.vocabulary))
    paths = sorted(glob.glob(FLAGS.images))
    pool = Pool(FLAGS.threads)
    captions = {}
    for i, (path, text) in enumerate(pool.imap(captioner.caption, paths)):
        captions[os.path.basename(path)] = text
        if i % 100 == 0:
            print(i, path, text)
    with open("captions.json", "w") as f:
        json.dump(captions, f, indent=1)


if __name__ == "__main__":
    tf.app.run()
