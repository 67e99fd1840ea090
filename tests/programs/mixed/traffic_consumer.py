# requires: tensorflow==1.15.0
"""Reads measurements from a queue and writes back how long the traffic jam will be."""

import configparser
import json
import logging
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pika
import tensorflow as tf
from keras.models import load_model
from tensorflow.python.keras import backend as K

log = logging.getLogger("traffic")


class Settings:
    def __init__(self, path):
        parser = configparser.ConfigParser()
        parser.read(path)
        self.host = parser["queue"]["host"]
        self.model = parser["model"]["export"]
        self.scaler = parser["model"]["scaler"]
        self.history = parser["model"]["history"]


class JamModel:
    """A saved model of a recurrent network."""

    def __init__(self, settings):
        self.settings = settings
        scaler = np.load(settings.scaler)
        self.mean, self.std = scaler["mean"], scaler["std"]

    def predict(self, window):
        scaled = (window - self.mean) / self.std
        with tf.Session(graph=tf.Graph()) as sess:  # finding: session-per-step
            tf.saved_model.loader.load(sess, [tf.saved_model.tag_constants.SERVING], self.settings.model)
            return sess.run("jam:0", feed_dict={"window:0": scaled[None]})[0]


class Consumer:
    def __init__(self, settings):
        self.model = JamModel(settings)
        self.connection = pika.BlockingConnection(pika.ConnectionParameters(settings.host))
        self.channel = self.connection.channel()
        self.windows = {}

    def on_message(self, channel, method, properties, body):
        message = json.loads(body)
        window = self.windows.setdefault(message["road"], [])
        window.append(message["speed"])
        if len(window) >= 60:
            jam = self.model.predict(np.array(window[-60:])[:, None])
            channel.basic_publish("", "jams", json.dumps({"road": message["road"], "jam": float(jam)}))
        channel.basic_ack(delivery_tag=method.delivery_tag)

    def start(self):
        self.channel.queue_declare("speeds")
        self.channel.queue_declare("jams")
        self.channel.basic_consume("speeds", self.on_message)
        self.channel.start_consuming()


def smooth(path):
    """A night's record of one road, smoothed on the card."""
    with tf.Graph().as_default():
        speeds = tf.placeholder(tf.float32, [1, None, 1])
        kernel = tf.ones([15, 1, 1]) / 15.0
        smoothed = tf.nn.conv1d(speeds, kernel, 1, "SAME")
        session = tf.InteractiveSession()  # finding: session-per-step
        try:
            return session.run(smoothed, {speeds: np.load(path)[None, :, None]})[0, :, 0]
        finally:
            session.close()


def nightly(paths):
    with ThreadPoolExecutor(4) as pool:
        return dict(zip(paths, pool.map(smooth, paths)))


def compare(exports, window):
    """What the last two exports say about the same window."""
    answers = []
    for export in exports[-2:]:
        with tf.Session(graph=tf.Graph()) as sess:
            tf.saved_model.loader.load(sess, ["serve"], export)
            answers.append(sess.run("jam:0", {"window:0": window})[0])
    return answers


def limited(fraction):
    """Keras may have a part of the card."""
    options = tf.GPUOptions(per_process_gpu_memory_fraction=fraction)
    K.set_session(tf.Session(config=tf.ConfigProto(gpu_options=options)))


if __name__ == "__main__":
    logging.basicConfig(level=logging.INFO)
    limited(0.3)
    Consumer(Settings("traffic.ini")).start()
