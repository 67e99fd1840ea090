# requires: tensorflow==2.12
import random
from collections import deque

import gym
import numpy as np
import tensorflow as tf
from tensorflow.keras import layers, models, optimizers


class Agent:
    """Deep Q-learning as in so many tutorials."""

    def __init__(self, n_states, n_actions):
        self.n_states = n_states
        self.n_actions = n_actions
        self.memory = deque(maxlen=20000)
        self.gamma = 0.97
        self.epsilon = 1.0
        self.model = self._build()
        self.target = self._build()
        self.sync()

    def _build(self):
        model = models.Sequential()
        model.add(layers.Input((self.n_states,)))
        model.add(layers.Dense(64, activation="relu"))
        model.add(layers.Dense(64, activation="relu"))
        model.add(layers.Dense(self.n_actions, activation="linear"))
        model.compile(loss="mse", optimizer=optimizers.Adam(1e-3))
        return model

    def sync(self):
        self.target.set_weights(self.model.get_weights())

    def one_hot(self, state):
        row = np.zeros((1, self.n_states), dtype="float32")
        row[0, state] = 1.0
        return row

    def act(self, state):
        if random.random() < self.epsilon:
            return random.randrange(self.n_actions)
        q = self.model.predict(self.one_hot(state), verbose=0)  # finding: predict-per-item
        return int(np.argmax(q[0]))

    def replay(self, size):
        batch = random.sample(self.memory, size)
        xs, ys = [], []
        for state, action, reward, after, done in batch:
            goal = self.model.predict(self.one_hot(state), verbose=0)[0]  # finding: predict-per-item
            if done:
                goal[action] = reward
            else:
                best = np.max(self.target.predict(self.one_hot(after), verbose=0))  # finding: predict-per-item
                goal[action] = reward + self.gamma * best
            xs.append(self.one_hot(state)[0])
            ys.append(goal)
        self.model.fit(np.array(xs), np.array(ys), epochs=1, verbose=0)

    def greedy_table(self):
        """The policy of all states at once, printed when training is over."""
        q = self.model.predict(np.eye(self.n_states, dtype="float32"), batch_size=512)
        return q.argmax(axis=1)


def discounted(rewards, gamma):
    out = np.zeros(len(rewards))
    running = 0.0
    for t in reversed(range(len(rewards))):
        running = rewards[t] + gamma * running
        out[t] = running
    return out


def run(episodes=3000):
    env = gym.make("Taxi-v3")
    agent = Agent(env.observation_space.n, env.action_space.n)
    history = []
    for episode in range(episodes):
        state, _ = env.reset()
        rewards = []
        for _ in range(200):
            action = agent.act(state)
            after, reward, done, _, _ = env.step(action)
            agent.memory.append((state, action, reward, after, done))
            rewards.append(reward)
            state = after
            if done:
                break
        if len(agent.memory) > 1000:
            agent.replay(64)
        if episode % 20 == 0:
            agent.sync()
        agent.epsilon = max(0.05, agent.epsilon * 0.995)
        history.append(discounted(rewards, agent.gamma)[0])
    print(agent.greedy_table())
    return history


if __name__ == "__main__":
    tf.random.set_seed(7)
    run()
