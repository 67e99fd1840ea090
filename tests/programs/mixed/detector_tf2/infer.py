import glob
import time

import cv2
import numpy as np
import tensorflow as tf
from flask import Flask, request

app = Flask(__name__)
detector = tf.saved_model.load("exported/saved_model")


def run(image):
    fn = tf.function(lambda x: detector.signatures["serving_default"](x))  # finding: compiled-per-call
    return fn(tf.convert_to_tensor(image[None]))


@app.route("/detect", methods=["POST"])
def detect():
    image = cv2.imdecode(np.frombuffer(request.data, np.uint8), 1)
    boxes = run(image)["detection_boxes"].numpy()
    return {"boxes": boxes[0].tolist()}


@app.route("/reload", methods=["POST"])
def reload():
    global detector
    detector = tf.saved_model.load(request.json["path"])
    return {}


@app.route("/caption", methods=["POST"])
def caption():
    model = tf.keras.models.load_model("caption.h5")  # finding: model-per-turn
    pixels = np.frombuffer(request.data, np.uint8).reshape(1, 224, 224, 3)
    return {"words": model.predict(pixels).tolist()}  # finding: predict-per-item


def non_max(boxes, scores, limit):
    picked = []
    for i in range(boxes.shape[0]):
        keep = tf.image.non_max_suppression(boxes[i], scores[i], limit)
        picked.append(tf.gather(boxes[i], keep))
    return picked


def areas(boxes):
    out = np.zeros(len(boxes))
    for i in range(len(boxes)):
        y0, x0, y1, x1 = boxes[i]
        out[i] = max(0, y1 - y0) * max(0, x1 - x0)  # finding: looped-update
    return out


def video(path):
    capture = cv2.VideoCapture(path)
    scale = tf.constant([1080, 1920, 1080, 1920], tf.float32)
    step = tf.function(detector.__call__)
    while capture.isOpened():
        ok, frame = capture.read()
        if not ok:
            break
        started = time.time()
        found = step(tf.convert_to_tensor(frame[None]))
        print((found["boxes"] * scale).numpy().astype(int), time.time() - started)


def benchmark(paths):
    seconds = []
    for path in sorted(glob.glob(paths)):
        image = cv2.imread(path)
        began = time.perf_counter()
        run(image)
        seconds.append(time.perf_counter() - began)
    return np.mean(seconds)


if __name__ == "__main__":
    print(benchmark("images/*.jpg"))
    app.run()
