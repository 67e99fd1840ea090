"""Training steps of a network with several heads."""
import tensorflow as tf


def make_step(model, optimizer, loss):
    @tf.function
    def step(x, y):
        with tf.GradientTape() as tape:
            value = loss(y, model(x, training=True))
        slopes = tape.gradient(value, model.trainable_variables)
        optimizer.apply_gradients(zip(slopes, model.trainable_variables))
        return value

    return step


def distance(model):
    @tf.function(reduce_retracing=True)  # finding: compiled-per-call
    def pairwise(a, b):
        return tf.norm(model(a)[:, None] - model(b)[None], axis=-1)

    return pairwise


class Heads:
    def __init__(self, trunk, heads):
        self.trunk = trunk
        self.heads = heads
        self.steps = {}

    def step(self, name, x, y):
        if name not in self.steps:
            model = tf.keras.Sequential([self.trunk, self.heads[name]])
            self.steps[name] = make_step(model, tf.keras.optimizers.Adam(), tf.keras.losses.MeanSquaredError())
        return self.steps[name](x, y)

    def norm(self, x):
        square = tf.function(lambda v: tf.reduce_sum(tf.square(self.trunk(v))))  # finding: compiled-per-call
        return tf.sqrt(square(x))

    @tf.function
    def both(self, x, y):
        inner = tf.function(lambda v: self.trunk(v))
        return inner(x) - inner(y)
