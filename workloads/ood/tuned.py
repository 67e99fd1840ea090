"""Detects images of unknown classes after training, with three scores: the highest softmax
probability, the energy of the logits, and the Mahalanobis distance of features."""

import argparse
import json

import keras
import numpy as np
from sklearn.metrics import roc_auc_score

CLASSES, SIZE = 5, 16


def generate_images(count, classes, seed):
    rng = np.random.default_rng(0)
    prototypes = rng.random((2 * CLASSES, 4, 4, 3)).repeat(4, axis=1).repeat(4, axis=2)
    rng = np.random.default_rng(seed)
    labels = rng.choice(classes, count)
    images = prototypes[labels] + rng.normal(scale=0.4, size=(count, SIZE, SIZE, 3))
    return images.astype(np.float32), labels


def build_model():
    return keras.Sequential(
        [
            keras.Input((SIZE, SIZE, 3)),
            keras.layers.Conv2D(16, 3, activation="relu"),
            keras.layers.MaxPooling2D(),
            keras.layers.Conv2D(96, 3, activation="relu"),
            keras.layers.GlobalAveragePooling2D(name="features"),
            keras.layers.Dense(CLASSES),
        ]
    )


def softmax_score(model, images):
    scores = []
    for logits in model.predict(images, verbose=0):
        probabilities = np.exp(logits - logits.max())
        scores.append(np.max(probabilities / probabilities.sum()))
    return np.array(scores)


def energy_score(model, images, temperature=1.0):
    logits = model.predict(images, verbose=0)
    return np.array([temperature * np.log(np.sum(np.exp(row / temperature))) for row in logits])


def class_statistics(features, labels):
    means = [features[labels == label].mean(axis=0) for label in range(CLASSES)]
    centered = np.concatenate([features[labels == label] - means[label] for label in range(CLASSES)])
    return means, np.linalg.inv(np.cov(centered.T) + 1e-4 * np.eye(features.shape[1]))


def extract_features(model, images):
    extractor = keras.Model(model.inputs, model.get_layer("features").output)
    return extractor.predict(images, verbose=0)


def distance(feature, means, covariance):
    distances = []
    for mean in means:
        difference = feature - mean
        distances.append(difference @ covariance @ difference)
    return min(distances)


def mahalanobis_score(model, images, means, covariance):
    scores = []
    for feature in extract_features(model, images):
        scores.append(-distance(feature, means, covariance))
    return np.array(scores)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--train", type=int, default=1000)
    parser.add_argument("--test", type=int, default=50)
    parser.add_argument("--epochs", type=int, default=3)
    options = parser.parse_args()
    keras.utils.set_random_seed(0)
    images, labels = generate_images(options.train, np.arange(CLASSES), seed=1)
    model = build_model()
    model.compile(
        optimizer=keras.optimizers.Adam(3e-3),
        loss=keras.losses.SparseCategoricalCrossentropy(from_logits=True),
        metrics=["accuracy"],
    )
    history = model.fit(images, labels, batch_size=32, epochs=options.epochs, verbose=2)
    known, _ = generate_images(options.test, np.arange(CLASSES), seed=2)
    unknown, _ = generate_images(options.test, np.arange(CLASSES, 2 * CLASSES), seed=3)
    both = np.concatenate([known, unknown])
    is_known = np.arange(len(both)) < len(known)
    means, covariance = class_statistics(extract_features(model, images), labels)
    scores = {
        "softmax": softmax_score(model, both),
        "energy": energy_score(model, both),
        "mahalanobis": mahalanobis_score(model, both, means, covariance),
    }
    results = {name: round(roc_auc_score(is_known, score), 4) for name, score in scores.items()}
    for name, area in results.items():
        print(f"{name}: AUROC {area:.3f}")
    print(json.dumps(results | {"accuracy": round(history.history["accuracy"][-1], 4)}))


if __name__ == "__main__":
    main()
