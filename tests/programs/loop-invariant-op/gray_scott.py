"""Reaction-diffusion with a spectral step, and sound convolution."""

import numpy as np
from scipy import signal


class Grid:
    def __init__(self, n, length):
        self.n = n
        self.length = length

    def wavenumbers(self):
        k = 2 * np.pi * np.fft.fftfreq(self.n, d=self.length / self.n)
        return np.meshgrid(k, k)

    def laplacian_symbol(self):
        kx, ky = self.wavenumbers()
        return -(kx**2 + ky**2)


class Spectral:
    def __init__(self, grid, du, dv, feed, kill):
        self.grid, self.du, self.dv = grid, du, dv
        self.feed, self.kill = feed, kill

    def step(self, u, v, dt):
        symbol = self.grid.laplacian_symbol()
        reaction = u * v * v
        u_hat = np.fft.fft2(u + dt * (self.feed * (1 - u) - reaction))
        v_hat = np.fft.fft2(v + dt * (reaction - (self.feed + self.kill) * v))
        u = np.fft.ifft2(u_hat / (1 - dt * self.du * symbol)).real
        v = np.fft.ifft2(v_hat / (1 - dt * self.dv * symbol)).real
        return u, v


def simulate(n=512, steps=20_000, dt=1.0):
    rng = np.random.default_rng(0)
    model = Spectral(Grid(n, 2.5), 2e-5, 1e-5, 0.04, 0.06)
    u, v = np.ones((n, n)), 0.1 * rng.random((n, n))
    for t in range(steps):
        u, v = model.step(u, v, dt)
        if t % 1000 == 0:
            np.save(f"frame{t}.npy", u)
    return u, v


def smooth_all(frames, sigma, n=1024):
    for frame in frames:
        axis = np.arange(n) - n // 2
        kernel = np.exp(-(axis[:, None] ** 2 + axis[None, :] ** 2) / (2 * sigma**2))
        kernel /= kernel.sum()
        yield np.fft.ifft2(np.fft.fft2(frame) * np.fft.fft2(kernel)).real  # note: loop-invariant-op


def filter_channels(channels, impulse):
    size = channels.shape[-1] + len(impulse) - 1
    out = []
    for channel in channels:
        response = np.fft.rfft(impulse, size)  # note: loop-invariant-op
        out.append(np.fft.irfft(np.fft.rfft(channel, size) * response, size))
    return np.stack(out)


def bank(channel, cutoffs, rate):
    out = []
    for low, high in cutoffs:
        taps = signal.firwin(1025, [low, high], fs=rate, pass_zero=False)
        out.append(signal.fftconvolve(channel, taps, mode="same"))
    return np.stack(out)
