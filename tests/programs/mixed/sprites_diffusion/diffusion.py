"""Denoising diffusion on small sprites."""

import tensorflow as tf


class Schedule:
    def __init__(self, steps=1000, start=1e-4, end=0.02):
        self.steps = steps
        self.betas = tf.linspace(start, end, steps)

    def alpha_bar(self):
        return tf.math.cumprod(1.0 - self.betas)


class Diffusion:
    def __init__(self, network, schedule, size=32):
        self.network = network
        self.schedule = schedule
        self.size = size
        self.ema = None

    def q_sample(self, x, t, noise):
        bar = tf.gather(self.schedule.alpha_bar(), t)[:, None, None, None]
        return tf.sqrt(bar) * x + tf.sqrt(1.0 - bar) * noise

    @tf.function
    def train_step(self, x, optimizer):
        t = tf.random.uniform([tf.shape(x)[0]], 0, self.schedule.steps, tf.int32)
        noise = tf.random.normal(tf.shape(x))
        with tf.GradientTape() as tape:
            predicted = self.network([self.q_sample(x, t, noise), t], training=True)
            loss = tf.reduce_mean(tf.square(predicted - noise))
        grads = tape.gradient(loss, self.network.trainable_variables)
        optimizer.apply_gradients(zip(grads, self.network.trainable_variables))
        return loss

    def p_sample(self, x, t):
        beta = self.schedule.betas[t]
        alpha_bar = self.schedule.alpha_bar()
        steps = tf.fill([x.shape[0]], t)
        noise = self.network([x, steps], training=False)
        mean = (x - beta / tf.sqrt(1.0 - alpha_bar[t]) * noise) / tf.sqrt(1.0 - beta)
        if t == 0:
            return mean
        return mean + tf.sqrt(beta) * tf.random.normal(tf.shape(x))

    def sample(self, count):
        x = tf.random.normal([count, self.size, self.size, 3])
        for t in reversed(range(self.schedule.steps)):
            x = self.p_sample(x, t)
        return tf.clip_by_value(x, -1.0, 1.0)

    def inpaint(self, image, mask, count):
        """Fills what the mask leaves open; the rest is given back in each step."""
        x = tf.random.normal([count, self.size, self.size, 3])
        bar = self.schedule.alpha_bar()
        for t in reversed(range(self.schedule.steps)):
            known = tf.repeat(image[None], count, axis=0)
            noise = tf.random.normal(tf.shape(x))
            noisy = tf.sqrt(bar[t]) * known + tf.sqrt(1.0 - bar[t]) * noise
            x = self.p_sample(x, t)
            x = mask * noisy + (1.0 - mask) * x
        return x
