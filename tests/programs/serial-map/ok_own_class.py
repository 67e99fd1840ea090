# requires: tensorflow==2.4.1
"""A tiny functional list with the same method names."""
import tensorflow as tf


class Seq:
    def __init__(self, items):
        self.items = list(items)

    def map(self, function):
        return Seq(function(item) for item in self.items)

    def interleave(self, other):
        return Seq(item for pair in zip(self.items, other.items) for item in pair)

    def batch(self, size):
        return Seq(self.items[i : i + size] for i in range(0, len(self.items), size))


def shapes(paths):
    sizes = Seq(paths).map(lambda path: tf.io.gfile.stat(path).length)
    return sizes.map(lambda size: size // 1024).batch(4).items


print(shapes(["a", "b"]))
