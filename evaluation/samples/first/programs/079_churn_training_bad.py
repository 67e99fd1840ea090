"""Customer churn model, retrained weekly."""
import argparse
from pathlib import Path

import keras
import numpy as np
import pandas as pd
from keras import layers
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler


class ChurnModel:
    def __init__(self, features, hidden=(256, 128, 64), lr=1e-3):
        stack = [keras.Input((features,))]
        for units in hidden:
            stack += [layers.Dense(units, activation="relu"), layers.BatchNormalization(),
                      layers.Dropout(0.2)]
        stack.append(layers.Dense(1, activation="sigmoid"))
        self.net = keras.Sequential(stack)
        self.net.compile(optimizer=keras.optimizers.Adam(lr), loss="binary_crossentropy")

    def train(self, x, y, epochs, batch_size):
        rng = np.random.default_rng(0)
        for epoch in range(epochs):
            order = rng.permutation(len(x))
            for lo in range(0, len(order), batch_size):
                pick = order[lo : lo + batch_size]
                self.net.fit(x[pick], y[pick], epochs=1, batch_size=len(pick), verbose=0)
            print(f"epoch {epoch} done")

    def auc(self, x, y):
        return roc_auc_score(y, self.net.predict(x, batch_size=8192, verbose=0).ravel())


def load(path):
    frame = pd.read_parquet(path)
    y = frame.pop("churned").to_numpy(np.float32)
    frame = pd.get_dummies(frame, columns=["plan", "region", "channel"], dtype=np.float32)
    return frame.to_numpy(np.float32), y


def main():
    p = argparse.ArgumentParser()
    p.add_argument("table", type=Path)
    p.add_argument("--epochs", type=int, default=15)
    p.add_argument("--batch-size", type=int, default=512)
    p.add_argument("--out", default="churn.keras")
    args = p.parse_args()

    keras.utils.set_random_seed(13)
    x, y = load(args.table)
    x_tr, x_te, y_tr, y_te = train_test_split(x, y, test_size=0.1, stratify=y)
    scaler = StandardScaler().fit(x_tr)
    x_tr = scaler.transform(x_tr).astype(np.float32)
    x_te = scaler.transform(x_te).astype(np.float32)

    model = ChurnModel(x.shape[1])
    model.train(x_tr, y_tr, args.epochs, args.batch_size)
    print(f"test AUC {model.auc(x_te, y_te):.4f}")
    model.net.save(args.out)


if __name__ == "__main__":
    main()
