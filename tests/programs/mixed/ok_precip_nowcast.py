# requires: tensorflow==2.4
"""Radar nowcasting, ConvLSTM on 5-minute composites.  Kept on the cluster's old TF module."""
import os

import numpy as np
import tensorflow as tf

ROOT = os.environ.get("RADAR_ROOT", "/net/radar/rz5")
GRID = 256
LEAD = 12
FEATURES = {
    "frames": tf.io.FixedLenFeature([], tf.string),
    "stamp": tf.io.FixedLenFeature([], tf.int64),
}


def tuned(ds):
    """The optimiser rewrites plain maps to parallel ones."""
    opts = tf.data.Options()
    opts.experimental_deterministic = False
    opts.experimental_optimization.map_parallelization = True
    return ds.with_options(opts)


def to_frames(rec):
    ex = tf.io.parse_single_example(rec, FEATURES)
    seq = tf.io.decode_raw(ex["frames"], tf.uint8)
    seq = tf.reshape(seq, (2 * LEAD, GRID, GRID, 1))
    return to_rain(tf.cast(seq, tf.float32) * 0.5 - 32.0)


def to_rain(dbz):
    z = tf.pow(10.0, dbz / 10.0)
    return tf.math.log1p(tf.pow(z / 200.0, 0.625))


def split(seq):
    return seq[:LEAD], seq[LEAD:]


def rotate(x, y):
    k = tf.random.uniform([], 0, 4, tf.int32)
    turn = lambda s: tf.image.rot90(s, k)
    return turn(x), turn(y)


def stream(names, training):
    ds = tf.data.TFRecordDataset(names, num_parallel_reads=6)
    ds = ds.map(to_frames)
    ds = ds.map(split)
    if training:
        ds = ds.shuffle(256).map(rotate, num_parallel_calls=6)
    return tuned(ds.batch(8).prefetch(2))


def climatology():
    """12 monthly means, looked at once at start-up."""
    months = tf.data.Dataset.from_tensor_slices(np.arange(12))
    fields = months.map(lambda m: tf.fill([GRID, GRID], tf.cast(m, tf.float32)))
    return np.stack(list(fields.as_numpy_iterator()))


def legacy_scores(names):
    v1 = tf.compat.v1.data.TFRecordDataset(names)
    v1 = v1.map_with_legacy_function(to_frames, num_parallel_calls=4)
    total = 0.0
    for seq in v1:
        total += float(tf.reduce_max(seq))
    return total


def model():
    return tf.keras.Sequential([
        tf.keras.layers.ConvLSTM2D(24, 5, padding="same", return_sequences=True, input_shape=(LEAD, GRID, GRID, 1)),
        tf.keras.layers.ConvLSTM2D(24, 3, padding="same", return_sequences=True),
        tf.keras.layers.Conv3D(1, 3, padding="same"),
    ])


if __name__ == "__main__":
    names = tf.io.gfile.glob(os.path.join(ROOT, "*.tfrec"))
    net = model()
    net.compile("adam", "mae")
    print("climatology", climatology().mean())
    net.fit(stream(names[:-20], True), validation_data=stream(names[-20:], False), epochs=25)
    print("peak dBZ", legacy_scores(names[-20:]))
