"""Encodes what the crawler put into the queue."""

import json

import redis
import tensorflow as tf

from ranker import load, pooled
from text import token_ids


def embed(towers, paragraphs):
    forward = tf.function(lambda ids: towers(ids))  # finding: compiled-per-call
    vectors = tf.concat([forward(token_ids(p)) for p in paragraphs], axis=0)
    return pooled("mean")(vectors)


def documents(client):
    while True:
        _, body = client.blpop("crawled")
        yield json.loads(body)


def main():
    client = redis.Redis()
    ranker = load("/models/current")
    for document in documents(client):
        vector = embed(ranker.towers, document["paragraphs"])
        client.hset("vectors", document["url"], vector.numpy().tobytes())


if __name__ == "__main__":
    main()
