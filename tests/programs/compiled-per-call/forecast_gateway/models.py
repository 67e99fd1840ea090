import threading

import tensorflow as tf


class Registry:
    """Forecast models by region, loaded when they are first asked for."""

    def __init__(self, root):
        self.root = root
        self.lock = threading.Lock()
        self.loaded = {}

    def get(self, region):
        with self.lock:
            if region not in self.loaded:
                self.loaded[region] = tf.keras.models.load_model(f"{self.root}/{region}", compile=False)
            return self.loaded[region]


class Forecaster:
    def __init__(self, model, horizon):
        self.model = model
        self.horizon = horizon

    def build(self):
        @tf.function  # finding: compiled-per-call
        def rollout(history):
            outputs = tf.TensorArray(tf.float32, size=self.horizon)
            for i in tf.range(self.horizon):
                y = self.model(history, training=False)
                outputs = outputs.write(i, y[:, 0])
                history = tf.concat([history[:, 1:], y[:, None]], axis=1)
            return tf.transpose(outputs.stack())

        return rollout

    def predict(self, history):
        return self.build()(tf.constant(history, tf.float32)[None]).numpy()[0]
