"""Turns station logs into model inputs."""
import numpy as np
import torch


def apparent(temperature, wind):
    out = np.zeros(len(temperature))
    for i in range(len(temperature)):  # finding: looped-branch
        if temperature[i] > 27.0:
            out[i] = temperature[i] + 0.3 * wind[i]
        else:
            out[i] = temperature[i] - 0.7 * wind[i]
    return out


def wind_direction(u, v):
    angles = []
    for a, b in zip(u, v):
        if a == 0 and b == 0:
            angles.append(np.nan)
        else:
            angles.append(np.arctan2(b, a))
    return np.array(angles)


def smoothed(series, alpha):
    out = np.empty_like(series)
    out[0] = series[0]
    for i in range(1, len(series)):
        out[i] = alpha * series[i] + (1 - alpha) * out[i - 1]
    return out


def noisy_copies(series, count):
    samples = []
    for _ in range(count):
        samples.append(np.random.normal(0.0, 0.1))  # finding: looped-draw
    return series[None] + np.array(samples)[:, None]


def bootstrap(values, rounds, rng):
    means = []
    for _ in range(rounds):
        picked = rng.choice(values, size=len(values))
        means.append(picked.mean())
    return np.percentile(means, [5, 95])


def station_rows(table, ids):
    rows = []
    for station in ids:
        rows.append(table[station])  # finding: looped-lookup
    return np.stack(rows)


def by_key(tables, ids):
    return np.stack([tables["station/%d" % i] for i in ids])


def histogram(codes, size):
    counts = np.zeros(size, dtype=np.int64)
    for code in codes:
        counts[code] += 1  # finding: looped-update
    return counts


def one_hot(labels, classes):
    out = torch.zeros(len(labels), classes)
    for i in range(len(labels)):
        out[i, labels[i]] = 1  # finding: looped-update
    return out


def transitions(states, size):
    matrix = np.zeros((size, size))
    previous = None
    for state in states:
        if previous is not None:
            matrix[previous, state] += 1
        previous = state
    return matrix / np.maximum(matrix.sum(1, keepdims=True), 1)


def padded(sequences, width):
    out = np.zeros((len(sequences), width))
    for i, sequence in enumerate(sequences):
        out[i, : len(sequence)] = sequence[:width]
    return out


def clip_levels(image, low, high):
    result = image.copy()
    for y in range(image.shape[0]):  # finding: looped-branch
        for x in range(image.shape[1]):
            if image[y, x] < low:
                result[y, x] = low
            elif image[y, x] > high:
                result[y, x] = high
    return result


def normalise_rows(table):
    return np.apply_along_axis(lambda row: (row - row.mean()) / row.std(), 1, table)  # finding: row-wise-map


def entropy(row):
    counts = np.bincount(row)
    p = counts[counts > 0] / len(row)
    return -(p * np.log(p)).sum()


def row_entropies(table):
    return np.apply_along_axis(entropy, 1, table)
