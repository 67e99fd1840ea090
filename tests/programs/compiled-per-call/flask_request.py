# requires: tensorflow==2.12.0
import tensorflow as tf
from flask import Flask, jsonify, request

app = Flask(__name__)
model = tf.keras.models.load_model("churn.keras")


@app.route("/churn", methods=["POST"])
def churn():
    rows = tf.constant(request.get_json()["rows"], tf.float32)

    @tf.function(reduce_retracing=True)  # finding: compiled-per-call
    def infer(x):
        return tf.nn.softmax(model(x, training=False))

    return jsonify(infer(rows).numpy().tolist())


if __name__ == "__main__":
    app.run(port=8080)
