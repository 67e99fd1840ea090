# requires: tensorflow==1.15.0
import tensorflow as tf
from flask import Flask, request

app = Flask(__name__)
graph = tf.Graph()
with graph.as_default():
    text = tf.placeholder(tf.string, [])
    size = tf.strings.length(text)
session = tf.Session(graph=graph)


@app.route("/size")
def size_of():
    return str(session.run(size, {text: request.args["text"]}))


if __name__ == "__main__":
    app.run()
