# requires: tensorflow==1.13.*
"""Guided saliency and occlusion maps of a frozen classifier."""
import argparse
import os

import numpy as np
import tensorflow as tf
from PIL import Image


class Explainer:
    def __init__(self, pb, classes):
        self.graph = tf.Graph()
        with self.graph.as_default():
            definition = tf.GraphDef()
            with open(pb, "rb") as handle:
                definition.ParseFromString(handle.read())
            tf.import_graph_def(definition, name="")
        self.sess = tf.Session(graph=self.graph)
        self.inputs = self.graph.get_tensor_by_name("input:0")
        self.logits = self.graph.get_tensor_by_name("logits:0")
        self.classes = classes

    def predict(self, image):
        with self.graph.as_default():
            probabilities = tf.nn.softmax(self.logits)  # note: graph-growth
            return self.sess.run(probabilities, {self.inputs: image[None]})[0]

    def saliency(self, image, label):
        with self.graph.as_default():
            gradient = tf.gradients(self.logits[:, label], self.inputs)[0]  # finding: graph-growth
        value = self.sess.run(gradient, {self.inputs: image[None]})[0]
        return np.abs(value).max(-1)

    def occlusion(self, image, label, size=32):
        out = np.zeros([s // size for s in image.shape[:2]])
        for i, j in np.ndindex(*out.shape):
            hidden = image.copy()
            hidden[i * size:(i + 1) * size, j * size:(j + 1) * size] = 0.5
            out[i, j] = self.sess.run(self.logits, {self.inputs: hidden[None]})[0, label]
        return out


def load(path):
    image = Image.open(path).convert("RGB").resize((299, 299))
    return np.asarray(image, np.float32) / 255.0


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("pb")
    parser.add_argument("folder")
    parser.add_argument("--labels", default="labels.txt")
    args = parser.parse_args()
    with open(args.labels) as handle:
        explainer = Explainer(args.pb, [line.strip() for line in handle])
    for name in sorted(os.listdir(args.folder)):
        if not name.endswith(".jpg"):
            continue
        image = load(os.path.join(args.folder, name))
        label = int(explainer.predict(image).argmax())
        np.save(name + ".saliency.npy", explainer.saliency(image, label))
        np.save(name + ".occlusion.npy", explainer.occlusion(image, label))
        print(name, explainer.classes[label])


if __name__ == "__main__":
    main()
