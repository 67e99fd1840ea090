# requires: tensorflow==1.7.*
"""Generates sound sample by sample: the queues of fast WaveNet are built once."""
import argparse

import numpy as np
import tensorflow as tf


class Layer(object):
    def __init__(self, x, width, dilation, name):
        with tf.variable_scope(name):
            self.queue = tf.FIFOQueue(dilation, tf.float32, [1, width])
            self.init = self.queue.enqueue_many(tf.zeros([dilation, 1, width]))
            past = self.queue.dequeue()
            self.push = self.queue.enqueue(x)
            joined = tf.concat([past, x], 1)
            filtered = tf.layers.dense(joined, width, tf.tanh, name="filter")
            gate = tf.layers.dense(joined, width, tf.sigmoid, name="gate")
            self.skip = tf.layers.dense(filtered * gate, width, name="skip")
            self.out = x + tf.layers.dense(filtered * gate, width, name="out")


class Generator(object):
    def __init__(self, levels=256, width=64, dilations=(1, 2, 4, 8, 16, 32, 64, 128) * 2):
        self.sample = tf.placeholder(tf.int32, [1])
        x = tf.layers.dense(tf.one_hot(self.sample, levels), width)
        self.layers, skips = [], []
        for i, dilation in enumerate(dilations):
            layer = Layer(x, width, dilation, "layer%d" % i)
            x = layer.out
            self.layers.append(layer)
            skips.append(layer.skip)
        net = tf.nn.relu(tf.add_n(skips))
        self.probabilities = tf.nn.softmax(tf.layers.dense(net, levels))
        self.init = [layer.init for layer in self.layers]
        self.push = [layer.push for layer in self.layers]

    def run(self, sess, seed, samples, temperature):
        sess.run(self.init)
        waveform = [seed]
        for i in range(samples):
            fetched = sess.run([self.probabilities] + self.push, {self.sample: waveform[-1:]})
            logits = np.log(fetched[0][0] + 1e-12) / temperature
            p = np.exp(logits - logits.max())
            waveform.append(np.random.choice(len(p), p=p / p.sum()))
            if i % 16000 == 0:
                print("%d of %d" % (i, samples))
        return np.array(waveform)


def variants(checkpoint, count, samples, temperatures):
    """Each variant restores into a graph of its own, as the widths may differ."""
    for number in range(count):
        with tf.Graph().as_default():
            generator = Generator(width=64 if number % 2 else 32)
            saver = tf.train.Saver()
            with tf.Session() as sess:
                saver.restore(sess, "%s-%d" % (checkpoint, number))
                for temperature in temperatures:
                    yield number, temperature, generator.run(sess, 128, samples, temperature)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("checkpoint")
    parser.add_argument("--variants", type=int, default=4)
    parser.add_argument("--seconds", type=int, default=4)
    args = parser.parse_args()
    for number, temperature, sound in variants(
        args.checkpoint, args.variants, args.seconds * 16000, (0.8, 1.0)
    ):
        np.save("sound-%d-%.1f.npy" % (number, temperature), sound)
