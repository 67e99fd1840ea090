# requires: tensorflow==2.15.0
import tensorflow as tf


def decode(path):
    return tf.io.decode_jpeg(tf.io.read_file(path), channels=3)


def main(paths, model):
    optimizer = tf.keras.optimizers.Adam()
    for path in paths:
        image = tf.image.resize(decode(path), [64, 64])[tf.newaxis] / 255.0
        with tf.GradientTape() as tape:
            restored = model(image, training=True)
            loss = tf.reduce_mean(tf.abs(restored - image))
        gradients = tape.gradient(loss, model.trainable_variables)
        optimizer.apply_gradients(zip(gradients, model.trainable_variables))
        print(path, loss.numpy())
