import numpy as np
import tensorflow as tf

ALPHABET = "0123456789ABCDEFGHJKLMNPQRSTUVWXYZ"


def load_graph(path):
    graph_def = tf.compat.v1.GraphDef()
    with tf.io.gfile.GFile(path, "rb") as file:
        graph_def.ParseFromString(file.read())
    with tf.Graph().as_default() as graph:
        tf.import_graph_def(graph_def, name="")
    return graph


class Recognizer:
    def __init__(self, path):
        self.graph = load_graph(path)
        self.image = self.graph.get_tensor_by_name("image:0")
        self.codes = self.graph.get_tensor_by_name("codes:0")

    def read(self, image):
        with tf.compat.v1.Session(graph=self.graph) as session:  # finding: session-per-step
            codes = session.run(self.codes, {self.image: image[None]})
        return "".join(ALPHABET[code] for code in codes[0] if code >= 0)


class Finder:
    """Finds the plate in a picture; keeps its session."""

    _session = None

    def __init__(self, path):
        self.path = path

    @property
    def session(self):
        if self._session is None:
            self._session = tf.compat.v1.Session(graph=load_graph(self.path))
        return self._session

    def box(self, picture):
        boxes = self.session.run("boxes:0", {"picture:0": picture[None]})
        top, left, bottom, right = np.asarray(boxes[0][0], int)
        return picture[top:bottom, left:right]
