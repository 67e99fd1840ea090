# requires: tensorflow==2.15.0
import tensorflow as tf


def load(path, label):
    image = tf.io.decode_jpeg(tf.io.read_file(path), channels=3)
    return tf.image.resize(image, [224, 224]), label


def dataset(paths, labels):
    ds = tf.data.Dataset.from_tensor_slices((paths, labels))
    ds = ds.shuffle(len(paths))
    ds = ds.map(load)
    return ds.batch(32).prefetch(tf.data.AUTOTUNE)


def train(paths, labels):
    model = tf.keras.applications.ResNet50(weights=None, classes=10)
    model.compile("adam", "sparse_categorical_crossentropy")
    model.fit(dataset(paths, labels), epochs=3)
