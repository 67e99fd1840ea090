"""Takes jobs off a queue; several Keras models of the same family."""
import json
import logging
import time
from contextlib import contextmanager

import keras
import numpy as np
import pika
import tensorflow as tf
from keras import backend as K
from keras.models import load_model

LOG = logging.getLogger("worker")


@contextmanager
def own_session(fraction):
    config = tf.ConfigProto()
    config.gpu_options.per_process_gpu_memory_fraction = fraction
    session = tf.Session(config=config)  # finding: session-per-step
    K.set_session(session)
    try:
        yield session
    finally:
        session.close()


class Registry:
    def __init__(self, folder):
        self.folder = folder
        self.loaded = {}

    def get(self, name):
        if name not in self.loaded:
            self.loaded[name] = load_model("%s/%s.h5" % (self.folder, name))
        return self.loaded[name]


class Worker:
    def __init__(self, registry, fraction=0.3):
        self.registry = registry
        self.fraction = fraction
        self.counter = 0

    def handle_price(self, rows):
        model = self.registry.get("price")
        return model.predict(np.asarray(rows)).ravel().tolist()

    def handle_churn(self, rows):
        with own_session(self.fraction):
            model = load_model(self.registry.folder + "/churn.h5")  # finding: model-per-turn
            return model.predict(np.asarray(rows)).ravel().tolist()

    def handle_fraud(self, rows):
        K.clear_session()  # finding: session-per-step
        model = load_model(self.registry.folder + "/fraud.h5")  # finding: model-per-turn
        return model.predict(np.asarray(rows)).ravel().tolist()

    def on_message(self, channel, method, properties, body):
        started = time.time()
        job = json.loads(body)
        handler = getattr(self, "handle_" + job["kind"], None)
        if job["kind"] == "price":
            answer = self.handle_price(job["rows"])
        elif job["kind"] == "churn":
            answer = self.handle_churn(job["rows"])
        else:
            answer = self.handle_fraud(job["rows"])
        channel.basic_publish("", properties.reply_to, json.dumps(answer))
        channel.basic_ack(method.delivery_tag)
        self.counter += 1
        LOG.info("%s %.3f %s", job["kind"], time.time() - started, handler)

    def serve(self, host):
        connection = pika.BlockingConnection(pika.ConnectionParameters(host))
        channel = connection.channel()
        channel.queue_declare("jobs")
        for method, properties, body in channel.consume("jobs"):
            self.on_message(channel, method, properties, body)


def cross_validate(make, x, y, folds=5):
    """A fresh state for each fold is the point here."""
    scores = []
    for fold in range(folds):
        K.clear_session()
        model = make()
        held = np.arange(len(x)) % folds == fold
        model.fit(x[~held], y[~held], epochs=50, verbose=0)
        scores.append(model.evaluate(x[held], y[held], verbose=0))
    return np.mean(scores)


def make_model():
    model = keras.models.Sequential()
    model.add(keras.layers.Dense(64, activation="relu", input_shape=(20,)))
    model.add(keras.layers.Dense(1))
    model.compile("adam", "mse")
    return model


if __name__ == "__main__":
    logging.basicConfig(level=logging.INFO)
    data = np.load("train.npz")
    LOG.info("cv %.4f", cross_validate(make_model, data["x"], data["y"]))
    Worker(Registry("/models")).serve("queue")
