import base64
import io

import numpy as np
import tensorflow as tf
from explainers import METHODS, IntegratedGradients, SmoothGrad
from flask import Flask, request
from flask_restx import Api, Resource
from PIL import Image

app = Flask(__name__)
api = Api(app)
model = tf.keras.models.load_model("skin_lesions.h5")
classify = tf.function(lambda image: model(image, training=False))


def read_image(data):
    image = Image.open(io.BytesIO(base64.b64decode(data))).convert("RGB").resize((224, 224))
    return tf.constant(np.asarray(image, np.float32)[None] / 255.0)


def heat(values):
    values = np.abs(np.asarray(values)).max(axis=-1)
    return (values / (values.max() + 1e-8)).tolist()


@api.route("/classify")
class Classify(Resource):
    def post(self):
        image = read_image(request.json["image"])
        return {"scores": classify(image).numpy()[0].tolist()}


@api.route("/explain")
class Explain(Resource):
    def post(self):
        image = read_image(request.json["image"])
        label = int(tf.argmax(classify(image)[0]))
        if request.args.get("method") == "smooth":
            explainer = SmoothGrad(model)
        else:
            explainer = IntegratedGradients(model)
        return {"label": label, "heat": heat(explainer.explain(image, label))}


@api.route("/methods")
class Methods(Resource):
    def get(self):
        return sorted(METHODS)


if __name__ == "__main__":
    app.run(port=8000)
