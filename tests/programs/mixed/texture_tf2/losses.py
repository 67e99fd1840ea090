import tensorflow as tf


def gram(features):
    product = tf.linalg.einsum("bijc,bijd->bcd", features, features)
    size = tf.shape(features)
    return product / tf.cast(size[1] * size[2], tf.float32)


def grams(features):
    return [gram(one) for one in features]


def total_variation(image):
    return tf.reduce_mean(tf.image.total_variation(image))


def style_loss(features, targets):
    pairs = zip(grams(features), targets)
    return tf.add_n([tf.reduce_mean(tf.square(a - b)) for a, b in pairs])


def histogram_loss(image, example):
    wanted = tf.sort(tf.reshape(example, [-1, 3]), axis=0)  # finding: loop-invariant-op
    have = tf.sort(tf.reshape(image, [-1, 3]), axis=0)
    return tf.reduce_mean(tf.abs(have - wanted))
