# requires: tensorflow==2.10.*
"""Consumes sensor windows from Kafka and scores them by reconstruction error."""
import json
import os

import numpy as np
import tensorflow as tf
from kafka import KafkaConsumer, KafkaProducer


def load(path):
    return tf.keras.models.load_model(path, compile=False)


def make_scorer(model):
    @tf.function(input_signature=[tf.TensorSpec([None, 128, 6], tf.float32)])  # finding: compiled-per-call
    def score(x):
        return tf.reduce_mean(tf.square(model(x, training=False) - x), axis=[1, 2])

    return score


class Detector:
    def __init__(self, model, mean, std, limit):
        self.model = model
        self.mean, self.std, self.limit = mean, std, limit

    def __call__(self, windows):
        x = (np.asarray(windows, dtype=np.float32) - self.mean) / self.std
        scores = make_scorer(self.model)(x).numpy()
        return [{"score": float(s), "alarm": bool(s > self.limit)} for s in scores]


def main():
    folder = os.environ["MODEL"]
    stats = np.load(os.path.join(folder, "stats.npz"))
    detect = Detector(load(folder), stats["mean"], stats["std"], float(stats["limit"]))
    consumer = KafkaConsumer("windows", bootstrap_servers=os.environ["KAFKA"], value_deserializer=json.loads)
    producer = KafkaProducer(bootstrap_servers=os.environ["KAFKA"],
                             value_serializer=lambda v: json.dumps(v).encode())
    for message in consumer:
        for row in detect(message.value["windows"]):
            producer.send("scores", {**row, "machine": message.value["machine"]})


if __name__ == "__main__":
    main()
