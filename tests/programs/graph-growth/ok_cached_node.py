# requires: tensorflow==1.15.0
import tensorflow as tf


class Sampler:
    """Makes the sampling node the first time it is asked for."""

    def __init__(self, logits, inputs):
        self.logits = logits
        self.inputs = inputs
        self._sample = None

    def sample(self, session, row):
        if self._sample is None:
            self._sample = tf.multinomial(self.logits, 1)
        return session.run(self._sample, {self.inputs: row})


def generate(sampler, start, length):
    row, text = start, []
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        for _ in range(length):
            token = sampler.sample(session, row)[0, 0]
            text.append(token)
            row = row[:, 1:] + [[token]]
    return text
