# requires: tensorflow==1.15.0
"""Active learning: asks a saved classifier about every unlabelled row."""
import argparse

import numpy as np
import tensorflow as tf


class SavedClassifier(object):
    def __init__(self, folder):
        self.folder = folder

    def probabilities(self, row):
        session = self._open()
        result = session.run("probabilities:0", {"row:0": row[np.newaxis]})
        session.close()
        return result[0]

    def _open(self):
        graph = tf.Graph()
        session = tf.Session(graph=graph)  # finding: session-per-step
        tf.saved_model.loader.load(session, ["serve"], self.folder)
        return session


def entropy(p):
    return -np.sum(p * np.log(p + 1e-9))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("model")
    parser.add_argument("pool", help="an .npy file of rows")
    args = parser.parse_args()
    classifier = SavedClassifier(args.model)
    scores = [entropy(classifier.probabilities(row)) for row in np.load(args.pool)]
    print(np.argsort(scores)[::-1][:100])


if __name__ == "__main__":
    main()
