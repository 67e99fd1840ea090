import argparse
from pathlib import Path

import tensorflow as tf

from data import Words


def network(height, classes):
    inputs = tf.keras.Input((height, 128, 1))
    x = inputs
    for width in (32, 64, 128):
        x = tf.keras.layers.Conv2D(width, 3, padding="same", activation="relu")(x)
        x = tf.keras.layers.MaxPooling2D((2, 1))(x)
    x = tf.keras.layers.Permute((2, 1, 3))(x)
    x = tf.keras.layers.Reshape((128, -1))(x)
    return tf.keras.Model(inputs, tf.keras.layers.Dense(classes)(x))


@tf.function
def train_step(model, optimizer, images, labels, weight):
    with tf.GradientTape() as tape:
        logits = model(images, training=True)
        loss = weight * tf.reduce_mean(tf.reduce_sum(tf.abs(logits), (1, 2)))
    optimizer.apply_gradients(zip(tape.gradient(loss, model.trainable_weights), model.trainable_weights))
    return loss


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("root", type=Path)
    parser.add_argument("--epochs", type=int, default=30)
    args = parser.parse_args()
    words = Words(args.root)
    model = network(32, 28)
    optimizer = tf.keras.optimizers.Adam(1e-3)
    train, valid = words.dataset(64, True), words.dataset(64, False)
    step = 0
    for epoch in range(args.epochs):
        for images, labels in train:
            step += 1
            warm = min(1.0, step / 4000)
            loss = train_step(model, optimizer, images, labels, warm)  # finding: retracing
        total = 0
        for _ in valid:  # finding: record-count
            total += 1
        print(epoch, float(loss), total)
    model.save("words.keras")


if __name__ == "__main__":
    main()
