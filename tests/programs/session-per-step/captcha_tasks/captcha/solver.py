import io

import numpy as np
import tensorflow as tf
from PIL import Image

ALPHABET = "0123456789abcdefghijklmnopqrstuvwxyz"


class CaptchaSolver:
    """Use it in a `with` block, so that the session is closed."""

    def __init__(self, model_dir, threads=1):
        self.model_dir = model_dir
        self.config = tf.ConfigProto(intra_op_parallelism_threads=threads)
        self.sess = None

    def __enter__(self):
        self.sess = tf.Session(graph=tf.Graph(), config=self.config)  # finding: session-per-step
        tf.saved_model.loader.load(self.sess, [tf.saved_model.tag_constants.SERVING], self.model_dir)
        return self

    def __exit__(self, *exc):
        self.sess.close()
        self.sess = None

    def solve(self, png):
        image = Image.open(io.BytesIO(png)).convert("L").resize((160, 60))
        pixels = np.asarray(image, np.float32)[None, :, :, None] / 255.0
        codes = self.sess.run("codes:0", {"image:0": pixels})
        return "".join(ALPHABET[c] for c in codes[0])
