import tensorflow as tf
from tensorflow.keras import layers

SIZE = (160, 160)


def datasets(folder):
    options = {"image_size": SIZE, "batch_size": 64, "validation_split": 0.2, "seed": 3}
    train = tf.keras.utils.image_dataset_from_directory(folder, subset="training", **options)
    valid = tf.keras.utils.image_dataset_from_directory(folder, subset="validation", **options)
    return train.prefetch(tf.data.AUTOTUNE), valid.prefetch(tf.data.AUTOTUNE)


def model(classes):
    inputs = layers.Input(SIZE + (3,))
    x = layers.RandomFlip("horizontal")(inputs)  # finding: buggy-version
    x = layers.RandomRotation(0.1)(x)  # finding: buggy-version
    x = layers.RandomZoom(0.2)(x)  # finding: buggy-version
    x = layers.Rescaling(1 / 127.5, offset=-1)(x)
    base = tf.keras.applications.MobileNetV2(SIZE + (3,), include_top=False)
    base.trainable = False
    x = layers.GlobalAveragePooling2D()(base(x, training=False))
    return tf.keras.Model(inputs, layers.Dense(classes, activation="softmax")(layers.Dropout(0.2)(x)))


if __name__ == "__main__":
    train, valid = datasets("pets")
    net = model(37)
    net.compile("adam", "sparse_categorical_crossentropy", metrics=["accuracy"])
    net.fit(train, validation_data=valid, epochs=10)
    print(net.evaluate(valid))
