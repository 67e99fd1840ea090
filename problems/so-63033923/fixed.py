"""A small scoring service: requests name a customer's features, answers are risk scores."""

import tempfile
from pathlib import Path

import keras
import numpy as np

FEATURES = 24
REQUESTS = 12


def train_and_save(folder):
    keras.utils.set_random_seed(33)
    rng = np.random.default_rng(33)
    features = rng.normal(size=(256, FEATURES)).astype("float32")
    risk = (features.sum(axis=1) > 0).astype("float32")
    model = keras.Sequential(
        [
            keras.layers.Input((FEATURES,)),
            keras.layers.Dense(64, activation="relu"),
            keras.layers.Dense(64, activation="relu"),
            keras.layers.Dense(1, activation="sigmoid"),
        ]
    )
    model.compile("adam", "binary_crossentropy")
    model.fit(features, risk, batch_size=64, epochs=1, verbose=0)
    path = Path(folder) / "risk.keras"
    model.save(path)
    return path


class RiskService:
    def __init__(self, path):
        self.model = keras.models.load_model(path)

    def answer(self, request):
        return self.model.predict(request, verbose=0)[:, 0]


def serve(service, requests):
    scores = []
    for request in requests:
        scores.append(service.answer(request))
    return np.concatenate(scores)


def main():
    with tempfile.TemporaryDirectory() as folder:
        service = RiskService(train_and_save(folder))
        rng = np.random.default_rng(7)
        requests = [rng.normal(size=(4, FEATURES)).astype("float32") for _ in range(REQUESTS)]
        return serve(service, requests)


if __name__ == "__main__":
    print(main())
