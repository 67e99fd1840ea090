# requires: tensorflow==1.14.*
"""Anomaly scores for telemetry: reads windows from a queue of the gateway, writes them to Influx."""
import logging
import multiprocessing as mp
import queue
import signal
from collections import defaultdict, deque

import numpy as np
import tensorflow as tf

WINDOW = 64
log = logging.getLogger("telemetry")


class AutoEncoder:
    def __init__(self, checkpoint, width=WINDOW):
        self.checkpoint = checkpoint
        self.width = width

    def build(self):
        self.x = tf.placeholder(tf.float32, [None, self.width])
        h = tf.layers.dense(self.x, 32, tf.nn.relu, name="enc1")
        h = tf.layers.dense(h, 8, tf.nn.relu, name="enc2")
        h = tf.layers.dense(h, 32, tf.nn.relu, name="dec1")
        self.y = tf.layers.dense(h, self.width, name="dec2")
        self.error = tf.reduce_mean(tf.square(self.x - self.y), axis=1)

    def train(self, windows, epochs=20):
        with tf.Graph().as_default():
            self.build()
            step = tf.train.AdamOptimizer().minimize(self.error)
            saver = tf.train.Saver()
            with tf.Session() as sess:
                sess.run(tf.global_variables_initializer())
                for _ in range(epochs):
                    np.random.shuffle(windows)
                    for i in range(0, len(windows), 128):
                        sess.run(step, {self.x: windows[i:i + 128]})
                saver.save(sess, self.checkpoint)

    def scores(self, windows):
        with tf.Graph().as_default():
            self.build()
            with tf.Session() as sess:  # finding: session-per-step
                tf.train.Saver().restore(sess, self.checkpoint)
                return sess.run(self.error, {self.x: windows})


class Windows:
    def __init__(self):
        self.values = defaultdict(lambda: deque(maxlen=WINDOW))

    def add(self, sensor, value):
        kept = self.values[sensor]
        kept.append(value)
        return np.array(kept) if len(kept) == WINDOW else None


class Worker(mp.Process):
    def __init__(self, incoming, outgoing, checkpoint, threshold):
        super().__init__(daemon=True)
        self.incoming, self.outgoing = incoming, outgoing
        self.checkpoint, self.threshold = checkpoint, threshold

    def run(self):
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        model, windows = AutoEncoder(self.checkpoint), Windows()
        while True:
            try:
                sensor, value = self.incoming.get(timeout=30)
            except queue.Empty:
                log.info("nothing for 30 s")
                continue
            window = windows.add(sensor, value)
            if window is None:
                continue
            score = float(model.scores(window[None])[0])
            if score > self.threshold:
                self.outgoing.put((sensor, score))


def main(history="history.npy", checkpoint="/tmp/ae/model"):
    AutoEncoder(checkpoint).train(np.load(history))
    incoming, outgoing = mp.Queue(), mp.Queue()
    workers = [Worker(incoming, outgoing, checkpoint, 0.3) for _ in range(2)]
    for w in workers:
        w.start()
    while True:
        print(outgoing.get())


if __name__ == "__main__":
    main()
