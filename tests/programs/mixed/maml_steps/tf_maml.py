import tensorflow as tf


def graph_mode(method):
    compiled = tf.function(method, jit_compile=True)
    return compiled


def per_task(run):
    def wrapped(*args):
        return tf.function(run)(*args)  # finding: compiled-per-call

    return wrapped


class Reptile:
    def __init__(self, model, rate):
        self.model, self.rate = model, rate
        self.optimizer = tf.keras.optimizers.SGD(rate)
        self.step = graph_mode(self._step)
        self.probe = per_task(self._loss)

    def _loss(self, x, y):
        return tf.reduce_mean(tf.square(self.model(x) - y))

    def _step(self, x, y):
        with tf.GradientTape() as tape:
            loss = self._loss(x, y)
        self.optimizer.apply_gradients(
            zip(tape.gradient(loss, self.model.trainable_variables), self.model.trainable_variables))
        return loss

    def train(self, tasks):
        losses = []
        for x, y in tasks:
            self.step(x, y)
            losses.append(self.probe(x, y))
        return losses
