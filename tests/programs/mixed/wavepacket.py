"""Training data for a neural surrogate: wave packets in static and driven wells."""
import functools

import numpy as np

N, L = 400, 20.0
X = np.linspace(-L / 2, L / 2, N, endpoint=False)
DX = X[1] - X[0]
K = 2 * np.pi * np.fft.fftfreq(N, DX)


def potential(kind, rng):
    shapes = {
        "double": lambda: 0.05 * (X ** 2 - rng.uniform(4, 9)) ** 2,
        "morse": lambda: 8 * (1 - np.exp(-rng.uniform(0.2, 0.5) * (X + 2))) ** 2,
        "cosine": lambda: 3 * np.cos(2 * np.pi * X / rng.uniform(4, 8)),
    }
    return np.minimum(shapes[kind](), 60.0)


def hamiltonian(v):
    kin = np.fft.ifft(0.5 * K[:, None] ** 2 * np.fft.fft(np.eye(N), axis=0), axis=0).real
    return 0.5 * (kin + kin.T) + np.diag(v)


def exponential(h, dt):
    e, u = np.linalg.eigh(h)  # finding: loop-invariant-op
    return (u * np.exp(-1j * e * dt)) @ u.conj().T


def exact(h, psi, t, dt):
    return exponential(h, dt) @ psi


def split(v, half_kick, field, psi, t, dt):
    phase = np.exp(-1j * dt * (v + field(t + dt / 2) * X))
    psi = np.fft.ifft(half_kick * np.fft.fft(psi))
    return np.fft.ifft(half_kick * np.fft.fft(phase * psi))


def packet(rng):
    psi = np.exp(-(X - rng.uniform(-3, 3)) ** 2 + 1j * rng.uniform(-2, 2) * X)
    return psi / np.sqrt(np.sum(np.abs(psi) ** 2) * DX)


class Scene:
    def __init__(self, kind, driven, rng, dt=0.01):
        v = potential(kind, rng)
        self.dt = dt
        if driven:
            amp, om = rng.uniform(0.1, 1.0), rng.uniform(0.5, 3.0)
            self.move = functools.partial(split, v, np.exp(-0.25j * dt * K ** 2), lambda t: amp * np.sin(om * t))
        else:
            self.move = functools.partial(exact, hamiltonian(v))
        self.psi = packet(rng)

    def frames(self, steps, every):
        t, n = 0.0, 0
        while n < steps:
            if n % every == 0:
                yield np.abs(self.psi) ** 2
            self.psi = self.move(self.psi, t, self.dt)
            t += self.dt
            n += 1


def corpus(scenes, steps=1000, every=20, seed=0):
    rng = np.random.default_rng(seed)
    movies = []
    for i in range(scenes):
        kind = ("double", "morse", "cosine")[i % 3]
        scene = Scene(kind, driven=i % 2 == 1, rng=rng)
        movie = np.stack(list(scene.frames(steps, every)))
        drift = np.ptp(movie.sum(1) * DX)
        if drift > 1e-6:
            print("norm drifts by", drift, "in", kind)
        movies.append(movie.astype(np.float32))
    return np.stack(movies)


if __name__ == "__main__":
    np.save("packets.npy", corpus(200))
