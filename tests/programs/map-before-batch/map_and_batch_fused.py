# requires: tensorflow==1.15.2
import tensorflow as tf


def to_float(image, label):
    image = tf.cast(image, tf.float32) * (2.0 / 255) - 1.0
    return image, tf.one_hot(label, 10)


def input_fn(images, labels, params):
    dataset = tf.data.Dataset.from_tensor_slices((images, labels))
    dataset = dataset.apply(tf.data.experimental.shuffle_and_repeat(10000))
    dataset = dataset.apply(
        tf.data.experimental.map_and_batch(to_float, params["batch_size"], num_parallel_calls=8)  # finding: map-before-batch
    )
    return dataset.prefetch(tf.data.experimental.AUTOTUNE)


def model_fn(features, labels, mode, params):
    logits = tf.layers.dense(tf.layers.flatten(features), 10)
    loss = tf.losses.softmax_cross_entropy(labels, logits)
    train_op = tf.train.AdamOptimizer(params["lr"]).minimize(loss, tf.train.get_global_step())
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)
