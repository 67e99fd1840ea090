import argparse
import os

import keras
import tensorflow as tf

SIZE = 256


def decode(path, label):
    img = tf.io.decode_jpeg(tf.io.read_file(path), channels=3)
    return tf.image.resize(img, (SIZE, SIZE)), label


def scan(root):
    kinds = sorted(d for d in os.listdir(root) if os.path.isdir(os.path.join(root, d)))
    files, labels = [], []
    for i, kind in enumerate(kinds):
        for name in sorted(os.listdir(os.path.join(root, kind))):
            files.append(os.path.join(root, kind, name))
            labels.append(i)
    return kinds, files, labels


def make(root, batch, training):
    kinds, files, labels = scan(root)
    ds = tf.data.Dataset.from_tensor_slices((files, labels))
    if training:
        ds = ds.shuffle(len(files))
    ds = ds.map(decode, num_parallel_calls=tf.data.AUTOTUNE)
    return ds.batch(batch).prefetch(tf.data.AUTOTUNE), kinds


def length(ds):
    return int(ds.cardinality())


def schedule(peak, steps, warmup=0.05):
    w = int(warmup * steps)
    return keras.optimizers.schedules.CosineDecay(
        0.0, decay_steps=steps - w, warmup_target=peak, warmup_steps=w
    )


def build(n):
    base = keras.applications.ConvNeXtTiny(include_top=False, pooling="avg", input_shape=(SIZE, SIZE, 3))
    aug = keras.Sequential([keras.layers.RandomFlip("horizontal"), keras.layers.RandomRotation(0.05)])
    inp = keras.Input((SIZE, SIZE, 3))
    x = keras.layers.Dropout(0.3)(base(aug(inp)))
    return keras.Model(inp, keras.layers.Dense(n, dtype="float32")(x))


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--train", default="/data/plants/train")
    ap.add_argument("--val", default="/data/plants/val")
    ap.add_argument("--batch", type=int, default=96)
    ap.add_argument("--epochs", type=int, default=15)
    ap.add_argument("--lr", type=float, default=2e-4)
    args = ap.parse_args()

    keras.mixed_precision.set_global_policy("mixed_bfloat16")
    train, kinds = make(args.train, args.batch, True)
    val, _ = make(args.val, args.batch, False)
    total = length(train) * args.epochs
    net = build(len(kinds))
    net.compile(
        optimizer=keras.optimizers.AdamW(schedule(args.lr, total), weight_decay=0.02),
        loss=keras.losses.SparseCategoricalCrossentropy(from_logits=True),
        metrics=["accuracy"],
    )
    stop = keras.callbacks.EarlyStopping("val_accuracy", patience=4, restore_best_weights=True)
    net.fit(train, validation_data=val, epochs=args.epochs, callbacks=[stop])
    net.save("plants.keras")


if __name__ == "__main__":
    main()
