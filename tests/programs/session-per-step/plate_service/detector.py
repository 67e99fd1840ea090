# -*- coding: utf-8 -*-
"""Finds licence plates with a frozen SSD."""
import tensorflow as tf

import settings


def load_graph(path):
    graph = tf.Graph()
    with graph.as_default():
        graph_def = tf.GraphDef()
        with tf.gfile.GFile(path, 'rb') as f:
            graph_def.ParseFromString(f.read())
        tf.import_graph_def(graph_def, name='')
    return graph


class PlateDetector(object):
    def __init__(self, path=settings.DETECTOR_PB):
        self.graph = load_graph(path)
        self.image = self.graph.get_tensor_by_name('image_tensor:0')
        self.boxes = self.graph.get_tensor_by_name('detection_boxes:0')
        self.scores = self.graph.get_tensor_by_name('detection_scores:0')

    def detect(self, image):
        config = tf.ConfigProto()
        config.gpu_options.per_process_gpu_memory_fraction = settings.GPU_FRACTION
        with tf.Session(graph=self.graph, config=config) as sess:  # finding: session-per-step
            boxes, scores = sess.run([self.boxes, self.scores], {self.image: image[None]})
        keep = scores[0] > settings.MIN_SCORE
        return boxes[0][keep], scores[0][keep]
