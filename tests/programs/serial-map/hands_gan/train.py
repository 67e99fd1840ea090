import argparse
import os
import time

import tensorflow as tf

import data
from gan import discriminator, generator

bce = tf.keras.losses.BinaryCrossentropy(from_logits=True)


class Trainer:
    def __init__(self, out):
        self.g, self.d = generator(), discriminator()
        self.g_opt = tf.keras.optimizers.Adam(2e-4, beta_1=0.5)
        self.d_opt = tf.keras.optimizers.Adam(2e-4, beta_1=0.5)
        self.checkpoint = tf.train.Checkpoint(g=self.g, d=self.d)
        self.out = out

    @tf.function
    def step(self, photo, sketch):
        with tf.GradientTape() as g_tape, tf.GradientTape() as d_tape:
            fake = self.g(sketch, training=True)
            real_logits = self.d([photo, sketch], training=True)
            fake_logits = self.d([fake, sketch], training=True)
            g_loss = bce(tf.ones_like(fake_logits), fake_logits) + 100 * tf.reduce_mean(tf.abs(photo - fake))
            d_loss = bce(tf.ones_like(real_logits), real_logits) + bce(tf.zeros_like(fake_logits), fake_logits)
        g_vars, d_vars = self.g.trainable_variables, self.d.trainable_variables
        self.g_opt.apply_gradients(zip(g_tape.gradient(g_loss, g_vars), g_vars))
        self.d_opt.apply_gradients(zip(d_tape.gradient(d_loss, d_vars), d_vars))
        return g_loss, d_loss

    def fit(self, train_ds, epochs):
        for epoch in range(epochs):
            start = time.time()
            g_mean, d_mean = tf.keras.metrics.Mean(), tf.keras.metrics.Mean()
            for photo, sketch in train_ds:
                g_loss, d_loss = self.step(photo, sketch)
                g_mean.update_state(g_loss)
                d_mean.update_state(d_loss)
            print(f"{epoch}: g {g_mean.result():.3f} d {d_mean.result():.3f} {time.time() - start:.0f}s")
            self.checkpoint.save(os.path.join(self.out, "ckpt"))


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("root")
    parser.add_argument("--epochs", type=int, default=150)
    args = parser.parse_args()
    trainer = Trainer("runs")
    trainer.fit(data.train(os.path.join(args.root, "train/*.jpg"), batch_size=4), args.epochs)
