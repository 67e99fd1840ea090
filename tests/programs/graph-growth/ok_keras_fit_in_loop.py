# requires: tensorflow==1.15.0
"""DQN; train_on_batch and predict build their functions once."""
import random
from collections import deque

import numpy as np
from tensorflow.keras import backend as K
from tensorflow.keras.layers import Dense
from tensorflow.keras.models import Sequential
from tensorflow.keras.optimizers import Adam


def network(states, actions):
    model = Sequential([Dense(24, activation="relu", input_dim=states), Dense(actions)])
    model.compile(loss="mse", optimizer=Adam(lr=0.001))
    return model


def train(env, episodes=500):
    model = network(4, 2)
    memory = deque(maxlen=2000)
    for episode in range(episodes):
        state, done = env.reset(), False
        while not done:
            action = int(np.argmax(model.predict(state[None])[0]))
            following, reward, done, _ = env.step(action)
            memory.append((state, action, reward, following, done))
            state = following
        for state, action, reward, following, done in random.sample(list(memory), 32):
            target = model.predict(state[None])
            target[0][action] = reward
            model.train_on_batch(state[None], target)
        K.set_value(model.optimizer.lr, 0.001 * 0.99**episode)
