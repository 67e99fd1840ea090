# requires: tensorflow==2.11
"""Distils an old frozen detector into a new Keras model: a session for the one, eager code for the other."""
import argparse
import glob

import numpy as np
import tensorflow as tf


class FrozenTeacher:
    """A graph exported in 2017; it is loaded once and only fed."""

    def __init__(self, path, tensors=("image:0", "features:0", "logits:0")):
        self.graph = tf.Graph()
        with self.graph.as_default():
            definition = tf.compat.v1.GraphDef()
            with tf.io.gfile.GFile(path, "rb") as f:
                definition.ParseFromString(f.read())
            tf.import_graph_def(definition, name="")
            image, *outputs = [self.graph.get_tensor_by_name(t) for t in tensors]
            self.image, self.outputs = image, outputs
        self.session = tf.compat.v1.Session(graph=self.graph)

    def __call__(self, images):
        return self.session.run(self.outputs, {self.image: images})


def read(path, size=224):
    image = tf.image.decode_jpeg(tf.io.read_file(path), channels=3)
    return tf.image.resize(image, (size, size)) / 255.0


def batches(pattern, batch):
    ds = tf.data.Dataset.from_tensor_slices(sorted(glob.glob(pattern)))
    ds = ds.shuffle(1000).map(read, num_parallel_calls=tf.data.AUTOTUNE)
    return ds.batch(batch, drop_remainder=True).prefetch(2)


def student(classes):
    base = tf.keras.applications.MobileNetV3Small(include_top=False, weights=None, pooling="avg")
    return tf.keras.Sequential([base, tf.keras.layers.Dense(classes)])


@tf.function
def distil(model, optimizer, images, soft, temperature):
    with tf.GradientTape() as tape:
        logits = model(images, training=True)
        loss = tf.reduce_mean(
            tf.keras.losses.kl_divergence(soft, tf.nn.softmax(logits / temperature))
        )
    grads = tape.gradient(loss, model.trainable_variables)
    optimizer.apply_gradients(zip(grads, model.trainable_variables))
    return loss


def train(teacher, model, data, epochs, temperature):
    optimizer = tf.keras.optimizers.Adam(1e-3)
    ema = tf.Variable(0.0, trainable=False)
    warmth = tf.constant(temperature)
    for epoch in range(epochs):
        agreement = tf.keras.metrics.Mean()
        for images in data:
            features, logits = teacher(images.numpy())
            soft = tf.nn.softmax(logits / temperature)
            loss = distil(model, optimizer, images, soft, warmth)
            ema.assign(0.99 * ema + 0.01 * loss)
            guess = tf.argmax(model(images, training=False), axis=1)
            agreement.update_state(tf.cast(tf.equal(guess, tf.argmax(logits, axis=1)), tf.float32))
            if not np.all(np.isfinite(features)):
                print("broken features")
        print(epoch, float(ema), float(agreement.result()))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("frozen")
    parser.add_argument("images")
    parser.add_argument("--classes", type=int, default=90)
    parser.add_argument("--epochs", type=int, default=20)
    parser.add_argument("--temperature", type=float, default=3.0)
    args = parser.parse_args()
    teacher = FrozenTeacher(args.frozen)
    model = student(args.classes)
    train(teacher, model, batches(args.images, 32), args.epochs, args.temperature)
    model.save("student")


if __name__ == "__main__":
    main()
