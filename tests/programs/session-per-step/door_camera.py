# requires: tensorflow==1.4.*
"""Opens the office door for known faces.

    python door_camera.py --graph models/20170512-110547.pb --people people/

One thread reads the camera, one looks for faces, the main thread shows the picture.
"""
import argparse
import os
import queue
import threading
import time

import cv2
import numpy as np
import tensorflow as tf

FACE_SIZE = 160
FRAMES = queue.Queue(maxsize=4)
RESULTS = queue.Queue(maxsize=4)
STOP = threading.Event()


def prewhiten(x):
    mean = np.mean(x)
    std_adj = np.maximum(np.std(x), 1.0 / np.sqrt(x.size))
    return np.multiply(np.subtract(x, mean), 1 / std_adj)


class Embedder(object):
    def __init__(self, path, memory_fraction=0.3):
        self.graph = tf.Graph()
        self.memory_fraction = memory_fraction
        with self.graph.as_default():
            graph_def = tf.GraphDef()
            with tf.gfile.GFile(path, 'rb') as f:
                graph_def.ParseFromString(f.read())
            tf.import_graph_def(graph_def, name='')
        self.images = self.graph.get_tensor_by_name('input:0')
        self.embeddings = self.graph.get_tensor_by_name('embeddings:0')
        self.phase_train = self.graph.get_tensor_by_name('phase_train:0')

    def _config(self):
        gpu = tf.GPUOptions(per_process_gpu_memory_fraction=self.memory_fraction)
        return tf.ConfigProto(gpu_options=gpu, log_device_placement=False)

    def embed(self, faces):
        batch = np.stack([prewhiten(cv2.resize(f, (FACE_SIZE, FACE_SIZE))) for f in faces])
        feed = {self.images: batch, self.phase_train: False}
        with tf.Session(graph=self.graph, config=self._config()) as sess:  # finding: session-per-step
            return sess.run(self.embeddings, feed_dict=feed)


class People(object):
    def __init__(self, folder, embedder):
        self.names = []
        photos = []
        for name in sorted(os.listdir(folder)):
            photo = cv2.imread(os.path.join(folder, name))
            if photo is None:
                continue
            self.names.append(os.path.splitext(name)[0])
            photos.append(photo)
        self.vectors = embedder.embed(photos)

    def closest(self, vector):
        distances = np.linalg.norm(self.vectors - vector, axis=1)
        best = int(np.argmin(distances))
        return self.names[best], float(distances[best])


def read_camera(device):
    camera = cv2.VideoCapture(device)
    while not STOP.is_set():
        ok, frame = camera.read()
        if not ok:
            time.sleep(0.1)
            continue
        try:
            FRAMES.put_nowait(frame)
        except queue.Full:
            pass
    camera.release()


def recognise(embedder, people, detector, threshold):
    while not STOP.is_set():
        try:
            frame = FRAMES.get(timeout=1)
        except queue.Empty:
            continue
        gray = cv2.cvtColor(frame, cv2.COLOR_BGR2GRAY)
        boxes = detector.detectMultiScale(gray, 1.3, 5)
        if len(boxes) == 0:
            RESULTS.put((frame, []))
            continue
        vectors = embedder.embed([frame[y:y + h, x:x + w] for x, y, w, h in boxes])
        found = []
        for box, vector in zip(boxes, vectors):
            name, distance = people.closest(vector)
            found.append((box, name if distance < threshold else 'unknown'))
        RESULTS.put((frame, found))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--graph', required=True)
    parser.add_argument('--people', default='people')
    parser.add_argument('--device', type=int, default=0)
    parser.add_argument('--threshold', type=float, default=0.9)
    args = parser.parse_args()

    embedder = Embedder(args.graph)
    people = People(args.people, embedder)
    detector = cv2.CascadeClassifier('haarcascade_frontalface_default.xml')
    threads = [
        threading.Thread(target=read_camera, args=(args.device,)),
        threading.Thread(target=recognise, args=(embedder, people, detector, args.threshold)),
    ]
    for t in threads:
        t.daemon = True
        t.start()
    try:
        while True:
            frame, found = RESULTS.get()
            for (x, y, w, h), name in found:
                cv2.rectangle(frame, (x, y), (x + w, y + h), (0, 255, 0), 2)
                cv2.putText(frame, name, (x, y - 8), cv2.FONT_HERSHEY_SIMPLEX, 0.7, (0, 255, 0))
            cv2.imshow('door', frame)
            if cv2.waitKey(1) & 0xFF == ord('q'):
                break
    finally:
        STOP.set()


if __name__ == '__main__':
    main()
