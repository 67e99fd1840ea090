"""Reading of raw shot gathers (fixed-size int16 blocks with a 240 byte header)."""
import numpy as np
import tensorflow as tf

NSAMP = 6000


def _decode(path, offset):
    with open(path.decode(), "rb") as fh:
        fh.seek(int(offset))
        head = np.frombuffer(fh.read(240), ">i4")
        body = np.frombuffer(fh.read(NSAMP * 2), ">i2").astype(np.float32)
    gain = np.float32(2.0 ** -(head[3] % 32))
    body = body * gain
    body -= np.median(body)
    return body / (np.abs(body).max() + 1e-6), np.float32(head[7] / NSAMP)


def fetch_trace(path, offset):
    x, pick = tf.numpy_function(_decode, [path, offset], [tf.float32, tf.float32])
    return tf.ensure_shape(x, [NSAMP]), tf.ensure_shape(pick, [])


def index(manifest):
    paths, offsets = [], []
    with open(manifest) as fh:
        for line in fh:
            p, o = line.split()
            paths.append(p)
            offsets.append(int(o))
    return paths, np.asarray(offsets, np.int64)
