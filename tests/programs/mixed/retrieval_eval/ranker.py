"""Score users against the whole catalogue (400k items x 128)."""
import tensorflow as tf

from . import geometry


class Ranker:
    def __init__(self, item_vectors, popularity):
        self.items = tf.convert_to_tensor(item_vectors, tf.float32)
        self.popularity = tf.convert_to_tensor(popularity, tf.float32)

    def similarity(self, q):
        return geometry.dot(q, self.items)

    def top(self, q, seen, k):
        scores = self.similarity(q)
        scores = tf.tensor_scatter_nd_update(scores, seen, tf.fill([tf.shape(seen)[0]], -1e9))
        return tf.math.top_k(scores, k).indices


class CosineRanker(Ranker):
    def similarity(self, q):
        return geometry.cosine(q, self.items)


class NormedRanker(Ranker):
    """Items are brought to unit length at load time."""

    def __init__(self, item_vectors, popularity):
        super().__init__(item_vectors, popularity)
        self.items = geometry.unit(self.items)

    def similarity(self, q):
        return geometry.dot(geometry.unit(q), self.items)


class DebiasedRanker(NormedRanker):
    def similarity(self, q):
        return super().similarity(q) - self.bias

    def refresh(self, alpha):
        self.bias = alpha * tf.math.log1p(self.popularity)
