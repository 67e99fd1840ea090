"""Variables in pairs: one that is trained, one that follows."""

import tensorflow as tf


class Averaged:
    def __init__(self, shapes, momentum):
        self.momentum = momentum
        self.live = {
            name: tf.compat.v1.get_variable(name, shape) for name, shape in shapes.items()
        }
        self.slow = {
            name: tf.compat.v1.get_variable(f"slow_{name}", shape, trainable=False)
            for name, shape in shapes.items()
        }

    def follow(self):
        moves = []
        for name, live in self.live.items():
            blend = self.momentum * self.slow[name] + (1.0 - self.momentum) * live
            moves.append(self.slow[name].assign(blend))  # finding
        return moves
