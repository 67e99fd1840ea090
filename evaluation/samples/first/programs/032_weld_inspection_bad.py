"""Weld seam inspection: binary classifier on X-ray crops."""
import argparse
from pathlib import Path

import cv2
import keras
import numpy as np
import tensorflow as tf

SIZE = 256
AUTO = tf.data.AUTOTUNE


def _read(path):
    image = cv2.imread(path.decode(), cv2.IMREAD_GRAYSCALE)
    image = cv2.resize(image, (SIZE, SIZE), interpolation=cv2.INTER_LINEAR)
    return image[..., None].astype(np.float32) / 255.0


def load(path, label):
    image = tf.numpy_function(_read, [path], tf.float32)
    image.set_shape((SIZE, SIZE, 1))
    return image, label


def listing(root):
    ok = sorted(str(p) for p in Path(root, "ok").glob("*.png"))
    bad = sorted(str(p) for p in Path(root, "defect").glob("*.png"))
    return ok + bad, [0.0] * len(ok) + [1.0] * len(bad)


def dataset(root, batch_size, training):
    paths, labels = listing(root)
    ds = tf.data.Dataset.from_tensor_slices((paths, labels))
    if training:
        ds = ds.shuffle(len(paths), reshuffle_each_iteration=True)
    ds = ds.map(load, num_parallel_calls=AUTO)
    return ds.batch(batch_size, drop_remainder=training).prefetch(AUTO)


def build():
    augment = keras.Sequential(
        [keras.layers.RandomFlip(), keras.layers.RandomRotation(0.05), keras.layers.RandomContrast(0.2)]
    )
    base = keras.applications.EfficientNetV2B0(
        include_top=False, weights=None, input_shape=(SIZE, SIZE, 1), pooling="avg", include_preprocessing=False
    )
    inp = keras.Input((SIZE, SIZE, 1))
    x = keras.layers.Dropout(0.3)(base(augment(inp)))
    return keras.Model(inp, keras.layers.Dense(1, dtype="float32")(x))


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("root", type=Path)
    ap.add_argument("--epochs", type=int, default=40)
    ap.add_argument("--batch-size", type=int, default=64)
    args = ap.parse_args()

    keras.mixed_precision.set_global_policy("mixed_float16")
    model = build()
    model.compile(
        optimizer=keras.optimizers.AdamW(1e-3, weight_decay=1e-4),
        loss=keras.losses.BinaryCrossentropy(from_logits=True),
        metrics=[keras.metrics.AUC(curve="PR", from_logits=True, name="pr_auc")],
    )
    model.fit(
        dataset(args.root / "train", args.batch_size, True),
        validation_data=dataset(args.root / "valid", args.batch_size, False),
        epochs=args.epochs,
        callbacks=[keras.callbacks.ModelCheckpoint("weld.keras", monitor="val_pr_auc", mode="max", save_best_only=True)],
        verbose=2,
    )


if __name__ == "__main__":
    main()
