# requires: tensorflow==2.12.*, pika
"""Worker that fine-tunes a head for a tenant's feedback, one message at a time."""
import json
import logging
import os

import numpy as np
import pika
import tensorflow as tf

BASE = tf.keras.models.load_model(os.environ.get("BASE", "/models/encoder"))
BASE.trainable = False
HEADS = {}


def head_for(tenant):
    if tenant not in HEADS:
        HEADS[tenant] = tf.keras.Sequential([tf.keras.layers.Dense(32, "relu"), tf.keras.layers.Dense(1)])
        HEADS[tenant].build((None, BASE.output_shape[-1]))
    return HEADS[tenant]


def make_functions(head, optimizer):
    loss_fn = tf.keras.losses.BinaryCrossentropy(from_logits=True)

    @tf.function  # finding: compiled-per-call
    def learn(x, y):
        with tf.GradientTape() as tape:
            loss = loss_fn(y, head(x, training=True))
        optimizer.apply_gradients(zip(tape.gradient(loss, head.trainable_variables), head.trainable_variables))
        return loss

    @tf.function  # finding: compiled-per-call
    def score(x):
        return tf.sigmoid(head(x, training=False))

    return learn, score


def embed(texts):
    return BASE(tf.constant(texts), training=False)


class FeedbackWorker:
    def __init__(self, channel):
        self.channel = channel
        self.optimizer = tf.keras.optimizers.Adam(1e-4)
        self.seen = 0

    def on_message(self, channel, method, properties, body):
        message = json.loads(body)
        head = head_for(message["tenant"])
        learn, score = make_functions(head, self.optimizer)
        x = embed([f["text"] for f in message["feedback"]])
        y = tf.constant([[float(f["good"])] for f in message["feedback"]])
        before = score(x)
        for _ in range(5):
            loss = learn(x, y)
        after = score(x)
        self.seen += len(message["feedback"])
        logging.info("%s loss %.4f moved %.4f", message["tenant"], float(loss), float(tf.reduce_mean(tf.abs(after - before))))
        channel.basic_ack(method.delivery_tag)

    def run(self):
        self.channel.basic_qos(prefetch_count=1)
        self.channel.basic_consume("feedback", self.on_message)
        self.channel.start_consuming()


def main():
    logging.basicConfig(level=logging.INFO)
    connection = pika.BlockingConnection(pika.ConnectionParameters(os.environ.get("RABBIT", "localhost")))
    FeedbackWorker(connection.channel()).run()


if __name__ == "__main__":
    main()
