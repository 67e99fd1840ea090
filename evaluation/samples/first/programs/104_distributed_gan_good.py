"""Multi-GPU super-resolution training with a custom loop."""
import argparse
from pathlib import Path

import keras
import tensorflow as tf
from keras import layers


def generator(scale=4, width=64, blocks=12):
    inp = keras.Input((48, 48, 3))
    x = head = layers.Conv2D(width, 3, padding="same")(inp)
    for _ in range(blocks):
        y = layers.Conv2D(width, 3, padding="same", activation="relu")(x)
        x = layers.Add()([x, layers.Conv2D(width, 3, padding="same")(y)])
    x = layers.Add()([x, head])
    for _ in range(scale // 2):
        x = layers.UpSampling2D()(x)
        x = layers.Conv2D(width, 3, padding="same", activation="relu")(x)
    return keras.Model(inp, layers.Conv2D(3, 3, padding="same", dtype="float32")(x))


def crops(path):
    image = tf.io.decode_png(tf.io.read_file(path), channels=3)
    high = tf.image.random_crop(image, [192, 192, 3])
    high = tf.cast(high, tf.float32) / 255.0
    return tf.image.resize(high, [48, 48], method="bicubic", antialias=True), high


def dataset(folder, batch):
    files = sorted(str(f) for f in folder.glob("*.png"))
    ds = tf.data.Dataset.from_tensor_slices(files).shuffle(len(files)).repeat()
    ds = ds.map(crops, num_parallel_calls=tf.data.AUTOTUNE)
    return ds.batch(batch, drop_remainder=True).prefetch(tf.data.AUTOTUNE)


class SrTrainer:
    def __init__(self, strategy, batch, steps, lr=2e-4):
        self.strategy, self.batch = strategy, batch
        with strategy.scope():
            self.net = generator()
            rate = keras.optimizers.schedules.CosineDecay(
                lr, steps, warmup_target=lr * strategy.num_replicas_in_sync,
                warmup_steps=2000)
            self.opt = keras.optimizers.Adam(rate)

    def replica_step(self, low, high):
        with tf.GradientTape() as tape:
            err = tf.abs(self.net(low, training=True) - high)
            loss = tf.reduce_sum(tf.reduce_mean(err, [1, 2, 3])) / self.batch
        grads = tape.gradient(loss, self.net.trainable_variables)
        self.opt.apply_gradients(zip(grads, self.net.trainable_variables))
        return loss

    @tf.function
    def distributed_step(self, batch):
        losses = self.strategy.run(self.replica_step, args=batch)
        return self.strategy.reduce(tf.distribute.ReduceOp.SUM, losses, axis=None)

    def train(self, ds, steps, log_every=500):
        feed = iter(self.strategy.experimental_distribute_dataset(ds))
        for step in range(steps):
            loss = self.distributed_step(next(feed))
            if step % log_every == 0:
                print(step, float(loss))


def main():
    p = argparse.ArgumentParser()
    p.add_argument("images", type=Path)
    p.add_argument("--per-replica", type=int, default=32)
    p.add_argument("--steps", type=int, default=200_000)
    args = p.parse_args()
    strategy = tf.distribute.MirroredStrategy()
    batch = args.per_replica * strategy.num_replicas_in_sync
    trainer = SrTrainer(strategy, batch, args.steps)
    trainer.train(dataset(args.images, batch), args.steps)
    trainer.net.save("sr4x.keras")


if __name__ == "__main__":
    main()
