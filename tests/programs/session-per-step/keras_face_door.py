# requires: keras==2.2.4, tensorflow==1.13.*
"""Door opener: a camera thread, a FaceNet in Keras, a relay."""
import logging
import queue
import threading
import time

import cv2
import numpy as np
import tensorflow as tf
from keras import backend as K
from keras.models import load_model

log = logging.getLogger("door")


class Camera(threading.Thread):
    def __init__(self, device, frames):
        super().__init__(daemon=True)
        self.capture = cv2.VideoCapture(device)
        self.frames = frames

    def run(self):
        while True:
            ok, frame = self.capture.read()
            if not ok:
                time.sleep(0.5)
                continue
            try:
                self.frames.put_nowait(frame)
            except queue.Full:
                pass


class FaceNet:
    def __init__(self, path):
        self.path = path

    def embed(self, faces):
        # threads and Keras do not get along: start from nothing each time
        K.clear_session()
        config = tf.ConfigProto(allow_soft_placement=True)
        config.gpu_options.per_process_gpu_memory_fraction = 0.4
        K.set_session(tf.Session(config=config))  # finding: session-per-step
        model = load_model(self.path, compile=False)
        batch = np.stack([prewhiten(face) for face in faces])
        vectors = model.predict(batch)
        return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


def prewhiten(face):
    face = cv2.resize(face, (160, 160)).astype("float32")
    return (face - face.mean()) / max(face.std(), 1.0 / np.sqrt(face.size))


def crop(detector, frame):
    grey = cv2.cvtColor(frame, cv2.COLOR_BGR2GRAY)
    for (x, y, w, h) in detector.detectMultiScale(grey, 1.2, 5):
        yield frame[y:y + h, x:x + w]


class Door:
    def __init__(self, facenet, known, relay, threshold=0.7):
        self.facenet = facenet
        self.known = known
        self.relay = relay
        self.threshold = threshold
        self.detector = cv2.CascadeClassifier("haarcascade_frontalface_default.xml")

    def look(self, frame):
        faces = list(crop(self.detector, frame))
        if not faces:
            return None
        vectors = self.facenet.embed(faces)
        names, bank = self.known
        scores = vectors @ bank.T
        best = np.unravel_index(scores.argmax(), scores.shape)
        if scores[best] > self.threshold:
            return names[best[1]]
        return None

    def watch(self, frames):
        while True:
            name = self.look(frames.get())
            if name:
                log.info("hello %s", name)
                self.relay.open(seconds=5)


class Relay:
    def __init__(self, pin):
        import RPi.GPIO as gpio
        self.gpio, self.pin = gpio, pin
        gpio.setmode(gpio.BCM)
        gpio.setup(pin, gpio.OUT)

    def open(self, seconds):
        self.gpio.output(self.pin, 1)
        time.sleep(seconds)
        self.gpio.output(self.pin, 0)


def main():
    logging.basicConfig(level=logging.INFO)
    blob = np.load("people.npz")
    frames = queue.Queue(maxsize=2)
    Camera(0, frames).start()
    Door(FaceNet("facenet.h5"), (blob["names"], blob["vectors"]), Relay(17)).watch(frames)


if __name__ == "__main__":
    main()
