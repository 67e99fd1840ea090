"""Tumour / normal classifier on histology patches (512 x 512 px JPEG).

Directory layout: ROOT/{train,valid}/{normal,tumour}/*.jpg, some 200k patches in train.
"""
import argparse
import dataclasses
import pathlib

import tensorflow as tf

AUTOTUNE = tf.data.AUTOTUNE


@dataclasses.dataclass
class PatchConfig:
    root: str
    image_size: int = 512
    batch_size: int = 32
    shuffle_buffer: int = 8192
    epochs: int = 12
    learning_rate: float = 2e-4
    classes: tuple = ("normal", "tumour")


class PatchPipeline:
    def __init__(self, cfg: PatchConfig):
        self.cfg = cfg

    def files(self, split):
        paths, labels = [], []
        for label, name in enumerate(self.cfg.classes):
            found = sorted(str(p) for p in pathlib.Path(self.cfg.root, split, name).glob("*.jpg"))
            paths += found
            labels += [label] * len(found)
        if not paths:
            raise SystemExit(f"no patches under {self.cfg.root}/{split}")
        return tf.data.Dataset.from_tensor_slices((paths, labels))

    def load(self, path, label):
        image = tf.io.decode_jpeg(tf.io.read_file(path), channels=3)
        image = tf.image.convert_image_dtype(image, tf.float32)
        image = tf.image.resize(image, (self.cfg.image_size, self.cfg.image_size))
        return image, tf.cast(label, tf.float32)

    @staticmethod
    def augment(image, label):
        image = tf.image.random_flip_left_right(image)
        image = tf.image.random_flip_up_down(image)
        return tf.image.random_hue(image, 0.04), label

    def mixed(self, patches):
        return patches.shuffle(self.cfg.shuffle_buffer, reshuffle_each_iteration=True)

    def training(self):
        patches = self.files("train").map(self.load, num_parallel_calls=AUTOTUNE)
        patches = self.mixed(patches)
        patches = patches.map(self.augment, num_parallel_calls=AUTOTUNE)
        return patches.batch(self.cfg.batch_size, drop_remainder=True).prefetch(AUTOTUNE)

    def validation(self):
        patches = self.files("valid").map(self.load, num_parallel_calls=AUTOTUNE)
        return patches.batch(self.cfg.batch_size).prefetch(AUTOTUNE)


def build_model(cfg):
    inputs = tf.keras.Input((cfg.image_size, cfg.image_size, 3))
    x = inputs
    for filters in (32, 64, 128, 192, 256):
        x = tf.keras.layers.Conv2D(filters, 3, strides=2, padding="same", use_bias=False)(x)
        x = tf.keras.layers.BatchNormalization()(x)
        x = tf.keras.layers.ReLU()(x)
        x = tf.keras.layers.SeparableConv2D(filters, 3, padding="same", activation="relu")(x)
    x = tf.keras.layers.GlobalAveragePooling2D()(x)
    x = tf.keras.layers.Dropout(0.3)(x)
    outputs = tf.keras.layers.Dense(1, activation="sigmoid", dtype="float32")(x)
    return tf.keras.Model(inputs, outputs)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("root")
    parser.add_argument("--image-size", type=int, default=512)
    parser.add_argument("--epochs", type=int, default=12)
    parser.add_argument("--out", default="patches.keras")
    args = parser.parse_args()
    cfg = PatchConfig(root=args.root, image_size=args.image_size, epochs=args.epochs)

    if tf.config.list_physical_devices("GPU"):
        tf.keras.mixed_precision.set_global_policy("mixed_float16")
    pipeline = PatchPipeline(cfg)
    model = build_model(cfg)
    model.compile(
        optimizer=tf.keras.optimizers.Adam(cfg.learning_rate),
        loss="binary_crossentropy",
        metrics=[tf.keras.metrics.AUC(name="auc")],
    )
    model.fit(
        pipeline.training(),
        validation_data=pipeline.validation(),
        epochs=cfg.epochs,
        callbacks=[tf.keras.callbacks.ModelCheckpoint(args.out, "val_auc", save_best_only=True, mode="max")],
    )


if __name__ == "__main__":
    main()
