import numpy as np
import pandas as pd


class Market:
    """Prices of one share; the state is a window of log returns and the position."""

    def __init__(self, path, window=20):
        prices = pd.read_csv(path)["Close"].values
        self.returns = np.diff(np.log(prices)).astype("float32")
        self.window = window

    def reset(self):
        self.t = self.window
        self.position = 0
        return self._state()

    def _state(self):
        part = self.returns[self.t - self.window:self.t]
        return np.append(part, np.float32(self.position))

    def step(self, action):
        self.position = (0, 1, -1)[action]
        reward = self.position * self.returns[self.t]
        self.t += 1
        return self._state(), reward, self.t >= len(self.returns)
