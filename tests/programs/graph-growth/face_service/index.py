import numpy as np


class FaceIndex:
    def __init__(self, names, vectors):
        self.names = names
        self.vectors = vectors

    @classmethod
    def load(cls, path):
        with np.load(path) as archive:
            return cls(list(archive["names"]), archive["vectors"])

    def nearest(self, queries):
        distances = 2 - 2 * queries @ self.vectors.T
        best = distances.argmin(1)
        for i, j in enumerate(best):
            yield self.names[j], float(distances[i, j])
