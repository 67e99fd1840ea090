"""Plant disease classifier; step count drives the schedule."""
import argparse
from pathlib import Path

import keras
import tensorflow as tf
from keras import layers

SIZE = 260


def list_images(root):
    classes = sorted(d.name for d in root.iterdir() if d.is_dir())
    paths, labels = [], []
    for k, name in enumerate(classes):
        found = sorted(str(f) for f in (root / name).glob("*.jpg"))
        paths += found
        labels += [k] * len(found)
    return paths, labels, classes


def read(path, label):
    img = tf.io.decode_jpeg(tf.io.read_file(path), channels=3)
    return tf.image.resize(img, [SIZE, SIZE]), label


def pipeline(root, batch_size, training):
    paths, labels, classes = list_images(root)
    ds = tf.data.Dataset.from_tensor_slices((paths, labels))
    if training:
        ds = ds.shuffle(len(paths))
    ds = ds.map(read, num_parallel_calls=tf.data.AUTOTUNE)
    ds = ds.batch(batch_size, drop_remainder=training)
    return ds.prefetch(tf.data.AUTOTUNE), classes


def make_optimizer(ds, epochs, peak):
    steps = int(ds.cardinality())
    schedule = keras.optimizers.schedules.CosineDecay(
        peak / 10, decay_steps=steps * epochs,
        warmup_target=peak, warmup_steps=steps)
    return keras.optimizers.AdamW(schedule, weight_decay=1e-4)


def build(classes):
    base = keras.applications.EfficientNetV2B2(
        include_top=False, input_shape=(SIZE, SIZE, 3), pooling="avg")
    inp = keras.Input((SIZE, SIZE, 3))
    x = layers.RandomFlip("horizontal")(inp)
    x = layers.RandomRotation(0.1)(x)
    x = layers.Dropout(0.3)(base(x))
    return keras.Model(inp, layers.Dense(classes, activation="softmax", dtype="float32")(x))


def main():
    p = argparse.ArgumentParser()
    p.add_argument("root", type=Path)
    p.add_argument("--epochs", type=int, default=3)
    p.add_argument("--batch-size", type=int, default=64)
    p.add_argument("--lr", type=float, default=5e-4)
    args = p.parse_args()

    keras.mixed_precision.set_global_policy("mixed_float16")
    train, classes = pipeline(args.root / "train", args.batch_size, True)
    val, _ = pipeline(args.root / "val", args.batch_size, False)
    model = build(len(classes))
    model.compile(make_optimizer(train, args.epochs, args.lr),
                  loss="sparse_categorical_crossentropy", metrics=["accuracy"],
                  steps_per_execution=8)
    model.fit(train, validation_data=val, epochs=args.epochs)
    model.save("plants.keras")


if __name__ == "__main__":
    main()
