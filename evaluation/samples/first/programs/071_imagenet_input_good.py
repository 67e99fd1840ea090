"""ResNet training from TFRecord shards in a bucket."""
import argparse

import keras
import tensorflow as tf

AUTO = tf.data.AUTOTUNE
FEATURES = {
    "image/encoded": tf.io.FixedLenFeature([], tf.string),
    "image/class/label": tf.io.FixedLenFeature([], tf.int64),
}


class ShardedInput:
    def __init__(self, pattern, batch_size, training):
        self.pattern = pattern
        self.batch_size = batch_size
        self.training = training

    def parse(self, record):
        ex = tf.io.parse_single_example(record, FEATURES)
        image = tf.io.decode_jpeg(ex["image/encoded"], channels=3)
        if self.training:
            image = tf.image.resize(image, [256, 256])
            image = tf.image.random_crop(image, [224, 224, 3])
            image = tf.image.random_flip_left_right(image)
        else:
            image = tf.image.resize(image, [224, 224])
        return image, tf.cast(ex["image/class/label"], tf.int32)

    def open_shard(self, name):
        return tf.data.TFRecordDataset(name, buffer_size=8 << 20)

    def build(self):
        files = tf.data.Dataset.list_files(self.pattern, shuffle=self.training)
        ds = files.interleave(self.open_shard, cycle_length=16, block_length=4,
                              num_parallel_calls=AUTO,
                              deterministic=not self.training)
        if self.training:
            ds = ds.shuffle(10_000).repeat()
        ds = ds.map(self.parse, num_parallel_calls=AUTO)
        ds = ds.batch(self.batch_size, drop_remainder=self.training)
        return ds.prefetch(AUTO)


def build_model(classes):
    inp = keras.Input((224, 224, 3))
    x = keras.layers.Rescaling(1 / 127.5, offset=-1)(inp)
    x = keras.applications.ResNet50(weights=None, include_top=False, pooling="avg")(x)
    out = keras.layers.Dense(classes, dtype="float32")(x)
    return keras.Model(inp, out)


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--data", default="gs://team-data/imagenet")
    p.add_argument("--batch-size", type=int, default=256)
    p.add_argument("--epochs", type=int, default=90)
    args = p.parse_args()

    keras.mixed_precision.set_global_policy("mixed_float16")
    steps = 1_281_167 // args.batch_size
    train = ShardedInput(f"{args.data}/train-*", args.batch_size, True).build()
    val = ShardedInput(f"{args.data}/validation-*", args.batch_size, False).build()
    lr = keras.optimizers.schedules.CosineDecay(
        0.0, steps * args.epochs, warmup_target=0.1, warmup_steps=5 * steps)
    model = build_model(1000)
    model.compile(
        optimizer=keras.optimizers.SGD(lr, momentum=0.9, nesterov=True),
        loss=keras.losses.SparseCategoricalCrossentropy(from_logits=True),
        metrics=["accuracy"], steps_per_execution=16)
    model.fit(train, steps_per_epoch=steps, epochs=args.epochs, validation_data=val,
              callbacks=[keras.callbacks.ModelCheckpoint("resnet.keras",
                                                         save_best_only=True)])


if __name__ == "__main__":
    main()
