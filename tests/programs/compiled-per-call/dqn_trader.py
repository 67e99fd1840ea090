# requires: tensorflow==2.9.*
"""A DQN agent that trades one stock. Based on my blog post, part 3: "faster with tf.function"."""
import collections
import csv
import random
from dataclasses import dataclass

import numpy as np
import tensorflow as tf
from tensorflow.keras import Sequential
from tensorflow.keras.layers import Dense, Input
from tensorflow.keras.losses import Huber
from tensorflow.keras.optimizers import Adam

Transition = collections.namedtuple("Transition", "state action reward next_state done")


@dataclass
class Config:
    window: int = 30
    actions: int = 3
    gamma: float = 0.97
    lr: float = 5e-4
    batch_size: int = 64
    memory: int = 50_000
    sync_every: int = 500
    episodes: int = 200
    eps_decay: float = 0.9995


class MarketEnv:
    def __init__(self, prices, window):
        self.prices, self.window = np.asarray(prices, "float32"), window

    def reset(self):
        self.t, self.cash, self.shares = self.window, 1000.0, 0
        return self._state()

    def _state(self):
        seen = self.prices[self.t - self.window : self.t]
        return np.diff(np.log(seen), prepend=np.log(seen[0]))

    def step(self, action):
        before = self.cash + self.shares * self.prices[self.t]
        if action == 1 and self.cash >= self.prices[self.t]:
            self.cash -= self.prices[self.t]
            self.shares += 1
        elif action == 2 and self.shares:
            self.cash += self.prices[self.t]
            self.shares -= 1
        self.t += 1
        after = self.cash + self.shares * self.prices[self.t]
        return self._state(), after - before, self.t >= len(self.prices) - 2


class Agent:
    def __init__(self, config):
        self.config = config
        self.q = self._net()
        self.target = self._net()
        self.target.set_weights(self.q.get_weights())
        self.optimizer = Adam(config.lr)
        self.loss = Huber()
        self.memory = collections.deque(maxlen=config.memory)
        self.epsilon = 1.0
        self._policy = None
        self.updates = 0

    def _net(self):
        config = self.config
        return Sequential(
            [
                Input((config.window,)),
                Dense(128, activation="relu"),
                Dense(64, activation="relu"),
                Dense(config.actions),
            ]
        )

    def act(self, state):
        if random.random() < self.epsilon:
            return random.randrange(self.config.actions)
        if self._policy is None:
            self._policy = tf.function(lambda s: tf.argmax(self.q(s), axis=1))
        return int(self._policy(state[None])[0])

    def remember(self, *transition):
        self.memory.append(Transition(*transition))

    def replay(self):
        if len(self.memory) < self.config.batch_size:
            return None
        batch = Transition(*zip(*random.sample(self.memory, self.config.batch_size)))

        @tf.function  # finding: compiled-per-call
        def update(states, actions, rewards, next_states, dones):
            future = tf.reduce_max(self.target(next_states), axis=1)
            wanted = rewards + self.config.gamma * future * (1.0 - dones)
            with tf.GradientTape() as tape:
                q = self.q(states)
                taken = tf.reduce_sum(q * tf.one_hot(actions, self.config.actions), axis=1)
                loss = self.loss(wanted, taken)
            grads = tape.gradient(loss, self.q.trainable_variables)
            self.optimizer.apply_gradients(zip(grads, self.q.trainable_variables))
            return loss

        loss = update(
            tf.constant(np.stack(batch.state), tf.float32),
            tf.constant(batch.action),
            tf.constant(batch.reward, tf.float32),
            tf.constant(np.stack(batch.next_state), tf.float32),
            tf.constant(batch.done, tf.float32),
        )
        self.updates += 1
        self.epsilon = max(0.02, self.epsilon * self.config.eps_decay)
        if self.updates % self.config.sync_every == 0:
            self.target.set_weights(self.q.get_weights())
        return float(loss)


def read_prices(path):
    with open(path) as f:
        return [float(row["Close"]) for row in csv.DictReader(f)]


def main(path="data/GOOG.csv"):
    config = Config()
    env, agent = MarketEnv(read_prices(path), config.window), Agent(config)
    for episode in range(config.episodes):
        state, done, total = env.reset(), False, 0.0
        while not done:
            action = agent.act(state)
            next_state, reward, done = env.step(action)
            agent.remember(state, action, reward, next_state, float(done))
            agent.replay()
            state, total = next_state, total + reward
        print(f"episode {episode}: profit {total:.2f}, epsilon {agent.epsilon:.3f}")
    agent.q.save("dqn_trader.h5")


if __name__ == "__main__":
    main()
