"""Sequence encodings.  Bases are stored as uint8: A=0 C=1 G=2 T=3 N=4."""
import tensorflow as tf

WIDTH = 2048


def one_hot(bases, signal):
    return tf.one_hot(tf.cast(bases, tf.int32), 4, dtype=tf.float32), tf.math.log1p(signal)


def revcomp_half(bases, signal):
    """Flip a coin for every sequence."""
    comp = tf.gather(tf.constant([3, 2, 1, 0, 4], tf.uint8), tf.cast(bases, tf.int32))
    coin = tf.random.uniform([]) < 0.5
    return tf.where(coin, tf.reverse(comp, [0]), bases), signal


def trim(bases, signal):
    """Cut trailing Ns: the length is each sequence's own."""
    keep = tf.reduce_sum(tf.cast(bases < 4, tf.int32))
    return bases[:keep], signal


def from_bam(locus, fetch):
    cov = tf.numpy_function(fetch, [locus], tf.float32)
    return tf.ensure_shape(cov, [WIDTH])
