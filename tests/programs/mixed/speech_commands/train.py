import click
import numpy as np
import tensorflow as tf
from sklearn.model_selection import train_test_split
from tensorflow.keras import layers

import sounds


def network(shape, classes):
    inputs = tf.keras.Input(shape)
    x = inputs
    for width in (16, 32, 64):
        x = layers.Conv2D(width, 3, activation="relu")(x)
        x = layers.MaxPooling2D()(x)
    x = layers.GlobalMaxPooling2D()(x)
    return tf.keras.Model(inputs, layers.Dense(classes, activation="softmax")(x))


@click.command()
@click.option("--root", default="commands")
@click.option("--epochs", default=20)
@click.option("--size", default=8)
def main(root, epochs, size):
    words = sounds.vocabulary("words.txt")
    x, y = sounds.gather(root, words)
    x_train, x_test, y_train, y_test = train_test_split(x, y, test_size=0.2)
    model = network(x.shape[1:], len(words))
    model.compile("adam", "sparse_categorical_crossentropy", metrics=["accuracy"])
    model.fit_generator(  # finding: steps-as-samples
        sounds.batches(x_train, y_train, size),
        steps_per_epoch=len(x_train),
        epochs=epochs,
    )
    model.fit(
        sounds.batches(x_train, y_train, size),
        steps_per_epoch=int(np.ceil(len(x_train) / size)),
        epochs=1,
    )
    model.save("words.h5")
    report(model, x_test, y_test)


def report(model, x_test, y_test):
    guess = model.predict(x_test, batch_size=256).argmax(1)
    print("accuracy", (guess == y_test).mean())


if __name__ == "__main__":
    main()
