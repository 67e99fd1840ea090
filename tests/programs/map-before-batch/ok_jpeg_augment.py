# requires: tensorflow==2.11.*
"""Flowers: JPEG files, augmentation per image, then batches."""
import pathlib

import tensorflow as tf

IMG = 224
AUTOTUNE = tf.data.AUTOTUNE
CLASSES = ["daisy", "dandelion", "roses", "sunflowers", "tulips"]


def load(path):
    label = tf.strings.split(path, "/")[-2]
    label = tf.argmax(tf.cast(label == CLASSES, tf.int32))
    image = tf.io.decode_jpeg(tf.io.read_file(path), channels=3)
    image = tf.image.resize(image, [IMG + 32, IMG + 32])
    return image, label


def augment(image, label):
    image = tf.image.random_crop(image, [IMG, IMG, 3])
    image = tf.image.random_flip_left_right(image)
    image = tf.image.random_brightness(image, 0.2)
    return image, label


def center(image, label):
    return tf.image.resize_with_crop_or_pad(image, IMG, IMG), label


def scale(images, labels):
    return tf.keras.applications.mobilenet_v2.preprocess_input(images), labels


def dataset(root, training, batch_size=32):
    files = [str(p) for p in sorted(pathlib.Path(root).glob("*/*.jpg"))]
    ds = tf.data.Dataset.from_tensor_slices(files)
    if training:
        ds = ds.shuffle(len(files))
    ds = ds.map(load, num_parallel_calls=AUTOTUNE)
    if training:
        ds = ds.map(augment, num_parallel_calls=AUTOTUNE)
        ds = ds.batch(batch_size)
    else:
        ds = ds.batch(batch_size).map(center, num_parallel_calls=AUTOTUNE)
    return ds.map(scale, num_parallel_calls=AUTOTUNE).prefetch(AUTOTUNE)


def main():
    train = dataset("flowers/train", True)
    valid = dataset("flowers/valid", False)
    base = tf.keras.applications.MobileNetV2(include_top=False, pooling="avg",
                                             input_shape=(IMG, IMG, 3))
    base.trainable = False
    model = tf.keras.Sequential([base, tf.keras.layers.Dense(len(CLASSES), activation="softmax")])
    model.compile("adam", "sparse_categorical_crossentropy", metrics=["accuracy"])
    model.fit(train, validation_data=valid, epochs=10)


if __name__ == "__main__":
    main()
