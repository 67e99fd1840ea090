"""Score vibration recordings with a trained autoencoder and write alarms."""
import argparse
from pathlib import Path

import keras
import numpy as np
import pandas as pd


class VibrationScorer:
    def __init__(self, weights: str, window: int = 256, stride: int = 16):
        self.net = keras.models.load_model(weights)
        self.window = window
        self.stride = stride
        self.mean = None
        self.std = None

    def calibrate(self, signal: np.ndarray):
        self.mean = signal.mean(axis=0)
        self.std = signal.std(axis=0) + 1e-6

    def windows(self, signal: np.ndarray) -> np.ndarray:
        scaled = ((signal - self.mean) / self.std).astype("float32")
        view = np.lib.stride_tricks.sliding_window_view(scaled, self.window, axis=0)
        return np.moveaxis(view[:: self.stride], -1, 1)

    def score(self, signal: np.ndarray) -> np.ndarray:
        wins = self.windows(signal)
        rebuilt = self.net.predict(wins, batch_size=1024, verbose=0)
        return np.mean((rebuilt - wins) ** 2, axis=(1, 2))


def read_recording(path: Path) -> np.ndarray:
    frame = pd.read_parquet(path, columns=["ax", "ay", "az", "rpm"])
    return frame.to_numpy(dtype="float32")


def alarms(scores: np.ndarray, threshold: float, stride: int) -> pd.DataFrame:
    hits = np.flatnonzero(scores > threshold)
    return pd.DataFrame({"sample": hits * stride, "score": scores[hits]})


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--model", required=True)
    parser.add_argument("--reference", type=Path, required=True)
    parser.add_argument("--recordings", type=Path, required=True)
    parser.add_argument("--quantile", type=float, default=0.995)
    args = parser.parse_args()

    scorer = VibrationScorer(args.model)
    reference = read_recording(args.reference)
    scorer.calibrate(reference)
    threshold = np.quantile(scorer.score(reference), args.quantile)

    for path in sorted(args.recordings.glob("*.parquet")):
        scores = scorer.score(read_recording(path))
        table = alarms(scores, threshold, scorer.stride)
        table.to_csv(path.with_suffix(".alarms.csv"), index=False)
        print(f"{path.name}: {len(table)} of {len(scores)} windows above {threshold:.4f}")


if __name__ == "__main__":
    main()
