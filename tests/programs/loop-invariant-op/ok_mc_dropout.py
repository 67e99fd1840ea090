# requires: tensorflow==2.8.*
"""Uncertainty of the retina grader: Monte Carlo dropout and test-time augmentation."""
import argparse
import json

import numpy as np
import tensorflow as tf


def augment(images):
    images = tf.image.random_flip_left_right(images)
    images = tf.image.random_brightness(images, 0.1)
    return tf.clip_by_value(images, 0.0, 1.0)


def mc_predict(model, images, passes):
    """Each pass draws other dropout masks, so the same images are asked again on purpose."""
    draws = []
    for _ in range(passes):
        draws.append(model(images, training=True))
    draws = tf.stack(draws)
    return tf.reduce_mean(draws, axis=0), tf.math.reduce_std(draws, axis=0)


def tta_predict(model, images, passes):
    total = tf.zeros((images.shape[0], model.output_shape[-1]))
    for _ in range(passes):
        total += model(augment(images), training=False)
    return total / passes


def entropy(p):
    return -tf.reduce_sum(p * tf.math.log(p + 1e-9), axis=-1)


def load_folder(folder, size):
    ds = tf.keras.utils.image_dataset_from_directory(
        folder, labels=None, image_size=(size, size), batch_size=16, shuffle=False
    )
    return ds.map(lambda x: x / 255.0, num_parallel_calls=tf.data.AUTOTUNE).prefetch(2)


def grade(model, dataset, args):
    rows = []
    for images in dataset:
        mean, std = mc_predict(model, images, args.passes)
        tta = tta_predict(model, images, args.tta)
        both = 0.5 * (mean + tta)
        rows.append((tf.argmax(both, -1), tf.reduce_mean(std, -1), entropy(both)))
    label, std, ent = (tf.concat(column, 0).numpy() for column in zip(*rows))
    return [
        {"grade": int(g), "std": float(s), "entropy": float(e)} for g, s, e in zip(label, std, ent)
    ]


def refer(rows, quantile):
    cut = np.quantile([r["entropy"] for r in rows], quantile)
    for r in rows:
        r["refer"] = bool(r["entropy"] >= cut or r["grade"] >= 2)
    return rows


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("model")
    parser.add_argument("images")
    parser.add_argument("--size", type=int, default=384)
    parser.add_argument("--passes", type=int, default=20)
    parser.add_argument("--tta", type=int, default=4)
    parser.add_argument("--refer-quantile", type=float, default=0.9)
    parser.add_argument("--out", default="grades.json")
    args = parser.parse_args()
    model = tf.keras.models.load_model(args.model)
    rows = grade(model, load_folder(args.images, args.size), args)
    with open(args.out, "w") as f:
        json.dump(refer(rows, args.refer_quantile), f, indent=1)


if __name__ == "__main__":
    main()
