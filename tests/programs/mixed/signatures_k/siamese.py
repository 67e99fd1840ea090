import numpy as np
import tensorflow as tf
from tensorflow import keras
from tensorflow.keras import layers

from pairs import Pairs


def tower():
    return keras.Sequential([
        layers.Input((128, 256, 1)),
        layers.Conv2D(32, 5, 2, activation="relu"),
        layers.Conv2D(64, 3, 2, activation="relu"),
        layers.Conv2D(128, 3, 2, activation="relu"),
        layers.GlobalAveragePooling2D(),
        layers.Dense(64),
    ])


def siamese():
    left, right = layers.Input((128, 256, 1)), layers.Input((128, 256, 1))
    embed = tower()
    distance = layers.Lambda(lambda pair: tf.abs(pair[0] - pair[1]))([embed(left), embed(right)])
    model = keras.Model([left, right], layers.Dense(1, activation="sigmoid")(distance))
    return model, embed


def nearest(embed, query, gallery):
    vectors = embed.predict(gallery, batch_size=256)
    wanted = embed(query[None])[0].numpy()
    return np.linalg.norm(vectors - wanted, axis=1).argmin()


def verify_all(model, claimed, enrolled):
    accepted = 0
    for i in range(len(claimed)):
        p = model.predict([claimed[i : i + 1], enrolled[i : i + 1]], verbose=0)  # finding: predict-per-item
        accepted += p[0, 0] > 0.5
    return accepted / len(claimed)


def pretrain(embed, images, writers):
    """The tower first learns who wrote what."""
    head = keras.Sequential([embed, layers.Dense(int(writers.max()) + 1)])
    head.compile("adam", keras.losses.SparseCategoricalCrossentropy(from_logits=True))
    held = tf.Variable(images / 255.0, dtype=tf.float32)
    head.fit(held, writers, batch_size=64, epochs=5)  # finding: tensor-fed-fit


def main():
    images, writers = np.load("images.npy"), np.load("writers.npy")
    model, embed = siamese()
    pretrain(embed, images, writers)
    model.compile("adam", "binary_crossentropy", metrics=["accuracy"])
    model.fit(Pairs(images, writers), epochs=40, workers=4, use_multiprocessing=True)
    left, right = np.load("claimed.npy"), np.load("enrolled.npy")
    print(verify_all(model, left, right), nearest(embed, left[0], right))


if __name__ == "__main__":
    main()
