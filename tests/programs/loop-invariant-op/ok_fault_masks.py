"""Inversion of a fault's slip: the smoothing weights are renewed in each outer iteration."""
import argparse

import numpy as np
from scipy.ndimage import gaussian_filter
from scipy.sparse.linalg import LinearOperator, lsqr


def laplacian(u):
    out = -4.0 * u
    out[1:] += u[:-1]
    out[:-1] += u[1:]
    out[:, 1:] += u[:, :-1]
    out[:, :-1] += u[:, 1:]
    return out


def taper(shape, width):
    mask = np.ones(shape)
    ramp = 0.5 - 0.5 * np.cos(np.pi * np.arange(width) / width)
    mask[:width] *= ramp[:, None]
    mask[-width:] *= ramp[::-1, None]
    mask[:, :width] *= ramp
    mask[:, -width:] *= ramp[::-1]
    return mask


def reweighted(slip, floor):
    weights = np.zeros_like(slip)
    weights[slip > floor] = 1.0
    weights = gaussian_filter(weights, 2.0)
    weights /= weights.max() + 1e-12
    return 1.0 / (weights + 0.05)


def invert(green, data, shape, outer=15, strength=0.3, width=6):
    rows, cells = green.shape
    mask = taper(shape, width).ravel()
    slip = np.zeros(shape)
    history = []
    for turn in range(outer):
        weights = reweighted(slip, 0.1 * slip.max()).ravel()

        def forward(x):
            u = x * mask
            return np.concatenate([green @ u, strength * (weights * laplacian(u.reshape(shape)).ravel())])

        def backward(y):
            smooth = laplacian((weights * y[rows:]).reshape(shape)).ravel()
            return mask * (green.T @ y[:rows] + strength * smooth)

        op = LinearOperator((rows + cells, cells), matvec=forward, rmatvec=backward)
        found = lsqr(op, np.concatenate([data, np.zeros(cells)]), iter_lim=200)[0]
        slip = (found * mask).reshape(shape)
        misfit = np.linalg.norm(green @ slip.ravel() - data) / np.linalg.norm(data)
        history.append(misfit)
        if turn > 2 and abs(history[-2] - misfit) < 1e-4:
            break
    return slip, history


def bootstrap(green, data, shape, draws, seed):
    rng = np.random.default_rng(seed)
    everything = []
    for _ in range(draws):
        keep = rng.integers(len(data), size=len(data))
        everything.append(invert(green[keep], data[keep], shape, outer=4)[0])
    return np.std(everything, axis=0)


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("problem")
    ap.add_argument("--draws", type=int, default=50)
    args = ap.parse_args()
    z = np.load(args.problem)
    shape = tuple(z["shape"])
    slip, history = invert(z["green"], z["data"], shape)
    spread = bootstrap(z["green"], z["data"], shape, args.draws, 1)
    np.savez("slip.npz", slip=slip, spread=spread, history=history)


if __name__ == "__main__":
    main()
