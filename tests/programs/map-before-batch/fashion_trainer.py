# requires: tensorflow==2.15.*
"""Small CNN on Fashion-MNIST, trained with a custom loop."""
import argparse
import os

import tensorflow as tf
from tensorflow.keras import layers, models

AUTO = tf.data.AUTOTUNE


def scale(image, label):
    image = tf.cast(image, tf.float32) / 255.0
    image = tf.expand_dims(image, -1)
    return image, label


class Trainer:
    def __init__(self, args):
        self.args = args
        self.model = self.build_model()
        self.optimizer = tf.keras.optimizers.Adam(args.lr)
        self.loss_fn = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)
        self.train_loss = tf.keras.metrics.Mean(name="train_loss")
        self.val_acc = tf.keras.metrics.SparseCategoricalAccuracy(name="val_acc")
        self.train_ds, self.val_ds = self.load_data()

    def build_model(self):
        return models.Sequential([
            layers.Conv2D(32, 3, activation="relu", input_shape=(28, 28, 1)),
            layers.MaxPooling2D(),
            layers.Conv2D(64, 3, activation="relu"),
            layers.MaxPooling2D(),
            layers.Flatten(),
            layers.Dense(128, activation="relu"),
            layers.Dense(10),
        ])

    def load_data(self):
        (x_train, y_train), (x_test, y_test) = tf.keras.datasets.fashion_mnist.load_data()

        train_ds = tf.data.Dataset.from_tensor_slices((x_train, y_train))
        train_ds = train_ds.shuffle(60000)
        train_ds = train_ds.map(scale, num_parallel_calls=AUTO)  # finding: map-before-batch
        train_ds = train_ds.batch(self.args.batch_size, drop_remainder=True)
        train_ds = train_ds.prefetch(AUTO)

        val_ds = tf.data.Dataset.from_tensor_slices((x_test, y_test))
        val_ds = val_ds.map(scale, num_parallel_calls=AUTO)  # finding: map-before-batch
        val_ds = val_ds.batch(256)
        return train_ds, val_ds.prefetch(AUTO)

    @tf.function
    def train_step(self, x, y):
        with tf.GradientTape() as tape:
            logits = self.model(x, training=True)
            loss = self.loss_fn(y, logits)
        grads = tape.gradient(loss, self.model.trainable_variables)
        self.optimizer.apply_gradients(zip(grads, self.model.trainable_variables))
        self.train_loss.update_state(loss)

    @tf.function
    def val_step(self, x, y):
        self.val_acc.update_state(y, self.model(x, training=False))

    def fit(self):
        for epoch in range(self.args.epochs):
            self.train_loss.reset_state()
            self.val_acc.reset_state()
            for x, y in self.train_ds:
                self.train_step(x, y)
            for x, y in self.val_ds:
                self.val_step(x, y)
            print("epoch %d loss %.4f acc %.4f" % (
                epoch, self.train_loss.result(), self.val_acc.result()))
        self.model.save(os.path.join(self.args.out, "fashion.keras"))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--batch-size", type=int, default=128)
    parser.add_argument("--epochs", type=int, default=20)
    parser.add_argument("--lr", type=float, default=1e-3)
    parser.add_argument("--out", default="runs")
    args = parser.parse_args()
    os.makedirs(args.out, exist_ok=True)
    Trainer(args).fit()


if __name__ == "__main__":
    main()
