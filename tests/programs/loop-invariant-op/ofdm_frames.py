"""Receiver for the lab's OFDM link; frames come from a recording, JAX does the arithmetic."""
import argparse
import struct

import jax.numpy as jnp
import numpy as np

CARRIERS = 1024
PREFIX = 72
PILOTS = np.arange(0, CARRIERS, 8)


def frames(path, symbols):
    size = symbols * (CARRIERS + PREFIX)
    with open(path, "rb") as f:
        while True:
            head = f.read(8)
            if len(head) < 8:
                return
            _, gain = struct.unpack("<If", head)
            raw = np.frombuffer(f.read(size * 8), np.complex64)
            yield raw.reshape(symbols, CARRIERS + PREFIX) / gain


def dft_matrix(n):
    k = jnp.arange(n)
    return jnp.exp(-2j * jnp.pi * jnp.outer(k, k) / n) / jnp.sqrt(n)


def zero_forcing(y, h, noise):
    return y / h


def mmse(y, h, noise):
    return jnp.conj(h) * y / (jnp.abs(h) ** 2 + noise)


EQUALIZERS = {"zf": zero_forcing, "mmse": mmse}


class Receiver:
    def __init__(self, pilots, taps, noise, equalizer):
        self.pilots = jnp.asarray(pilots)
        self.taps = taps
        self.noise = noise
        self.equalize = EQUALIZERS[equalizer]

    def channel(self, spectrum):
        basis = dft_matrix(CARRIERS)[:, : self.taps]
        seen = basis[PILOTS]
        gram = jnp.conj(seen.T) @ seen + self.noise * jnp.eye(self.taps)
        solve = jnp.linalg.inv(gram) @ jnp.conj(seen.T)  # note: loop-invariant-op
        impulse = solve @ (spectrum[PILOTS] / self.pilots)
        return basis @ impulse

    def demodulate(self, frame):
        spectra = jnp.fft.fft(jnp.asarray(frame[:, PREFIX:]), axis=1, norm="ortho")
        h = self.channel(spectra[0])
        return self.equalize(spectra[1:], h, self.noise)


def hard_bits(points):
    return np.stack([np.real(points) > 0, np.imag(points) > 0], axis=-1).astype(np.uint8)


def main():
    p = argparse.ArgumentParser()
    p.add_argument("recording")
    p.add_argument("--symbols", type=int, default=14)
    p.add_argument("--equalizer", choices=sorted(EQUALIZERS), default="mmse")
    p.add_argument("--out", default="bits.bin")
    args = p.parse_args()
    pilots = np.exp(1j * np.pi / 4 * (2 * np.random.RandomState(7).randint(0, 4, len(PILOTS)) + 1))
    receiver = Receiver(pilots, 64, 1e-2, args.equalizer)
    with open(args.out, "wb") as out:
        for number, frame in enumerate(frames(args.recording, args.symbols)):
            points = receiver.demodulate(frame)
            out.write(np.packbits(hard_bits(np.asarray(points))).tobytes())
            if number % 100 == 0:
                print(number, float(jnp.mean(jnp.abs(points))))


if __name__ == "__main__":
    main()
