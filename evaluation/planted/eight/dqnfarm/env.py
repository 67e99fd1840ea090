import numpy as np

SIDE = 24
STACK = 4
ACTIONS = 5
MOVES = ((0, 0), (-1, 0), (1, 0), (0, -1), (0, 1))


class Orchard:
    def __init__(self, seed, horizon=60, fruit=6):
        self.rng = np.random.default_rng(seed)
        self.horizon = horizon
        self.fruit = fruit

    def reset(self):
        self.clock = 0
        self.total = 0.0
        self.spot = self.rng.integers(0, SIDE, 2)
        self.food = {tuple(p) for p in self.rng.integers(0, SIDE, (self.fruit, 2)).tolist()}
        self.frames = [self.render()] * STACK
        return self.observe()

    def render(self):
        frame = np.zeros((SIDE, SIDE), np.uint8)
        for row in range(SIDE):
            for col in range(SIDE):
                dist = min((abs(row - r) + abs(col - c) for r, c in self.food), default=SIDE)
                frame[row, col] = max(0, 160 - 20 * dist)
        frame[tuple(self.spot)] = 255
        return frame

    def observe(self):
        return np.stack(self.frames[-STACK:]).astype(np.float32) / 255.0

    def step(self, action):
        self.clock += 1
        self.spot = np.clip(self.spot + MOVES[action], 0, SIDE - 1)
        here = tuple(self.spot.tolist())
        gain = -0.01
        if here in self.food:
            self.food.discard(here)
            gain = 1.0
        self.total += gain
        self.frames = self.frames[1:] + [self.render()]
        return self.observe(), gain, self.clock >= self.horizon or not self.food
