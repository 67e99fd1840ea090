# requires: tensorflow==1.13.*, keras==2.2.*
"""Scores long ECG recordings in the background; a thread pulls recordings from the spool folder."""
import os
import queue
import threading
import time

import keras.backend as K
import numpy as np
import tensorflow as tf
from keras.models import load_model

SPOOL = "/var/spool/ecg"
MODEL = "/opt/ecg/model.h5"
WINDOW = 3000
jobs = queue.Queue(maxsize=100)


def fresh_session():
    config = tf.ConfigProto()
    config.gpu_options.allow_growth = True
    config.gpu_options.per_process_gpu_memory_fraction = 0.4
    K.clear_session()
    K.set_session(tf.Session(config=config))  # finding: session-per-step


def windows(signal):
    n = len(signal) // WINDOW
    x = signal[: n * WINDOW].reshape(n, WINDOW, 1)
    return (x - x.mean(axis=1, keepdims=True)) / (x.std(axis=1, keepdims=True) + 1e-6)


def score_recording(path):
    # "Tensor is not an element of this graph" goes away with a session of its own
    fresh_session()
    model = load_model(MODEL)
    probs = model.predict(windows(np.load(path)), batch_size=256)
    return {"file": os.path.basename(path), "af": float(probs[:, 1].mean()), "noise": float(probs[:, 2].mean())}


def worker():
    while True:
        path = jobs.get()
        try:
            result = score_recording(path)
            with open(path + ".result", "w") as f:
                f.write(repr(result))
        except Exception as error:
            print("failed", path, error)
        finally:
            jobs.task_done()


def watch():
    known = set()
    while True:
        for name in sorted(os.listdir(SPOOL)):
            if name.endswith(".npy") and name not in known:
                known.add(name)
                jobs.put(os.path.join(SPOOL, name))
        time.sleep(5)


if __name__ == "__main__":
    thread = threading.Thread(target=worker, daemon=True)
    thread.start()
    watch()
