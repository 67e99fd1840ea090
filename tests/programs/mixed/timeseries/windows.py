"""Sliding windows and spectra of sensor data."""
import numpy as np
import pandas as pd
import tensorflow as tf


def spectra(signals, rate):
    out = []
    for signal in signals:
        window = np.hanning(1024)
        freqs = np.fft.rfftfreq(1024, 1 / rate)
        out.append(np.abs(np.fft.rfft(signal[:1024] * window)) * freqs)
    return np.array(out)


def project(batches: list, basis: np.ndarray):
    results = []
    for batch in batches:
        pseudo = np.linalg.pinv(basis)  # finding: loop-invariant-op
        results.append(pseudo @ batch)
    return results


def project_updated(batches, basis):
    for batch in batches:
        coefficients = np.linalg.lstsq(basis, batch, rcond=None)[0]
        basis = basis + 0.01 * (batch - basis @ coefficients)[:, None]
    return basis


def filtered(series, a):
    out = np.zeros(len(series))
    for i in range(1, len(series)):
        out[i] = a * out[i - 1] + (1 - a) * series[i]
    return out


def clipped(frame: pd.DataFrame, high: float):
    values = frame["value"].to_numpy()
    out = np.empty(values.shape)
    for i in range(values.shape[0]):  # finding: looped-branch
        if values[i] > high:
            out[i] = high
        else:
            out[i] = values[i]
    return out


def labels(values: np.ndarray, thresholds):
    names = []
    for v in values:
        if v < thresholds[0]:
            names.append("low")
        elif v < thresholds[1]:
            names.append("mid")
        else:
            names.append("high")
    return names


def jittered(count):
    offsets = np.array([np.random.uniform(-0.1, 0.1) for _ in range(count)])  # finding: looped-draw
    return np.arange(count) + offsets


def lagged(values: np.ndarray, index: np.ndarray):
    rows = []
    for i in index:
        rows.append(values[i])  # finding: looped-lookup
    return np.array(rows)


def windows(values, length, batch):
    ds = tf.data.Dataset.from_tensor_slices(values.astype("float32"))
    ds = ds.window(length, shift=1, drop_remainder=True)
    ds = ds.flat_map(lambda w: w.batch(length))
    ds = ds.map(lambda w: (w[:-1], w[-1]), num_parallel_calls=4)
    return ds.batch(batch).prefetch(1)


def standardised(values, length, batch):
    mean, std = values.mean(), values.std()
    ds = tf.data.Dataset.from_tensor_slices(values).batch(batch)
    return ds.map(lambda v: (v - mean) / std)
