"""Vibrating plate: an explicit scheme that reuses three buffers for the whole run."""
import argparse

import numpy as np
from scipy.fft import dctn, idctn


class Plate:
    def __init__(self, n, stiffness, damping, dt):
        self.n = n
        self.dt = dt
        self.damping = damping
        k = np.pi * np.arange(n) / n
        lam = 2 * np.cos(k) - 2
        self.symbol = stiffness * (lam[:, None] + lam[None, :]) ** 2
        self.u = np.zeros((n, n))
        self.prev = np.zeros((n, n))
        self.next = np.zeros((n, n))

    def strike(self, y, x, force, width=3.0):
        grid = np.arange(self.n)
        bump = np.exp(-((grid[:, None] - y) ** 2 + (grid[None, :] - x) ** 2) / width ** 2)
        self.u += force * self.dt ** 2 * bump

    def step(self):
        bend = idctn(self.symbol * dctn(self.u, norm="ortho"), norm="ortho")
        c = self.damping * self.dt
        np.multiply(self.u, 2.0, out=self.next)
        self.next -= (1.0 - c) * self.prev
        self.next -= self.dt ** 2 * bend
        self.next /= 1.0 + c
        self.prev, self.u, self.next = self.u, self.next, self.prev

    def energy(self):
        v = (self.u - self.prev) / self.dt
        hat = dctn(self.u, norm="ortho")
        return 0.5 * np.sum(v * v) + 0.5 * np.sum(self.symbol * hat * hat)


def record(plate, steps, listen, every=50):
    view = plate.u
    out = np.empty(steps)
    energies = []
    for i in range(steps):
        plate.step()
        out[i] = plate.u[listen]
        if i % every == 0:
            energies.append(plate.energy())
            if not np.isfinite(energies[-1]):
                raise FloatingPointError(f"blew up at step {i}, peak {np.abs(view).max()}")
    return out, np.array(energies)


def relax(field, mask, rounds):
    """Fills the holes of a measured shape with a harmonic surface, in place."""
    inner = field[1:-1, 1:-1]
    hole = mask[1:-1, 1:-1]
    around = np.empty_like(inner)
    for _ in range(rounds):
        np.add(field[:-2, 1:-1], field[2:, 1:-1], out=around)
        around += field[1:-1, :-2]
        around += field[1:-1, 2:]
        around *= 0.25
        np.copyto(inner, around, where=hole)
        if np.abs(np.diff(inner, axis=0)).max() < 1e-6:
            break
    return field


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--n", type=int, default=256)
    ap.add_argument("--steps", type=int, default=44100)
    ap.add_argument("--shape", default=None)
    args = ap.parse_args()
    plate = Plate(args.n, 0.2, 1.5, 0.5)
    if args.shape:
        shape = np.load(args.shape)
        plate.u[:] = relax(shape, np.isnan(shape), 5000)
    plate.strike(args.n // 3, args.n // 2, 4.0)
    sound, energies = record(plate, args.steps, (10, 12))
    np.savez("plate.npz", sound=sound / np.abs(sound).max(), energy=energies)


if __name__ == "__main__":
    main()
