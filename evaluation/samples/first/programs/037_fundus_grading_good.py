"""Grade diabetic retinopathy from fundus photographs."""
import argparse
from dataclasses import dataclass
from pathlib import Path

import keras
import pandas as pd
import tensorflow as tf

AUTO = tf.data.AUTOTUNE


@dataclass
class Config:
    root: Path
    table: Path
    size: int = 512
    batch_size: int = 32
    epochs: int = 25
    shuffle: int = 10_000


class FundusData:
    def __init__(self, cfg: Config):
        self.cfg = cfg
        df = pd.read_csv(cfg.table)
        self.splits = {name: part for name, part in df.groupby("split")}

    def _decode(self, path, grade):
        image = tf.io.decode_jpeg(tf.io.read_file(path), channels=3)
        image = tf.image.resize(image, (self.cfg.size, self.cfg.size))
        return image / 127.5 - 1.0, grade

    def _source(self, split):
        part = self.splits[split]
        paths = (str(self.cfg.root) + "/" + part["file"]).to_numpy(dtype=str)
        return tf.data.Dataset.from_tensor_slices((paths, part["grade"].to_numpy("int32")))

    def train(self):
        ds = self._source("train")
        ds = ds.shuffle(self.cfg.shuffle)
        ds = ds.map(self._decode, num_parallel_calls=AUTO)
        return ds.batch(self.cfg.batch_size, drop_remainder=True).prefetch(AUTO)

    def valid(self):
        ds = self._source("valid").map(self._decode, num_parallel_calls=AUTO)
        return ds.batch(self.cfg.batch_size).prefetch(AUTO)


def grader(size, grades=5):
    base = keras.applications.EfficientNetV2S(
        include_top=False, pooling="avg", input_shape=(size, size, 3), include_preprocessing=False
    )
    inp = keras.Input((size, size, 3))
    x = keras.layers.RandomFlip()(inp)
    x = keras.layers.Dropout(0.4)(base(x))
    return keras.Model(inp, keras.layers.Dense(grades, dtype="float32")(x))


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("root", type=Path)
    ap.add_argument("table", type=Path)
    ap.add_argument("--epochs", type=int, default=25)
    args = ap.parse_args()
    cfg = Config(args.root, args.table, epochs=args.epochs)

    keras.mixed_precision.set_global_policy("mixed_float16")
    data = FundusData(cfg)
    model = grader(cfg.size)
    model.compile(
        optimizer=keras.optimizers.AdamW(2e-4),
        loss=keras.losses.SparseCategoricalCrossentropy(from_logits=True),
        metrics=["accuracy"],
    )
    model.fit(
        data.train(),
        validation_data=data.valid(),
        epochs=cfg.epochs,
        callbacks=[keras.callbacks.ModelCheckpoint("fundus.keras", save_best_only=True)],
        verbose=2,
    )


if __name__ == "__main__":
    main()
