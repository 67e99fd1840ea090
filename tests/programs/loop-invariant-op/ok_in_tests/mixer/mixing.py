import numpy as np


def mix(left, right, share):
    return share * np.asarray(left) + (1.0 - share) * np.asarray(right)
