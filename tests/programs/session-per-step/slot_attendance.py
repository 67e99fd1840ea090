# requires: tensorflow==1.15.*, opencv-python
"""Face attendance at a factory gate: detector and embedder are frozen graphs."""
import argparse
import datetime
import pickle
import sqlite3

import cv2
import numpy as np
import tensorflow as tf


class FrozenGraph(object):
    def __init__(self, path):
        self.graph = tf.Graph()
        with self.graph.as_default():
            definition = tf.GraphDef()
            with tf.gfile.GFile(path, "rb") as f:
                definition.ParseFromString(f.read())
            tf.import_graph_def(definition, name="")

    def tensor(self, name):
        return self.graph.get_tensor_by_name(name)


class Detector(FrozenGraph):
    def boxes(self, frame, least=0.6):
        rgb = cv2.cvtColor(frame, cv2.COLOR_BGR2RGB)[None]
        with self.graph.as_default():
            with tf.Session() as sess:  # finding: session-per-step
                boxes, scores = sess.run(
                    [self.tensor("detection_boxes:0"), self.tensor("detection_scores:0")],
                    {self.tensor("image_tensor:0"): rgb},
                )
        h, w = frame.shape[:2]
        keep = scores[0] > least
        return (boxes[0][keep] * [h, w, h, w]).astype(int)


class Embedder(FrozenGraph):
    def __init__(self, path):
        super(Embedder, self).__init__(path)
        self.session = tf.Session(graph=self.graph)

    def __call__(self, face):
        face = cv2.resize(face, (160, 160)).astype(np.float32)
        face = (face - face.mean()) / max(face.std(), 1e-3)
        feed = {self.tensor("input:0"): face[None], self.tensor("phase_train:0"): False}
        return self.session.run(self.tensor("embeddings:0"), feed)[0]


class People(object):
    def __init__(self, path, database):
        with open(path, "rb") as f:
            self.names, self.vectors = pickle.load(f)
        self.db = sqlite3.connect(database)
        self.db.execute("create table if not exists seen (name text, day text, first text, unique (name, day))")

    def find(self, vector, most=0.9):
        distances = np.linalg.norm(self.vectors - vector, axis=1)
        best = distances.argmin()
        return self.names[best] if distances[best] < most else None

    def mark(self, name):
        now = datetime.datetime.now()
        self.db.execute("insert or ignore into seen values (?, ?, ?)", (name, str(now.date()), str(now.time())))
        self.db.commit()


def frames(source):
    capture = cv2.VideoCapture(source)
    while True:
        ok, frame = capture.read()
        if not ok:
            break
        yield frame
    capture.release()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--camera", default="rtsp://gate/1")
    parser.add_argument("--every", type=int, default=3)
    args = parser.parse_args()
    detector, embedder = Detector("detector.pb"), Embedder("facenet.pb")
    people = People("people.pkl", "attendance.db")
    for number, frame in enumerate(frames(args.camera)):
        if number % args.every:
            continue
        for top, left, bottom, right in detector.boxes(frame):
            name = people.find(embedder(frame[top:bottom, left:right]))
            if name:
                people.mark(name)


if __name__ == "__main__":
    main()
