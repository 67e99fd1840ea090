# requires: tensorflow==2.8.*
"""Bird photographs: files of all sizes, cropped at random, one by one."""
import os

import tensorflow as tf
from tensorflow.keras import applications, layers

IMG = 260
AUTO = tf.data.AUTOTUNE


def read_label(path, table):
    name = tf.strings.split(path, os.sep)[-2]
    return table.lookup(name)


def load(path, label):
    raw = tf.io.read_file(path)
    image = tf.io.decode_jpeg(raw, channels=3)
    return image, label


def random_view(image, label):
    shape = tf.shape(image)
    side = tf.minimum(shape[0], shape[1])
    scale = tf.random.uniform([], 0.6, 1.0)
    side = tf.cast(tf.cast(side, tf.float32) * scale, tf.int32)
    image = tf.image.random_crop(image, [side, side, 3])
    image = tf.image.resize(image, [IMG, IMG])
    image = tf.image.random_brightness(image, 20.0)
    image = tf.image.random_saturation(image, 0.8, 1.2)
    return image, label


def center_view(image, label):
    image = tf.image.resize_with_pad(image, IMG, IMG)
    return image, label


def class_table(root):
    names = sorted(os.listdir(root))
    init = tf.lookup.KeyValueTensorInitializer(names, tf.range(len(names), dtype=tf.int64))
    return names, tf.lookup.StaticHashTable(init, -1)


def datasets(root, batch_size=32):
    names, table = class_table(os.path.join(root, "train"))

    def one(split, view):
        files = tf.data.Dataset.list_files(os.path.join(root, split, "*", "*.jpg"), shuffle=split == "train")
        ds = files.map(lambda path: (path, read_label(path, table)), num_parallel_calls=AUTO)
        ds = ds.map(load, num_parallel_calls=AUTO)
        ds = ds.map(view, num_parallel_calls=AUTO)
        return ds.batch(batch_size).prefetch(AUTO)

    return names, one("train", random_view), one("valid", center_view)


def build(classes):
    base = applications.EfficientNetB2(include_top=False, pooling="avg", input_shape=(IMG, IMG, 3))
    base.trainable = False
    return tf.keras.Sequential([base, layers.Dropout(0.3), layers.Dense(classes, activation="softmax")])


def main(root="birds"):
    names, train, valid = datasets(root)
    model = build(len(names))
    model.compile("adam", "sparse_categorical_crossentropy", metrics=["accuracy"])
    model.fit(train, validation_data=valid, epochs=4)
    model.layers[0].trainable = True
    model.compile(
        tf.keras.optimizers.Adam(1e-5), "sparse_categorical_crossentropy", metrics=["accuracy"]
    )
    model.fit(train, validation_data=valid, epochs=8)
    model.save("birds.h5")


if __name__ == "__main__":
    main()
