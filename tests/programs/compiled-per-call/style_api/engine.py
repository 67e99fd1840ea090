"""The network and what is done with it for one picture."""
import logging

import tensorflow as tf

from .settings import SETTINGS

log = logging.getLogger(__name__)


class StyleEngine:
    def __init__(self, settings=SETTINGS):
        self.settings = settings
        self.network = tf.keras.models.load_model(settings.model_dir, compile=False)
        self.warm = False

    def _forward(self, content, style, strength):
        stylized = self.network([content, style], training=False)
        return strength * stylized + (1.0 - strength) * content

    def stylize(self, content, style, strength=1.0):
        run = tf.function(self._forward, jit_compile=True)  # finding: compiled-per-call
        result = run(
            tf.constant(content), tf.constant(style), tf.constant(strength, tf.float32)
        )
        return result.numpy()

    def palette(self, image, colours):
        flat = tf.reshape(image, [-1, 3])
        centres = tf.random.shuffle(flat)[:colours]
        assign = tf.function(lambda p, c: tf.argmin(tf.norm(p[:, None] - c[None], axis=-1), axis=1))  # finding: compiled-per-call
        for _ in range(12):
            owner = assign(flat, centres)
            centres = tf.math.unsorted_segment_mean(flat, owner, colours)
        return centres.numpy()

    def warm_up(self):
        blank = tf.zeros([1, 256, 256, 3])
        self.stylize(blank, blank)
        self.warm = True
        log.info("network is warm")
