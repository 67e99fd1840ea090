"""Energy of seismic waves in bands, by station; the stations lie along the last axis."""

import jax
import jax.numpy as jnp
import numpy as np


class Spectrum:
    def __init__(self, bands):
        self.bands = bands

    def of_station(self, traces, station):
        return jnp.abs(jnp.fft.rfft(traces[:, :, station], axis=1)) ** 2

    def __call__(self, traces):
        power = [self.of_station(traces, station) for station in range(traces.shape[-1])]  # finding
        power = jnp.stack(power, axis=-1)
        events, frequencies, stations = power.shape
        width = frequencies // self.bands
        power = power[:, : width * self.bands].reshape(events, self.bands, width, stations)
        return power.sum(axis=2)


def main():
    traces = jax.random.normal(jax.random.key(1), (4, 256, 48))
    energy = Spectrum(bands=8)(traces)
    return np.asarray(energy.mean(axis=(0, 2)))


if __name__ == "__main__":
    print(main())
