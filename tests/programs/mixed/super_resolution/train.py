"""SRGAN-style training with a custom loop, TensorFlow 2."""
import tensorflow as tf
from tensorflow.keras import Model, layers


def residual(x, width):
    y = layers.Conv2D(width, 3, padding="same")(x)
    y = layers.PReLU(shared_axes=[1, 2])(y)
    return layers.Add()([x, layers.Conv2D(width, 3, padding="same")(y)])


def generator(blocks=16, width=64):
    inputs = layers.Input((None, None, 3))
    x = layers.Conv2D(width, 9, padding="same")(inputs)
    for _ in range(blocks):
        x = residual(x, width)
    return Model(inputs, layers.Conv2D(3, 9, padding="same")(x))


def discriminator():
    inputs = layers.Input((96, 96, 3))
    x = inputs
    for width in (64, 128, 256, 512):
        x = layers.Conv2D(width, 3, strides=2, padding="same")(x)
        x = layers.LeakyReLU(0.2)(x)
    x = layers.Flatten()(x)
    x = layers.Dense(1024)(x)
    return Model(inputs, layers.Dense(1)(x))


class Trainer:
    def __init__(self):
        self.g, self.d = generator(), discriminator()
        self.g_opt = tf.keras.optimizers.Adam(1e-4)
        self.d_opt = tf.keras.optimizers.Adam(1e-4)
        self.bce = tf.keras.losses.BinaryCrossentropy(from_logits=True)

    def step(self, low, high):
        with tf.GradientTape() as g_tape, tf.GradientTape() as d_tape:
            fake = self.g(low, training=True)
            real_out, fake_out = self.d(high, training=True), self.d(fake, training=True)
            g_loss = tf.reduce_mean(tf.abs(high - fake)) + 1e-3 * self.bce(tf.ones_like(fake_out), fake_out)
            d_loss = self.bce(tf.ones_like(real_out), real_out) + self.bce(tf.zeros_like(fake_out), fake_out)
        g_vars, d_vars = self.g.trainable_variables, self.d.trainable_variables
        self.g_opt.apply_gradients(zip(g_tape.gradient(g_loss, g_vars), g_vars))
        self.d_opt.apply_gradients(zip(d_tape.gradient(d_loss, d_vars), d_vars))
        return g_loss, d_loss

    def fit(self, dataset, epochs):
        for epoch in range(epochs):
            for low, high in dataset:  # finding: eager-loop
                g_loss, d_loss = self.step(low, high)
            print(epoch, float(g_loss), float(d_loss))

    def fit_compiled(self, dataset, epochs):
        step = tf.function(self.step)
        for _ in range(epochs):
            for low, high in dataset:
                step(low, high)

    def resumed(self, datasets):
        for dataset in datasets:
            for low, high in dataset:
                tf.function(self.step)(low, high)  # finding: compiled-per-call


def load(pattern, size):
    ds = tf.data.Dataset.list_files(pattern)
    ds = ds.map(lambda p: tf.image.convert_image_dtype(tf.io.decode_png(tf.io.read_file(p), 3), tf.float32))
    ds = ds.map(lambda x: tf.image.random_crop(x, (96, 96, 3)))  # finding: serial-map
    ds = ds.batch(size)
    return ds.map(lambda x: (tf.image.resize(x, (24, 24)), x)).prefetch(2)


if __name__ == "__main__":
    Trainer().fit(load("div2k/*.png", 16), 100)
