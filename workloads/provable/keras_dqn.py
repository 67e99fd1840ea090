"""Deep Q-learning on a walk to a goal, as tutorials with Keras write it."""

import random
from collections import deque

import keras
import numpy as np

keras.utils.set_random_seed(3)


class Walk:
    """A walker on a line gets a reward at its right end."""

    size = 8

    def reset(self):
        self.place, self.steps = self.size // 2, 0
        return self.state()

    def state(self):
        return np.eye(self.size, dtype="float32")[self.place]

    def step(self, action):
        self.place = min(self.size - 1, max(0, self.place + (1 if action else -1)))
        self.steps += 1
        done = self.place in (0, self.size - 1) or self.steps >= 20
        return self.state(), float(self.place == self.size - 1), done


class Agent:
    def __init__(self, state_size, action_size):
        self.state_size, self.action_size = state_size, action_size
        self.memory = deque(maxlen=200)
        self.gamma, self.epsilon = 0.9, 0.5
        self.model = keras.Sequential(
            [
                keras.Input((state_size,)),
                keras.layers.Dense(24, activation="relu"),
                keras.layers.Dense(action_size),
            ]
        )
        self.model.compile(loss="mse", optimizer=keras.optimizers.Adam(0.01))

    def act(self, state):
        if random.random() <= self.epsilon:
            return random.randrange(self.action_size)
        return int(np.argmax(self.model.predict(state, verbose=0)[0]))

    def replay(self, batch_size):
        for state, action, reward, next_state, done in random.sample(self.memory, batch_size):
            target = reward
            if not done:
                target += self.gamma * np.amax(self.model.predict(next_state, verbose=0)[0])
            target_f = self.model.predict(state, verbose=0)
            target_f[0][action] = target
            self.model.fit(state, target_f, epochs=1, verbose=0)


def main():
    env = Walk()
    agent = Agent(env.size, 2)
    for episode in range(3):
        state = env.reset().reshape(1, -1)
        total, done = 0.0, False
        while not done:
            action = agent.act(state)
            next_state, reward, done = env.step(action)
            next_state = next_state.reshape(1, -1)
            agent.memory.append((state, action, reward, next_state, done))
            state, total = next_state, total + reward
        if len(agent.memory) >= 8:
            agent.replay(8)
        print(f"episode: {episode}, score: {total}, steps: {env.steps}")
    print("values", agent.model.predict(np.eye(env.size), verbose=0).max(1).round(3))


if __name__ == "__main__":
    main()
