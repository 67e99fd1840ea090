"""Features and labels for tide gauges; plain NumPy before any training."""
import csv
import sys

import numpy as np


def read(path):
    with open(path) as handle:
        rows = list(csv.reader(handle))[1:]
    return np.array([[float(cell) for cell in row] for row in rows])


def pinball(errors, quantile):
    losses = np.empty(len(errors))
    for i in range(len(errors)):  # finding: looped-branch
        if errors[i] >= 0:
            losses[i] = quantile * errors[i]
        else:
            losses[i] = (quantile - 1) * errors[i]
    return losses.mean()


def huber(errors, delta=1.0):
    out = [0.5 * e * e if abs(e) < delta else delta * (abs(e) - 0.5 * delta) for e in errors]  # finding: looped-branch
    return np.mean(out)


def exponential_average(levels, alpha=0.2):
    smooth = np.empty_like(levels)
    smooth[0] = levels[0]
    for i in range(1, len(levels)):
        smooth[i] = alpha * levels[i] + (1 - alpha) * smooth[i - 1]
    return smooth


def jittered(levels, copies):
    rng = np.random.default_rng(7)
    shifts = []
    for _ in range(copies):
        shifts.append(rng.normal(0.0, 0.02))  # finding: looped-draw
    return levels[None, :] + np.array(shifts)[:, None]


def bootstrap(losses, rounds=2000):
    means = []
    for _ in range(rounds):
        picked = np.random.randint(0, len(losses), len(losses))
        means.append(losses[picked].mean())
    return np.percentile(means, [2.5, 97.5])


def one_hot_hours(hours):
    table = np.zeros((len(hours), 24), dtype=np.float32)
    for row in range(len(hours)):
        table[row, int(hours[row])] = 1.0  # finding: looped-update
    return table


def histogram(levels, edges):
    counts = np.zeros(len(edges) - 1, dtype=int)
    for bin_ in np.clip(np.digitize(levels, edges) - 1, 0, len(edges) - 2):
        counts[bin_] += 1  # finding: looped-update
    return counts


def harmonics(levels, hours, table):
    picked = np.array([table[int(hour)] for hour in hours])  # finding: looped-lookup
    return levels[:, None] * picked


def station_codes(names):
    codes = {name: code for code, name in enumerate(sorted(set(names)))}
    return np.array([codes[name] for name in names])


def main(path):
    rows = read(path)
    hours, levels = rows[:, 0] % 24, rows[:, 1]
    edges = np.linspace(levels.min(), levels.max(), 40)
    table = np.stack([np.cos(np.arange(24) * k * np.pi / 12) for k in (1, 2)], axis=1)
    errors = levels[1:] - exponential_average(levels)[:-1]
    print("pinball", [pinball(errors, q) for q in (0.1, 0.5, 0.9)], "huber", huber(errors))
    print(bootstrap(np.abs(errors)), histogram(levels, edges))
    features = np.concatenate([one_hot_hours(hours), harmonics(levels, hours, table)], axis=1)
    np.savez("tide.npz", x=features, y=jittered(levels, 16), s=station_codes(sys.argv[2:]))


if __name__ == "__main__":
    main(sys.argv[1])
