import json
import pickle
import sys

import pika
import tensorflow as tf

from classifier import Fresh, Kept


def consume(channel, fresh):
    for method, _, body in channel.consume("mails"):
        mail = json.loads(body)
        answer = {"id": mail["id"], "spam": fresh.predict(mail["text"])}
        channel.basic_publish("", "answers", json.dumps(answer))
        channel.basic_ack(method.delivery_tag)


def consume_blocks(channel, kept, size=64):
    block = []
    for method, _, body in channel.consume("mails"):
        block.append(json.loads(body))
        if len(block) == size:
            for mail, spam in zip(block, kept.predict_all([mail["text"] for mail in block])):
                channel.basic_publish("", "answers", json.dumps({"id": mail["id"], "spam": float(spam)}))
            channel.basic_ack(method.delivery_tag, multiple=True)
            block = []


def lengths(files):
    """How many characters each archive holds, counted by TensorFlow."""
    for path in files:
        sess = tf.InteractiveSession(graph=tf.Graph())  # finding: session-per-step
        size = tf.strings.length(tf.read_file(path)).eval()
        sess.close()
        yield path, size


def main():
    with open("tokenizer.pickle", "rb") as file:
        tokenizer = pickle.load(file)
    channel = pika.BlockingConnection(pika.ConnectionParameters("localhost")).channel()
    if "--blocks" in sys.argv:
        consume_blocks(channel, Kept("spam.h5", tokenizer))
    elif "--lengths" in sys.argv:
        print(dict(lengths(sys.argv[2:])))
    else:
        consume(channel, Fresh("spam.h5", tokenizer))


if __name__ == "__main__":
    main()
