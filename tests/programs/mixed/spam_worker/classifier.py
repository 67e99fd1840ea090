"""Classifies mails; each answer with a fresh Keras, because of threads."""
import threading

import tensorflow as tf
from keras import backend as K
from keras.models import load_model
from keras.preprocessing.sequence import pad_sequences


class Fresh(object):
    def __init__(self, path, tokenizer):
        self.path = path
        self.tokenizer = tokenizer

    def predict(self, text):
        K.clear_session()
        K.set_session(tf.Session(config=tf.ConfigProto(intra_op_parallelism_threads=2)))  # finding: session-per-step
        model = load_model(self.path)  # finding: model-per-turn
        rows = pad_sequences(self.tokenizer.texts_to_sequences([text]), 200)
        return float(model.predict(rows)[0, 0])  # finding: predict-per-item


class Kept(object):
    def __init__(self, path, tokenizer):
        self.lock = threading.Lock()
        self.graph = tf.Graph()
        with self.graph.as_default():
            self.session = tf.Session(graph=self.graph)
            with self.session.as_default():
                self.model = load_model(path)
        self.tokenizer = tokenizer

    def predict_all(self, texts):
        rows = pad_sequences(self.tokenizer.texts_to_sequences(texts), 200)
        with self.lock, self.graph.as_default(), self.session.as_default():
            return self.model.predict(rows)[:, 0]
