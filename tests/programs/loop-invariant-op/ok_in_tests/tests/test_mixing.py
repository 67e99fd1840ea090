import numpy as np
from mixer.mixing import mix


def test_mixing_stays_between_both_sides():
    left, right = np.zeros(1000), np.ones(1000)
    for share in np.linspace(0.0, 1.0, 101):
        mixed = mix(left, right, share)
        assert mixed.min() >= np.minimum(left, right).min()
        assert mixed.max() <= np.maximum(left, right).max()
