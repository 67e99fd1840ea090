# requires: tensorflow==2.9.0
import tensorflow as tf

MEAN = tf.constant([0.485, 0.456, 0.406])
STD = tf.constant([0.229, 0.224, 0.225])


@tf.function
def standardize(images, labels):
    return (tf.cast(images, tf.float32) / 255.0 - MEAN) / STD, labels


def pipeline(images, labels, batch_size):
    ds = tf.data.Dataset.from_tensor_slices((images, labels))
    ds = ds.shuffle(len(labels)).batch(batch_size)
    ds = ds.map(standardize, num_parallel_calls=tf.data.AUTOTUNE)
    return ds.prefetch(tf.data.AUTOTUNE)


if __name__ == "__main__":
    (x, y), _ = tf.keras.datasets.cifar10.load_data()
    for images, labels in pipeline(x, y, 64):
        print(images.shape, labels.shape)
