# requires: tensorflow==1.14.*
"""Scores loan applications from a message queue."""
import json
import os

import numpy as np
import pika
import tensorflow as tf

MODEL = os.environ.get("MODEL", "/models/loans/3")
FIELDS = ("age", "income", "amount", "months", "defaults")


class Scorer(object):
    def __init__(self, path):
        self.path = path
        with open(os.path.join(path, "scale.json")) as f:
            scale = json.load(f)
        self.mean, self.std = np.array(scale["mean"]), np.array(scale["std"])

    def __call__(self, rows):
        rows = (rows - self.mean) / self.std
        with tf.Session(graph=tf.Graph()) as sess:  # finding: session-per-step
            tf.saved_model.loader.load(sess, ["serve"], self.path)
            return sess.run("score:0", {"rows:0": rows})


def row_of(application):
    return [float(application.get(name, 0)) for name in FIELDS]


class Consumer(object):
    def __init__(self, channel, scorer):
        self.channel = channel
        self.scorer = scorer
        self.count = 0

    def on_message(self, channel, method, properties, body):
        application = json.loads(body)
        score = float(self.scorer(np.array([row_of(application)]))[0])
        answer = {"id": application["id"], "score": score, "accepted": score > 0.7}
        channel.basic_publish("", properties.reply_to, json.dumps(answer))
        channel.basic_ack(method.delivery_tag)
        self.count += 1


def backlog(path, scorer):
    """What came while the service was down."""
    with open(path) as f:
        for line in f:
            application = json.loads(line)
            yield application["id"], float(scorer(np.array([row_of(application)]))[0])


def main():
    scorer = Scorer(MODEL)
    if os.path.exists("backlog.jsonl"):
        for name, score in backlog("backlog.jsonl", scorer):
            print(name, score)
    connection = pika.BlockingConnection(pika.ConnectionParameters("queue"))
    channel = connection.channel()
    channel.queue_declare("loans")
    channel.basic_consume("loans", Consumer(channel, scorer).on_message)
    channel.start_consuming()


if __name__ == "__main__":
    main()
