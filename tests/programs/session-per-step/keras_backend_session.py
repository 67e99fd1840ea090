# requires: tensorflow==1.14.0
import numpy as np
import tensorflow as tf
from flask import Flask, request
from tensorflow.keras import backend as K
from tensorflow.keras.models import load_model

app = Flask(__name__)
model = load_model("sentiment.h5")


@app.route("/sentiment", methods=["POST"])
def sentiment():
    tokens = np.array([request.get_json()["tokens"]])
    K.set_session(tf.Session())  # finding: session-per-step
    model.load_weights("sentiment_weights.h5")
    return {"score": float(model.predict(tokens)[0, 0])}


if __name__ == "__main__":
    app.run()
