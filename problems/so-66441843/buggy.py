"""Reviews are labelled by a small text network."""

import numpy as np
import tensorflow as tf

VOCABULARY = 500
WORDS = 30
REVIEWS = 36
LABELS = ["bad", "mixed", "good"]


def make_reviews(seed=64):
    rng = np.random.default_rng(seed)
    lengths = rng.integers(5, WORDS, REVIEWS)
    reviews = np.zeros((REVIEWS, WORDS), np.int32)
    for row, length in enumerate(lengths):
        reviews[row, :length] = rng.integers(1, VOCABULARY, length)
    return reviews


def build_model():
    model = tf.keras.Sequential(
        [
            tf.keras.layers.Input((WORDS,), dtype="int32"),
            tf.keras.layers.Embedding(VOCABULARY, 16),
            tf.keras.layers.GlobalAveragePooling1D(),
            tf.keras.layers.Dense(16, activation="relu"),
            tf.keras.layers.Dense(len(LABELS), activation="softmax"),
        ]
    )
    return model


def label_reviews(model, reviews):
    labels = []
    confidences = []
    for review in reviews:
        probabilities = model.predict(np.array([review]), verbose=0)[0]  # finding
        best = int(np.argmax(probabilities))
        labels.append(LABELS[best])
        confidences.append(float(probabilities[best]))
    return labels, confidences


def main():
    tf.keras.utils.set_random_seed(28)
    model = build_model()
    labels, confidences = label_reviews(model, make_reviews())
    return {
        "counts": [labels.count(label) for label in LABELS],
        "confidences": confidences,
    }


if __name__ == "__main__":
    print(main())
