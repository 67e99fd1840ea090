"""Bird species fine-tuning on a multi-GPU host."""
import argparse
from dataclasses import dataclass
from pathlib import Path

import keras
import tensorflow as tf
from keras import layers


@dataclass
class Config:
    image_size: int = 300
    batch_size: int = 64
    epochs: int = 12
    lr: float = 1e-4
    classes: int = 525


def decode(path, label, size):
    img = tf.io.decode_jpeg(tf.io.read_file(path), channels=3)
    return tf.image.resize(img, [size, size]), label


def make_split(root, cfg, batch, training):
    names = sorted(d.name for d in root.iterdir())
    files, labels = [], []
    for k, name in enumerate(names):
        here = [str(f) for f in (root / name).glob("*.jpg")]
        files += here
        labels += [k] * len(here)
    ds = tf.data.Dataset.from_tensor_slices((files, labels))
    if training:
        ds = ds.shuffle(len(files))
    ds = ds.map(lambda f, y: decode(f, y, cfg.image_size),
                num_parallel_calls=tf.data.AUTOTUNE)
    ds = ds.batch(batch, drop_remainder=training)
    return ds.prefetch(tf.data.AUTOTUNE)


def make_model(cfg):
    base = keras.applications.EfficientNetV2B3(
        include_top=False, pooling="avg", input_shape=(cfg.image_size, cfg.image_size, 3))
    inp = keras.Input((cfg.image_size, cfg.image_size, 3))
    x = layers.RandomFlip("horizontal")(inp)
    x = layers.Dropout(0.3)(base(x))
    out = layers.Dense(cfg.classes, activation="softmax", dtype="float32")(x)
    return keras.Model(inp, out)


def main():
    p = argparse.ArgumentParser()
    p.add_argument("root", type=Path)
    p.add_argument("--epochs", type=int, default=12)
    args = p.parse_args()
    cfg = Config(epochs=args.epochs)
    keras.mixed_precision.set_global_policy("mixed_float16")
    strategy = tf.distribute.MirroredStrategy()
    print("replicas:", strategy.num_replicas_in_sync)

    train = make_split(args.root / "train", cfg, cfg.batch_size, True)
    val = make_split(args.root / "valid", cfg, cfg.batch_size, False)
    lr = cfg.lr

    with strategy.scope():
        model = make_model(cfg)
        model.compile(optimizer=keras.optimizers.Adam(lr),
                      loss="sparse_categorical_crossentropy",
                      metrics=["accuracy"], steps_per_execution=8)
    model.fit(train, validation_data=val, epochs=cfg.epochs,
              callbacks=[keras.callbacks.EarlyStopping(patience=3)])
    model.save("birds.keras")


if __name__ == "__main__":
    main()
