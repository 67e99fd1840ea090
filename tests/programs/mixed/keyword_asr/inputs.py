# requires: tensorflow==2.4
"""tf.data input for keyword spotting.  Training reads ~105k one-second wavs."""
import os
from functools import partial

import tensorflow as tf

from config import RunCfg


def _label_of(path, vocab):
    name = tf.strings.split(path, os.sep)[-2]
    return tf.argmax(tf.cast(tf.equal(vocab, name), tf.int32), output_type=tf.int32)


def read_clip(path, vocab, rate):
    wav, _ = tf.audio.decode_wav(tf.io.read_file(path), desired_channels=1)
    wav = tf.squeeze(wav, -1)[: rate * 8]
    return wav, _label_of(path, vocab)


def log_spec(wav, label, audio):
    step = audio.sample_rate * audio.hop_ms // 1000
    size = audio.sample_rate * audio.frame_ms // 1000
    stft = tf.signal.stft(wav, size, step, fft_length=audio.fft)
    return tf.math.log(tf.abs(stft) + 1e-6), label


def _with_threads(ds):
    opts = tf.data.Options()
    opts.experimental_optimization.map_parallelization = True
    opts.experimental_deterministic = False
    return ds.with_options(opts)


def train_input(cfg: RunCfg, vocab):
    files = tf.data.Dataset.list_files(cfg.inputs.train_glob, shuffle=True)
    clips = files.map(partial(read_clip, vocab=vocab, rate=cfg.audio.sample_rate),
                      num_parallel_calls=cfg.inputs.workers)
    clips = clips.shuffle(cfg.inputs.shuffle).repeat()
    feats = clips.map(lambda w, l: log_spec(w, l, cfg.audio))  # finding: serial-map
    bins = cfg.audio.fft // 2 + 1
    return feats.padded_batch(cfg.inputs.batch_size, padded_shapes=([None, bins], [])).prefetch(4)


def dev_input(cfg: RunCfg, vocab):
    files = tf.data.Dataset.list_files(cfg.inputs.dev_glob, shuffle=False)
    ds = files.map(partial(read_clip, vocab=vocab, rate=cfg.audio.sample_rate))
    ds = ds.map(lambda w, l: log_spec(w, l, cfg.audio))
    ds = ds.padded_batch(cfg.inputs.batch_size, padded_shapes=([None, cfg.audio.fft // 2 + 1], []))
    return _with_threads(ds).prefetch(1)


def rescore_input(cfg: RunCfg):
    """Unlabelled audio in hundreds of gzipped TFRecord shards on NFS."""
    shards = tf.data.Dataset.from_tensor_slices(cfg.inputs.rescore_shards)
    raw = shards.interleave(  # finding: serial-map
        lambda s: tf.data.TFRecordDataset(s, compression_type="GZIP"),
        cycle_length=16,
        block_length=32,
    )
    return raw.batch(cfg.inputs.batch_size).prefetch(8)
