# requires: tensorflow==2.13.0
import tensorflow as tf


def augment(index, example):
    image, label = example
    seed = tf.stack([tf.cast(index, tf.int32), 17])
    image = tf.image.stateless_random_flip_left_right(image, seed)
    image = tf.image.stateless_random_brightness(image, 0.2, seed)
    return image, label


def train_set(images, labels):
    dataset = tf.data.Dataset.from_tensor_slices((images, labels))
    dataset = dataset.enumerate()
    dataset = dataset.map(augment)
    return dataset.batch(64).prefetch(tf.data.AUTOTUNE)


if __name__ == "__main__":
    (x, y), _ = tf.keras.datasets.mnist.load_data()
    for images, labels in train_set(x[..., None], y).take(1):
        print(images.shape, labels.shape)
