import argparse
from dataclasses import dataclass

import keras
import numpy as np
import pandas as pd


@dataclass
class WindowSpec:
    history: int = 168
    horizon: int = 24
    stride: int = 1


class LoadForecaster:
    """Day-ahead electricity load, one network for all substations."""

    def __init__(self, path: str, spec: WindowSpec):
        self.net = keras.saving.load_model(path)
        self.spec = spec

    def _scale(self, series):
        self.mu, self.sigma = float(series.mean()), float(series.std()) + 1e-6
        return ((series - self.mu) / self.sigma).astype("float32")

    def _forecast(self, past):
        out = self.net.predict(past.reshape(1, -1, 1), verbose=0)
        return out[0] * self.sigma + self.mu

    def backtest(self, series: np.ndarray):
        s = self.spec
        scaled = self._scale(series)
        origins = range(s.history, len(scaled) - s.horizon, s.stride)
        preds = [self._forecast(scaled[o - s.history : o]) for o in origins]
        return np.stack(preds), np.stack([series[o : o + s.horizon] for o in origins])


def smape(y, p):
    return float(np.mean(2 * np.abs(y - p) / (np.abs(y) + np.abs(p) + 1e-6)))


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--model", default="models/load_tcn.keras")
    ap.add_argument("--data", default="data/load_hourly.parquet")
    ap.add_argument("--out", default="reports/backtest.csv")
    args = ap.parse_args()

    frame = pd.read_parquet(args.data)
    forecaster = LoadForecaster(args.model, WindowSpec())
    rows = []
    for station in frame.columns:
        pred, truth = forecaster.backtest(frame[station].to_numpy())
        rows.append({"station": station, "smape": smape(truth, pred), "n": len(pred)})
    pd.DataFrame(rows).to_csv(args.out, index=False)


if __name__ == "__main__":
    main()
