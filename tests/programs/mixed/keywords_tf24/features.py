"""Log-mel features for keyword spotting."""
from dataclasses import dataclass
from pathlib import Path
from typing import Callable, List

import tensorflow as tf


@dataclass(frozen=True)
class MelConfig:
    rate: int = 16000
    frame: int = 400
    hop: int = 160
    bins: int = 64
    low: float = 60.0
    high: float = 7600.0


def read_wav(path, label):
    audio, _ = tf.audio.decode_wav(tf.io.read_file(path), desired_channels=1)
    return tf.squeeze(audio, -1), label


def pad_to(seconds: float, rate: int) -> Callable:
    length = int(seconds * rate)

    def fix(audio, label):
        audio = audio[:length]
        missing = length - tf.shape(audio)[0]
        audio = tf.pad(audio, [[0, missing]])
        return tf.ensure_shape(audio, [length]), label

    return fix


def log_mel(config: MelConfig) -> Callable:
    weights = tf.signal.linear_to_mel_weight_matrix(
        config.bins, config.frame // 2 + 1 + 56, config.rate, config.low, config.high
    )

    def compute(audio, label):
        spectrum = tf.abs(tf.signal.stft(audio, config.frame, config.hop, fft_length=512))
        mel = tf.tensordot(spectrum, weights, 1)
        return tf.math.log(mel + 1e-6), label

    return compute


def spec_augment(mel, label):
    frames = tf.shape(mel)[0]
    start = tf.random.uniform([], 0, frames - 20, dtype=tf.int32)
    keep = tf.logical_or(tf.range(frames) < start, tf.range(frames) >= start + 20)
    return mel * tf.cast(keep, mel.dtype)[:, None], label


def standardise(mel, label):
    return (mel + 4.5) / 2.2, label


class KeywordData:
    def __init__(self, root: Path, words: List[str], config: MelConfig, batch: int = 64):
        self.words = words
        self.config = config
        self.batch = batch
        self.paths = sorted(str(p) for w in words for p in (root / w).glob("*.wav"))
        self.labels = [words.index(Path(p).parent.name) for p in self.paths]

    def _base(self):
        pairs = tf.data.Dataset.from_tensor_slices((self.paths, self.labels))
        return pairs.shuffle(len(self.paths))

    def train(self):
        steps = [
            read_wav,
            pad_to(1.0, self.config.rate),
            log_mel(self.config),
            spec_augment,
        ]
        ds = self._base()
        for step in steps:
            ds = ds.map(step)  # finding: serial-map
        ds = ds.map(standardise, num_parallel_calls=tf.data.AUTOTUNE)  # finding: map-before-batch
        return ds.batch(self.batch).prefetch(tf.data.AUTOTUNE)

    def valid(self):
        auto = tf.data.AUTOTUNE
        return (
            self._base()
            .map(read_wav, num_parallel_calls=auto)
            .map(pad_to(1.0, self.config.rate), num_parallel_calls=auto)
            .batch(self.batch)
            .map(log_mel(self.config), num_parallel_calls=auto)
            .map(standardise, num_parallel_calls=auto)
            .prefetch(auto)
        )

    def embedding_dump(self):
        """Written once a night; goes through the slow path."""
        ds = tf.data.Dataset.from_tensor_slices((self.paths, self.labels))
        ds = ds.map(lambda p, y: read_wav(p, y))  # finding: serial-map
        return ds.padded_batch(self.batch, padded_shapes=([None], []))
