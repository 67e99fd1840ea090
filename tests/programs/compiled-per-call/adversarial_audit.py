# requires: tensorflow==2.10.*
"""Audit image classifiers with PGD attacks; a table of robust accuracies."""
import csv
import sys

import tensorflow as tf


def pgd(model, images, labels, eps, steps, alpha):
    loss_fn = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)

    @tf.function  # finding: compiled-per-call
    def gradient(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            loss = loss_fn(labels, model(x, training=False))
        return tape.gradient(loss, x)

    adv = images + tf.random.uniform(tf.shape(images), -eps, eps)
    for _ in range(steps):
        adv = adv + alpha * tf.sign(gradient(adv))
        adv = tf.clip_by_value(adv, images - eps, images + eps)
        adv = tf.clip_by_value(adv, 0.0, 1.0)
    return adv


def robust_accuracy(model, data, eps):
    right = seen = 0
    for images, labels in data:
        adv = pgd(model, images, labels, eps, steps=10, alpha=eps / 4)
        pred = tf.argmax(model(adv, training=False), axis=-1, output_type=labels.dtype)
        right += int(tf.reduce_sum(tf.cast(pred == labels, tf.int32)))
        seen += int(tf.shape(labels)[0])
    return right / seen


def load_data(folder, size):
    data = tf.keras.utils.image_dataset_from_directory(
        folder, image_size=(size, size), batch_size=64, shuffle=False
    )
    return data.map(lambda x, y: (x / 255.0, y), num_parallel_calls=tf.data.AUTOTUNE).prefetch(1)


def main(folder, *paths):
    data = load_data(folder, 128)
    rows = []
    for path in paths:
        model = tf.keras.models.load_model(path)
        rows.append([path] + [robust_accuracy(model, data, e / 255) for e in (1, 2, 4, 8)])
    csv.writer(sys.stdout).writerows(rows)


if __name__ == "__main__":
    main(*sys.argv[1:])
