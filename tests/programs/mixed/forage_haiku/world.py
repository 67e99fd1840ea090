import dm_env
import numpy as np
from dm_env import specs


class Forage(dm_env.Environment):
    """A field with some berries."""

    def __init__(self, size=8, berries=5, limit=100):
        self.size, self.berries, self.limit = size, berries, limit
        self.random = np.random.RandomState(0)

    def observation_spec(self):
        return specs.Array((self.size * self.size + 2,), np.float32)

    def action_spec(self):
        return specs.DiscreteArray(4)

    def reset(self):
        self.field = np.zeros((self.size, self.size), np.float32)
        self.field.flat[self.random.choice(self.size**2, self.berries, replace=False)] = 1.0
        self.place = [0, 0]
        self.time = 0
        return dm_env.restart(self._look())

    def step(self, action):
        axis, by = divmod(action, 2)
        self.place[axis] = min(max(self.place[axis] + 2 * by - 1, 0), self.size - 1)
        reward = float(self.field[tuple(self.place)])
        self.field[tuple(self.place)] = 0.0
        self.time += 1
        if self.time == self.limit or not self.field.any():
            return dm_env.termination(reward, self._look())
        return dm_env.transition(reward, self._look())

    def _look(self):
        return np.concatenate([self.field.ravel(), np.asarray(self.place, np.float32) / self.size])
