# requires: tensorflow==2.15.0
import argparse

import tensorflow as tf


def make_dataset(batch_size):
    (x, y), _ = tf.keras.datasets.fashion_mnist.load_data()
    return tf.data.Dataset.from_tensor_slices((x[..., None] / 255.0, y)).batch(batch_size)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=30)
    args = parser.parse_args()
    data = make_dataset(256)
    model = tf.keras.Sequential([tf.keras.layers.Flatten(), tf.keras.layers.Dense(10)])
    loss_fn = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    optimizer = tf.keras.optimizers.Adam()

    def train_step(x, y):
        with tf.GradientTape() as tape:
            loss = loss_fn(y, model(x, training=True))
        gradients = tape.gradient(loss, model.trainable_variables)
        optimizer.apply_gradients(zip(gradients, model.trainable_variables))
        return loss

    for epoch in range(args.epochs):
        step = tf.function(train_step)  # finding: compiled-per-call
        for x, y in data:
            loss = step(x, y)
        print(epoch, float(loss))


if __name__ == "__main__":
    main()
