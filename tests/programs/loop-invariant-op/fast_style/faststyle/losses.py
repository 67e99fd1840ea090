import tensorflow as tf

from .vgg import prepare


def gram(features):
    shape = tf.shape(features)
    positions = tf.cast(shape[1] * shape[2], tf.float32)
    return tf.einsum("bijc,bijd->bcd", features, features) / positions


def style_targets(extractor, style_image):
    *style, _ = extractor(prepare(style_image))
    return [gram(layer) for layer in style]


def style_loss(layers, targets):
    return tf.add_n(
        [tf.reduce_mean(tf.square(gram(layer) - target)) for layer, target in zip(layers, targets)]
    )


def content_loss(ours, theirs):
    return tf.reduce_mean(tf.square(ours - theirs))
