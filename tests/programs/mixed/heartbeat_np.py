# requires: keras==3.6
"""Beats of an ECG: windows, features, a small network, and a forecast. Notebook, exported."""

# %%
import glob

import keras
import numpy as np
import scipy.signal
from keras import layers, ops

RATE = 360
WINDOW = 256

# %%
files = sorted(glob.glob("mitbih/*.csv"))
signals, notes = [], []
for file in files:
    table = np.loadtxt(file, delimiter=",", skiprows=1)
    signals.append(table[:, 1])
    notes.append(table[:, 2].astype(int))
signal = np.concatenate(signals)
marks = np.concatenate(notes)

# %%
b, a = scipy.signal.butter(3, [0.5, 40], "band", fs=RATE)
signal = scipy.signal.filtfilt(b, a, signal)

# %% windows around the peaks
peaks, _ = scipy.signal.find_peaks(signal, distance=RATE // 3)
peaks = peaks[(peaks > WINDOW) & (peaks < len(signal) - WINDOW)]
x = np.array([signal[p - WINDOW // 2 : p + WINDOW // 2] for p in peaks])
y = marks[peaks]


# %%
def scaled(beat):
    return (beat - beat.min()) / (beat.max() - beat.min() + 1e-9)


x = np.apply_along_axis(scaled, 1, x)  # finding: row-wise-map


# %%
def rhythm(intervals):
    """Fast, slow or normal: one label for each interval."""
    kinds = np.empty(len(intervals), dtype="int8")
    for i, interval in enumerate(intervals):  # finding: looped-branch
        if interval < 0.6:
            kinds[i] = 2
        elif interval > 1.0:
            kinds[i] = 1
        else:
            kinds[i] = 0
    return kinds


def refractory(candidates, gap):
    """Drops peaks that come too soon after the last one that was kept."""
    kept = [candidates[0]]
    for candidate in candidates[1:]:
        if candidate - kept[-1] > gap:
            kept.append(candidate)
    return np.array(kept)


intervals = np.diff(refractory(peaks, RATE // 4)) / RATE
print(np.bincount(rhythm(intervals)))

# %%
model = keras.Sequential(
    [
        layers.Input((WINDOW, 1)),
        layers.Conv1D(32, 7, strides=2, activation="relu"),
        layers.Conv1D(64, 5, strides=2, activation="relu"),
        layers.GlobalAveragePooling1D(),
        layers.Dense(5, activation="softmax"),
    ]
)
model.compile("adam", "sparse_categorical_crossentropy")
model.fit(x[..., None], np.clip(y, 0, 4), batch_size=512, epochs=10)

# %% probability of each beat
anomalous = []
for beat in x:
    p = model.predict(beat[None, :, None], verbose=0)  # finding: predict-per-item
    anomalous.append(1 - p[0, 0])
anomalous = np.array(anomalous)

# %% occlusion: which part of the beat matters?
beat = x[0].copy()
influence = []
for start in range(0, WINDOW, 4):
    hidden = beat.copy()
    hidden[start : start + 4] = 0
    influence.append(model.predict(hidden[None, :, None], verbose=0)[0])  # finding: predict-per-item

# %% forecast, sample by sample
forecaster = keras.Sequential([layers.Input((64, 1)), layers.LSTM(32), layers.Dense(1)])
forecaster.compile("adam", "mse")
past = np.lib.stride_tricks.sliding_window_view(signal[:200_000], 65)
forecaster.fit(past[:, :64, None], past[:, 64], batch_size=1024, epochs=2)
tail = list(signal[-64:])
for _ in range(RATE):
    following = forecaster.predict(np.array(tail[-64:])[None, :, None], verbose=0)  # finding: predict-per-item
    tail.append(float(following[0, 0]))

# %%
energy = ops.convert_to_numpy(ops.sum(ops.square(x), axis=1))
print(energy.mean(), np.corrcoef(anomalous, energy)[0, 1])
