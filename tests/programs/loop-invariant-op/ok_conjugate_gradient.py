"""Poisson image blending: matrix-free conjugate gradients; factors are made once per picture."""
import sys

import numpy as np
from imageio.v3 import imread, imwrite
from scipy.fft import dctn, idctn


def eigenvalues(shape):
    h, w = shape
    y = 2 * np.cos(np.pi * np.arange(h) / h) - 2
    x = 2 * np.cos(np.pi * np.arange(w) / w) - 2
    return y[:, None] + x[None, :]


def laplacian(u):
    out = -4.0 * u
    out[1:] += u[:-1]
    out[:-1] += u[1:]
    out[:, 1:] += u[:, :-1]
    out[:, :-1] += u[:, 1:]
    return out


def precondition(r, lam):
    z = dctn(r, type=2, norm="ortho") / lam
    z[0, 0] = 0.0
    return idctn(z, type=2, norm="ortho")


def solve(b, mask, iterations=200, tol=1e-6):
    lam = eigenvalues(b.shape)
    lam[0, 0] = 1.0
    x = np.zeros_like(b)
    r = b - laplacian(x) * mask
    z = precondition(r, lam) * mask
    p, rz = z, (r * z).sum()
    for _ in range(iterations):
        ap = laplacian(p) * mask
        alpha = rz / (p * ap).sum()
        x = x + alpha * p
        r = r - alpha * ap
        if np.abs(r).max() < tol:
            break
        z = precondition(r, lam) * mask
        new = (r * z).sum()
        p, rz = z + new / rz * p, new
    return x


def main(source, target, mask, out):
    s, t = imread(source).astype(float), imread(target).astype(float)
    m = imread(mask)[..., 0] > 127
    channels = []
    for c in range(3):
        b = (laplacian(s[..., c]) - laplacian(t[..., c])) * m
        channels.append(t[..., c] + solve(b, m) * m)
    imwrite(out, np.clip(np.stack(channels, -1), 0, 255).astype(np.uint8))


if __name__ == "__main__":
    main(*sys.argv[1:5])
