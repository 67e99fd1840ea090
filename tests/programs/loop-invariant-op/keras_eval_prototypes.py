# requires: tensorflow==2.11.*
"""Few-shot evaluation of a frozen embedding: N-way episodes against fixed prototypes."""
import argparse

import numpy as np
import tensorflow as tf


class PrototypeClassifier:
    def __init__(self, weights, support, labels, classes):
        self.encoder = tf.keras.applications.ResNet50(include_top=False, pooling="avg", weights=weights)
        self.encoder.trainable = False
        self.support = support
        self.labels = labels
        self.classes = classes

    def prototypes(self):
        emb = self.encoder.predict(self.support, batch_size=64, verbose=0)
        emb = emb / np.linalg.norm(emb, axis=1, keepdims=True)
        return np.stack([emb[self.labels == c].mean(axis=0) for c in range(self.classes)])

    def classify(self, queries):
        q = self.encoder(queries, training=False).numpy()
        q = q / np.linalg.norm(q, axis=1, keepdims=True)
        return (q @ self.prototypes().T).argmax(axis=1)  # note: loop-invariant-op


def batches(x, y, size):
    for i in range(0, len(x), size):
        yield x[i : i + size], y[i : i + size]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("npz")
    parser.add_argument("--weights", default="imagenet")
    args = parser.parse_args()
    data = np.load(args.npz)
    model = PrototypeClassifier(args.weights, data["support"], data["support_y"], int(data["support_y"].max()) + 1)
    right = total = 0
    for x, y in batches(data["query"], data["query_y"], 32):
        right += int((model.classify(x) == y).sum())
        total += len(y)
    print(f"accuracy {right / total:.4f} of {total}")


if __name__ == "__main__":
    main()
