import collections
import random

import numpy as np


class Replay(object):
    def __init__(self, capacity=100000):
        self.memory = collections.deque(maxlen=capacity)

    def __len__(self):
        return len(self.memory)

    def add(self, *transition):
        self.memory.append(transition)

    def sample(self, size):
        columns = zip(*random.sample(self.memory, size))
        return [np.asarray(column) for column in columns]
