# requires: tensorflow==2.13.0
import tensorflow as tf


class GAN:
    def __init__(self, generator, discriminator):
        self.generator = generator
        self.discriminator = discriminator
        self.g_opt = tf.keras.optimizers.Adam(1e-4)
        self.d_opt = tf.keras.optimizers.Adam(1e-4)
        self.bce = tf.keras.losses.BinaryCrossentropy(from_logits=True)

    def train_batch(self, images, noise):
        @tf.function  # finding: compiled-per-call
        def update(images, noise):
            with tf.GradientTape() as g_tape, tf.GradientTape() as d_tape:
                fake = self.generator(noise, training=True)
                real_score = self.discriminator(images, training=True)
                fake_score = self.discriminator(fake, training=True)
                g_loss = self.bce(tf.ones_like(fake_score), fake_score)
                d_loss = self.bce(tf.zeros_like(fake_score), fake_score)
                d_loss += self.bce(tf.ones_like(real_score), real_score)
            g_vars = self.generator.trainable_variables
            d_vars = self.discriminator.trainable_variables
            self.g_opt.apply_gradients(zip(g_tape.gradient(g_loss, g_vars), g_vars))
            self.d_opt.apply_gradients(zip(d_tape.gradient(d_loss, d_vars), d_vars))
            return g_loss, d_loss

        return update(images, noise)

    def fit(self, dataset, epochs):
        for epoch in range(epochs):
            for images in dataset:
                noise = tf.random.normal([images.shape[0], 100])
                g_loss, d_loss = self.train_batch(images, noise)
            print(epoch, float(g_loss), float(d_loss))
