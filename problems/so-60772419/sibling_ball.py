"""A ball that parameters must not leave."""

import numpy as np


class Ball:
    def __init__(self, sess, radius):
        self.sess = sess
        self.radius = radius

    def draw_in(self, variable):
        current = self.sess.run(variable)
        length = np.linalg.norm(current)
        if length > self.radius:
            inside = current * (self.radius / length)
            self.sess.run(variable.assign(inside))  # finding
