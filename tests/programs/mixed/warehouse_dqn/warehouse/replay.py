import random
from collections import deque

import numpy as np


class Replay(object):
    def __init__(self, capacity):
        self.buffer = deque(maxlen=capacity)

    def __len__(self):
        return len(self.buffer)

    def add(self, *transition):
        self.buffer.append(transition)

    def sample(self, size):
        state, action, reward, following, done = zip(*random.sample(self.buffer, size))
        return map(np.asarray, (state, action, reward, following, done))
