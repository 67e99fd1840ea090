"""Sleep staging from one EEG channel with a small convolutional net and a custom TensorFlow loop."""
import os

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")

import tempfile
import time
from pathlib import Path

import keras
import tensorflow as tf

from net import build
from pipeline import Nights, class_weights
from report import night_report
from settings import Settings
from signals import night
from training import Stager


def main():
    cfg = Settings()
    started = time.perf_counter()
    tf.config.threading.set_intra_op_parallelism_threads(1)
    tf.config.threading.set_inter_op_parallelism_threads(1)
    keras.utils.set_random_seed(cfg.seed)
    recordings = [night(k, cfg) for k in range(cfg.recordings)]
    held = cfg.n_val + cfg.n_test
    train = Nights(recordings[:-held], cfg, training=True)
    val = Nights(recordings[-held : -cfg.n_test], cfg, training=False)
    weights = class_weights(train.stages, len(cfg.stages))
    with tempfile.TemporaryDirectory(prefix="sleep-") as tmp:
        stager = Stager(build(cfg), weights, cfg, Path(tmp))
        best = stager.fit(train, val)
        for row in night_report(best, recordings[-cfg.n_test :], cfg):
            print(f"night {row['night']} agreement {row['agreement']:.3f} kappa {row['kappa']:.3f} {row['minutes']}")
    print(f"best val {stager.best:.4f}, {stager.step} steps, {time.perf_counter() - started:.1f} s")


if __name__ == "__main__":
    main()
