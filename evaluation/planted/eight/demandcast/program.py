import os
import tempfile
import time

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("TF_NUM_INTRAOP_THREADS", "1")

import keras
import numpy as np

from callbacks import Backtest, StepLog, checkpoint
from data import HORIZON, Windows, add_features, make_sales
from importance import bootstrap_interval, saliency
from model import compiled


def main():
    keras.utils.set_random_seed(0)
    frame = add_features(make_sales())
    train = Windows(frame, 210, 330)
    val = Windows(frame, 330, 400)
    recent = Windows(frame, 337, 400)
    model = compiled()
    with tempfile.TemporaryDirectory() as outdir:
        model.fit(
            train.dataset(32, shuffle=True),
            validation_data=val.dataset(64, shuffle=False),
            epochs=3,
            verbose=0,
            callbacks=[StepLog(os.path.join(outdir, "steps.csv")), Backtest(recent), checkpoint(outdir)],
        )
    pairs = list(val)
    x = np.stack([p[0] for p in pairs]).astype(np.float32)
    y = np.stack([p[1] for p in pairs]).astype(np.float32)
    for step in range(HORIZON):
        print("step", step, "top channel", int(saliency(model, x[:64], step).mean(0).argmax()))
    low, high = bootstrap_interval(model, x, y)
    print(f"mae interval {low:.4f} {high:.4f}")
    print(f"cpu {time.process_time():.1f}s")


if __name__ == "__main__":
    main()
