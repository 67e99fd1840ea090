"""Normalisation and indices of spectra, in TensorFlow."""

import tensorflow as tf

RED, INFRARED = 60, 110


def standard_normal_variate(spectra):
    def one(spectrum):
        mean = tf.reduce_mean(spectrum)
        deviation = tf.math.reduce_std(spectrum)
        return (spectrum - mean) / (deviation + 1e-6)

    return tf.map_fn(one, spectra)  # finding: row-wise-map


def vegetation_index(spectra):
    red, infrared = spectra[:, RED], spectra[:, INFRARED]
    return (infrared - red) / (infrared + red + 1e-6)


def pieces(spectra, cuts):
    """Parts of unequal length, so they cannot be stacked; there are four of them."""
    parts = []
    for start, stop in zip(cuts[:-1], cuts[1:]):
        parts.append(tf.reduce_mean(spectra[:, start:stop], axis=1))
    return tf.stack(parts, axis=1)


def nearest(references, spectra):
    """Index of the reference that is closest to each spectrum."""

    def closest(spectrum):
        return tf.argmin(tf.norm(references - spectrum, axis=1))

    return tf.map_fn(closest, spectra, fn_output_signature=tf.int64)  # finding: row-wise-map


@tf.function
def warped(spectra, shift):
    return tf.roll(spectra, shift, axis=1)


def augmented(spectra, reach):
    """All shifts of the spectra, one below the other."""
    return tf.concat([warped(spectra, shift) for shift in range(-reach, reach)], axis=0)  # finding: retracing
