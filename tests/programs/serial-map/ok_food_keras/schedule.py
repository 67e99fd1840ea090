import math

import tensorflow as tf


class WarmupCosine(tf.keras.optimizers.schedules.LearningRateSchedule):
    def __init__(self, peak, warmup, total):
        self.peak, self.warmup, self.total = peak, warmup, total

    def __call__(self, step):
        step = tf.cast(step, tf.float32)
        rising = self.peak * step / self.warmup
        done = tf.clip_by_value((step - self.warmup) / (self.total - self.warmup), 0.0, 1.0)
        falling = 0.5 * self.peak * (1 + tf.cos(math.pi * done))
        return tf.where(step < self.warmup, rising, falling)

    def get_config(self):
        return {"peak": self.peak, "warmup": self.warmup, "total": self.total}


def steps(examples, batch_size, epochs):
    return list(map(lambda n: n // batch_size * epochs, examples))
