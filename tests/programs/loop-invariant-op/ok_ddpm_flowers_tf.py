"""DDPM on 64x64 flowers; trained with eager steps to be able to look inside."""
import tensorflow as tf
import tensorflow_datasets as tfds
from tensorflow import keras
from tensorflow.keras import layers

T = 1000
IMG = 64
BATCH = 64


def alpha_bars():
    betas = tf.linspace(1e-4, 0.02, T)
    return tf.math.cumprod(1.0 - betas)


def timestep_embedding(t, dim=128):
    half = dim // 2
    freqs = tf.exp(-tf.math.log(10000.0) * tf.range(half, dtype=tf.float32) / half)
    args = tf.cast(t, tf.float32)[:, None] * freqs[None]
    return tf.concat([tf.sin(args), tf.cos(args)], axis=-1)


def q_sample(x0, t, noise):
    bars = alpha_bars()
    a = tf.gather(bars, t)[:, None, None, None]
    return tf.sqrt(a) * x0 + tf.sqrt(1.0 - a) * noise


def res_block(x, emb, width):
    skip = layers.Conv2D(width, 1)(x)
    x = layers.Conv2D(width, 3, padding="same")(layers.Activation("swish")(layers.GroupNormalization()(x)))
    x = x + layers.Dense(width)(emb)[:, None, None, :]
    x = layers.Conv2D(width, 3, padding="same")(layers.Activation("swish")(layers.GroupNormalization()(x)))
    return x + skip


def unet(widths=(64, 128, 256)):
    image = keras.Input((IMG, IMG, 3))
    emb_in = keras.Input((128,))
    emb = layers.Dense(256, activation="swish")(emb_in)
    x = layers.Conv2D(widths[0], 3, padding="same")(image)
    skips = []
    for w in widths:
        x = res_block(x, emb, w)
        skips.append(x)
        x = layers.AveragePooling2D()(x)
    x = res_block(x, emb, widths[-1])
    for w in reversed(widths):
        x = layers.UpSampling2D()(x)
        x = res_block(layers.Concatenate()([x, skips.pop()]), emb, w)
    return keras.Model([image, emb_in], layers.Conv2D(3, 1, kernel_initializer="zeros")(x))


def dataset():
    def prep(row):
        image = tf.image.resize(tf.cast(row["image"], tf.float32), (IMG, IMG), antialias=True)
        return image / 127.5 - 1.0

    ds = tfds.load("oxford_flowers102", split="train+validation", shuffle_files=True)
    return ds.map(prep, tf.data.AUTOTUNE).cache().shuffle(2048).batch(BATCH, drop_remainder=True).prefetch(2)


def train_step(model, opt, x0):
    t = tf.random.uniform([BATCH], 0, T, dtype=tf.int32)
    noise = tf.random.normal(tf.shape(x0))
    xt = q_sample(x0, t, noise)
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.square(model([xt, timestep_embedding(t)], training=True) - noise))
    grads = tape.gradient(loss, model.trainable_variables)
    opt.apply_gradients(zip(grads, model.trainable_variables))
    return loss


def main(epochs=200):
    model, opt = unet(), keras.optimizers.Adam(2e-4)
    ds = dataset()
    for epoch in range(epochs):
        mean = keras.metrics.Mean()
        for x0 in ds:
            mean.update_state(train_step(model, opt, x0))
        print(epoch, float(mean.result()))
        model.save_weights("ddpm.weights.h5")


if __name__ == "__main__":
    main()
