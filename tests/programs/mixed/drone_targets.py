# requires: tensorflow==1.13.1
"""Deep deterministic policy gradients for a drone, on tf.keras and sessions."""
import random

import numpy as np
import tensorflow as tf
from tensorflow.keras import backend as K
from tensorflow.keras.layers import Concatenate, Dense, Input
from tensorflow.keras.models import Model, load_model
from tensorflow.keras.optimizers import Adam

SESSION = tf.Session()
K.set_session(SESSION)


class Noise:
    """Each value comes from the one before."""

    def __init__(self, size, theta=0.15, sigma=0.2):
        self.state = np.zeros(size)
        self.theta, self.sigma = theta, sigma

    def __call__(self):
        self.state += -self.theta * self.state + self.sigma * np.random.randn(*self.state.shape)
        return self.state


class Critic:
    def __init__(self, states, actions, tau):
        self.tau = tau
        self.model = self.build(states, actions)
        self.target = self.build(states, actions)
        self.target.set_weights(self.model.get_weights())

    def build(self, states, actions):
        s, a = Input((states,)), Input((actions,))
        x = Dense(256, activation="relu")(Concatenate()([s, a]))
        x = Dense(128, activation="relu")(x)
        model = Model([s, a], Dense(1)(x))
        model.compile(Adam(1e-3), "mse")
        return model

    def soften(self):
        for own, goal in zip(self.model.weights, self.target.weights):
            mixed = self.tau * K.get_value(own) + (1 - self.tau) * K.get_value(goal)
            K.set_value(goal, mixed)  # finding: load-per-variable


class Actor:
    def __init__(self, states, actions, tau):
        self.tau = tau
        self.model, self.target = self.build(states, actions), self.build(states, actions)

    def build(self, states, actions):
        s = Input((states,))
        x = Dense(128, activation="relu")(s)
        model = Model(s, Dense(actions, activation="tanh")(x))
        model.compile(Adam(1e-4), "mse")
        return model

    def soften(self):
        pairs = zip(self.model.get_weights(), self.target.get_weights())
        self.target.set_weights([self.tau * own + (1 - self.tau) * goal for own, goal in pairs])

    def __call__(self, state):
        return self.model.predict(state[np.newaxis])[0]  # finding: predict-per-item


def remember(memory, limit, *step):
    memory.append(step)
    if len(memory) > limit:
        memory.pop(0)


def learn(actor, critic, memory, size):
    batch = random.sample(memory, size)
    states, actions, rewards, afters, dones = (np.array(column) for column in zip(*batch))
    wanted = actor.target.predict_on_batch(afters)
    goals = rewards[:, None] + 0.99 * (1 - dones[:, None]) * critic.target.predict_on_batch([afters, wanted])
    critic.model.train_on_batch([states, actions], goals)
    critic.soften()
    actor.soften()


def fly(env, actor, noise, memory, critic):
    total, state, done = 0.0, env.reset(), False
    while not done:
        action = np.clip(actor(state) + noise(), -1, 1)
        after, reward, done = env.step(action)
        remember(memory, 100_000, state, action, reward, after, float(done))
        if len(memory) > 1_000:
            learn(actor, critic, memory, 64)
        state = after
        total += reward
    return total


def show(path, states):
    """The policy of a few saved states."""
    policy = load_model(path)
    for state in states[:4]:
        print(policy.predict(state[None])[0].round(2))


def main(env, episodes=1_000):
    actor = Actor(env.state_size, env.action_size, 0.01)
    critic = Critic(env.state_size, env.action_size, 0.01)
    noise, memory = Noise(env.action_size), []
    for episode in range(episodes):
        total = fly(env, actor, noise, memory, critic)
        if episode % 50 == 0:
            actor.model.save("actor-%d.h5" % episode)
            print(episode, total)
    show("actor-0.h5", [step[0] for step in memory])
