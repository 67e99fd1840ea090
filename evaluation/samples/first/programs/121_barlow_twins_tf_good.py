"""Self-supervised pretraining (Barlow Twins) with a custom TF loop."""
import argparse
from pathlib import Path

import keras
import tensorflow as tf
from keras import layers

SIZE = 96


def standardize(z):
    z = tf.cast(z, tf.float32)
    mean, var = tf.nn.moments(z, axes=[0])
    return (z - mean) * tf.math.rsqrt(var + 1e-6)


def twins_loss(za, zb, weight):
    n = tf.cast(tf.shape(za)[0], tf.float32)
    cross = tf.matmul(standardize(za), standardize(zb), transpose_a=True) / n
    diag = tf.linalg.diag_part(cross)
    on = tf.reduce_sum(tf.square(1.0 - diag))
    off = tf.reduce_sum(tf.square(cross)) - tf.reduce_sum(tf.square(diag))
    return on + weight * off


def view(image):
    crop = tf.image.random_crop(image, [SIZE, SIZE, 3])
    crop = tf.image.random_flip_left_right(crop)
    crop = tf.image.random_brightness(crop, 0.4)
    crop = tf.image.random_contrast(crop, 0.6, 1.4)
    return tf.clip_by_value(crop, 0.0, 1.0)


def load(path):
    image = tf.io.decode_jpeg(tf.io.read_file(path), channels=3)
    return tf.image.resize(image, [128, 128]) / 255.0


def pairs(folder, batch):
    files = sorted(str(f) for f in folder.rglob("*.jpg"))
    ds = tf.data.Dataset.from_tensor_slices(files).shuffle(len(files)).repeat()
    ds = ds.map(load, num_parallel_calls=tf.data.AUTOTUNE)
    ds = ds.map(lambda im: (view(im), view(im)), num_parallel_calls=tf.data.AUTOTUNE)
    return ds.batch(batch, drop_remainder=True).prefetch(tf.data.AUTOTUNE)


def encoder(width):
    base = keras.applications.ResNet50V2(
        weights=None, include_top=False, pooling="avg", input_shape=(SIZE, SIZE, 3))
    x = base.output
    for _ in range(2):
        x = layers.Dense(width, use_bias=False)(x)
        x = layers.Activation("relu")(layers.BatchNormalization()(x))
    return keras.Model(base.input, layers.Dense(width, dtype="float32")(x)), base


class Pretrainer:
    def __init__(self, width, steps, lr, weight):
        self.net, self.backbone = encoder(width)
        rate = keras.optimizers.schedules.CosineDecay(
            0.0, steps, warmup_target=lr, warmup_steps=steps // 50)
        self.opt = keras.optimizers.AdamW(rate, weight_decay=1e-4)
        self.weight = weight

    @tf.function
    def train_step(self, a, b):
        with tf.GradientTape() as tape:
            za = self.net(a, training=True)
            zb = self.net(b, training=True)
            loss = twins_loss(za, zb, self.weight)
        grads = tape.gradient(loss, self.net.trainable_variables)
        self.opt.apply_gradients(zip(grads, self.net.trainable_variables))
        return loss


def main():
    p = argparse.ArgumentParser()
    p.add_argument("images", type=Path)
    p.add_argument("--batch", type=int, default=512)
    p.add_argument("--steps", type=int, default=100_000)
    p.add_argument("--width", type=int, default=2048)
    args = p.parse_args()
    keras.mixed_precision.set_global_policy("mixed_bfloat16")
    job = Pretrainer(args.width, args.steps, lr=1e-3, weight=5e-3)
    for step, (a, b) in enumerate(pairs(args.images, args.batch).take(args.steps)):
        loss = job.train_step(a, b)
        if step % 500 == 0:
            print(step, float(loss), flush=True)
    job.backbone.save("barlow_backbone.keras")


if __name__ == "__main__":
    main()
