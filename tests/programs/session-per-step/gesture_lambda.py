# requires: tensorflow==1.13.*
"""AWS Lambda behind our gesture demo: S3 upload -> label in DynamoDB. Model lies in the layer."""
import json
import os
import urllib.parse

import boto3
import numpy as np
import tensorflow as tf

s3 = boto3.client("s3")
table = boto3.resource("dynamodb").Table(os.environ["TABLE"])
LABELS = ["fist", "palm", "thumb", "ok", "peace", "none"]
MODEL = "/opt/model/gestures.pb"


def load_graph(path):
    graph = tf.Graph()
    with graph.as_default():
        definition = tf.GraphDef()
        with tf.gfile.GFile(path, "rb") as f:
            definition.ParseFromString(f.read())
        tf.import_graph_def(definition, name="")
    return graph


graph = load_graph(MODEL)


class Recogniser:
    def __init__(self, graph):
        self.graph = graph
        self.session = tf.Session(graph=graph)  # finding: session-per-step

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        self.session.close()

    def scores(self, sequence):
        return self.session.run("softmax:0", {"landmarks:0": sequence[None]})[0]


def read(bucket, key):
    body = s3.get_object(Bucket=bucket, Key=key)["Body"].read()
    frames = json.loads(body)["frames"]
    sequence = np.zeros((60, 63), np.float32)
    taken = np.asarray(frames, np.float32)[:60].reshape(-1, 63)
    sequence[: len(taken)] = taken
    return sequence


def store(key, scores):
    best = int(np.argmax(scores))
    table.put_item(
        Item={"key": key, "label": LABELS[best], "score": str(round(float(scores[best]), 4))}
    )


def handler(event, context):
    for record in event["Records"]:
        bucket = record["s3"]["bucket"]["name"]
        key = urllib.parse.unquote_plus(record["s3"]["object"]["key"])
        with Recogniser(graph) as recogniser:
            store(key, recogniser.scores(read(bucket, key)))
    return {"statusCode": 200}
