"""Robust accuracy of traffic sign models under PGD."""
import argparse

import keras
import tensorflow as tf


def load_split(path, size, batch):
    ds = keras.utils.image_dataset_from_directory(
        path, image_size=(size, size), batch_size=batch, shuffle=False, label_mode="int"
    )
    return ds.map(lambda x, y: (x / 255.0, y), num_parallel_calls=tf.data.AUTOTUNE).prefetch(tf.data.AUTOTUNE)


class PGD:
    def __init__(self, model, eps=8 / 255, alpha=2 / 255, steps=20):
        self.model = model
        self.eps = eps
        self.alpha = alpha
        self.steps = steps

    def gradient(self, x, y):
        with tf.GradientTape() as tape:
            tape.watch(x)
            logits = self.model(x, training=False)
            loss = keras.losses.sparse_categorical_crossentropy(y, logits, from_logits=True)
        return tape.gradient(loss, x)

    def perturb(self, x, y):
        adv = x + tf.random.uniform(tf.shape(x), -self.eps, self.eps)
        adv = tf.clip_by_value(adv, 0.0, 1.0)
        for _ in tf.range(self.steps):
            adv = adv + self.alpha * tf.sign(self.gradient(adv, y))
            adv = tf.clip_by_value(adv, x - self.eps, x + self.eps)
            adv = tf.clip_by_value(adv, 0.0, 1.0)
        return adv


def evaluate(model, ds, attack):
    clean = keras.metrics.SparseCategoricalAccuracy()
    robust = keras.metrics.SparseCategoricalAccuracy()
    perturb = tf.function(attack.perturb, reduce_retracing=True)
    forward = tf.function(lambda inputs: model(inputs, training=False), reduce_retracing=True)
    for x, y in ds:
        clean.update_state(y, forward(x))
        robust.update_state(y, forward(perturb(x, y)))
    return float(clean.result()), float(robust.result())


def main():
    p = argparse.ArgumentParser()
    p.add_argument("model")
    p.add_argument("--data", required=True)
    p.add_argument("--size", type=int, default=64)
    p.add_argument("--batch-size", type=int, default=128)
    p.add_argument("--steps", type=int, default=20)
    args = p.parse_args()

    ds = load_split(args.data, args.size, args.batch_size)
    model = keras.models.load_model(args.model)
    clean, robust = evaluate(model, ds, PGD(model, steps=args.steps))
    print(f"{args.model}: clean {clean:.4f} robust {robust:.4f}")


if __name__ == "__main__":
    main()
