"""Spectra of spoken digits are clustered by loudness."""

import tempfile
from pathlib import Path

import tensorflow as tf
from sibling_clips import Clips


def record(folder, count=40):
    for number in range(count):
        tone = tf.sin(tf.range(800.0) * (0.01 + 0.005 * number))[:, None]
        wave = tf.audio.encode_wav(0.1 * (1 + number % 5) * tone, 8000)
        tf.io.write_file(str(folder / f"digit{number:03d}.wav"), wave)
    return sorted(str(path) for path in folder.glob("*.wav"))


def main():
    with tempfile.TemporaryDirectory() as scratch:
        clips = Clips(record(Path(scratch))).array()
    spectra = tf.abs(tf.signal.stft(clips, 200, 100))
    loudness = tf.reduce_mean(spectra, axis=[1, 2])
    return tf.histogram_fixed_width(loudness, [0.0, 4.0], nbins=5).numpy().tolist()


if __name__ == "__main__":
    print(main())
