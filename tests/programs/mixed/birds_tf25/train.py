import os

import tensorflow as tf

from data import Birds
from settings import Settings


def backbone(settings):
    base = tf.keras.applications.MobileNetV2(include_top=False, pooling="avg")
    base.trainable = False
    out = tf.keras.layers.Dense(settings.classes, activation="softmax")(base.output)
    return tf.keras.Model(base.input, out)


def confusion(model, ds, classes):
    table = tf.zeros((classes, classes), tf.int32)
    for images, labels in ds:  # finding: eager-loop
        guess = tf.argmax(model(images, training=False), -1)
        table += tf.math.confusion_matrix(labels, guess, classes)
    return table


def weights_of(names):
    counts = {name: len(os.listdir(os.path.join("birds", "train", name))) for name in names}
    total = sum(counts.values())
    return {i: total / (len(names) * counts[name]) for i, name in enumerate(names)}


def main():
    settings = Settings()
    names = sorted(os.listdir(os.path.join(settings.root, "train")))
    birds = Birds(settings, names)
    model = backbone(settings)
    model.compile("adam", "sparse_categorical_crossentropy", metrics=["accuracy"])
    model.fit(
        birds.train(),
        validation_data=birds.valid(),
        epochs=settings.epochs,
        class_weight=weights_of(names),
    )
    print(confusion(model, birds.valid(), settings.classes))


if __name__ == "__main__":
    main()
