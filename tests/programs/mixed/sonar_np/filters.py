"""Matched filters for chirps, and what the receiver hears."""
import numpy as np

SPEED = 1500.0


def chirp(low, high, seconds, rate):
    time = np.arange(int(seconds * rate)) / rate
    phase = 2 * np.pi * (low * time + (high - low) / (2 * seconds) * time**2)
    return np.sin(phase) * np.hanning(len(time))


def matched(signal, template):
    size = len(signal) + len(template) - 1
    size = 1 << (size - 1).bit_length()
    product = np.fft.rfft(signal, size) * np.conj(np.fft.rfft(template, size))
    return np.fft.irfft(product, size)[: len(signal)]


def steering(angles, positions, frequency):
    delays = np.outer(np.sin(angles), positions) / SPEED
    return np.exp(-2j * np.pi * frequency * delays)


def background(pings):
    return np.median(np.abs(pings), axis=0)


class Array:
    def __init__(self, elements, spacing, rate):
        self.positions = spacing * (np.arange(elements) - (elements - 1) / 2)
        self.rate = rate
        self._window = None

    @property
    def taper(self):
        return np.kaiser(len(self.positions), 8.6)

    def window(self, length):
        if self._window is None or len(self._window) != length:
            self._window = np.blackman(length)
        return self._window

    def beams(self, block, angles, frequency):
        spectrum = np.fft.rfft(block * self.window(block.shape[1]), axis=1)
        bin_ = int(round(frequency * block.shape[1] / self.rate))
        return steering(angles, self.positions, frequency) @ (self.taper * spectrum[:, bin_])
