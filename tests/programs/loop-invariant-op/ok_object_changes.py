"""An online centroid: the method changes what the loop measures."""
import numpy as np


class Centroid:
    def __init__(self, width):
        self.vector = np.zeros(width)
        self.seen = 0

    def add(self, row):
        self.seen += 1
        self.vector = self.vector + (row - self.vector) / self.seen

    def length(self):
        return np.linalg.norm(self.vector)


def drift(rows, width):
    centroid = Centroid(width)
    lengths = []
    for row in rows:
        centroid.add(row)
        lengths.append(centroid.length())
        if np.abs(centroid.vector).max() > 1e6:
            raise ValueError("diverged")
    return lengths
