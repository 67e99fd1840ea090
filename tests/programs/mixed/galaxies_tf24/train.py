import argparse

import data
import tensorflow as tf
from tensorflow.keras import layers


class GalaxyNet(tf.keras.Model):
    def __init__(self, classes):
        super().__init__()
        self.body = [layers.Conv2D(n, 3, strides=2, activation="relu") for n in (32, 64, 128)]
        self.pool = layers.GlobalAveragePooling2D()
        self.head = layers.Dense(classes)

    def call(self, x):
        for layer in self.body:
            x = layer(x)
        return self.head(self.pool(x))

    def train_step(self, batch):
        images, labels = batch
        with tf.GradientTape() as tape:
            logits = self(images, training=True)
            loss = self.compiled_loss(labels, logits)
        grads = tape.gradient(loss, self.trainable_variables)
        self.optimizer.apply_gradients(zip(grads, self.trainable_variables))
        self.compiled_metrics.update_state(labels, logits)
        return {m.name: m.result() for m in self.metrics}


if __name__ == "__main__":
    p = argparse.ArgumentParser()
    p.add_argument("--steps", default="scale,jitter")
    p.add_argument("--batch-size", type=int, default=64)
    args = p.parse_args()
    model = GalaxyNet(data.CLASSES)
    model.compile("adam", tf.keras.losses.CategoricalCrossentropy(from_logits=True), ["accuracy"])
    train = data.prepare("train", args.steps.split(","), args.batch_size, True)
    held = data.prepare("test", ["scale"], args.batch_size, False)
    model.fit(train, validation_data=held, epochs=20)
