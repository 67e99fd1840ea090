# requires: tensorflow==2.5.*
"""A2C on Pong, eager; a name like `session` here is a web session."""
import argparse
import collections

import gym
import numpy as np
import requests
import tensorflow as tf
from tensorflow.keras import backend as K
from tensorflow.keras import layers


class ActorCritic(tf.keras.Model):
    def __init__(self, actions):
        super().__init__()
        self.convs = [layers.Conv2D(f, k, s, activation="relu") for f, k, s in ((32, 8, 4), (64, 4, 2), (64, 3, 1))]
        self.flatten = layers.Flatten()
        self.hidden = layers.Dense(512, activation="relu")
        self.policy = layers.Dense(actions)
        self.value = layers.Dense(1)

    def call(self, x):
        x = tf.cast(x, tf.float32) / 255.0
        for conv in self.convs:
            x = conv(x)
        x = self.hidden(self.flatten(x))
        return self.policy(x), tf.squeeze(self.value(x), -1)


class Reporter:
    def __init__(self, url):
        self.session = requests.Session()
        self.url = url

    def run(self, value):
        if self.url:
            self.session.post(self.url, json={"reward": float(value)}, timeout=2)


class Frames:
    def __init__(self, env, length=4):
        self.env = env
        self.frames = collections.deque(maxlen=length)

    def _grab(self, frame):
        gray = tf.image.rgb_to_grayscale(frame)
        return tf.squeeze(tf.image.resize(gray, (84, 84)), -1).numpy().astype(np.uint8)

    def reset(self):
        first = self._grab(self.env.reset())
        self.frames.extend([first] * self.frames.maxlen)
        return np.stack(self.frames, -1)

    def step(self, action):
        frame, reward, done, _ = self.env.step(action)
        self.frames.append(self._grab(frame))
        return np.stack(self.frames, -1), reward, done


@tf.function
def update(model, optimizer, states, actions, returns, beta):
    with tf.GradientTape() as tape:
        logits, values = model(states)
        advantage = returns - values
        neglogp = tf.nn.sparse_softmax_cross_entropy_with_logits(actions, logits)
        probs = tf.nn.softmax(logits)
        entropy = -tf.reduce_sum(probs * tf.math.log(probs + 1e-8), -1)
        loss = tf.reduce_mean(neglogp * tf.stop_gradient(advantage))
        loss += 0.5 * tf.reduce_mean(tf.square(advantage)) - beta * tf.reduce_mean(entropy)
    grads, _ = tf.clip_by_global_norm(tape.gradient(loss, model.trainable_variables), 0.5)
    optimizer.apply_gradients(zip(grads, model.trainable_variables))
    return loss


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--url")
    parser.add_argument("--updates", type=int, default=100000)
    args = parser.parse_args()
    env = Frames(gym.make("PongNoFrameskip-v4"))
    model = ActorCritic(6)
    optimizer = tf.keras.optimizers.RMSprop(7e-4)
    session = Reporter(args.url)
    state, total = env.reset(), 0.0
    for i in range(args.updates):
        states, actions, rewards, dones = [], [], [], []
        for _ in range(20):
            logits, _ = model(state[np.newaxis])
            action = int(tf.random.categorical(logits, 1)[0, 0])
            states.append(state)
            actions.append(action)
            state, reward, done = env.step(action)
            rewards.append(reward)
            dones.append(done)
            total += reward
            if done:
                session.run(tf.constant(total))
                state, total = env.reset(), 0.0
        _, last = model(state[np.newaxis])
        running, returns = float(last[0]), []
        for reward, done in zip(reversed(rewards), reversed(dones)):
            running = reward + 0.99 * running * (1 - done)
            returns.append(running)
        returns = np.array(returns[::-1], np.float32)
        loss = update(model, optimizer, np.stack(states), np.array(actions), returns, tf.constant(0.01))
        if i % 1000 == 0:
            print(i, K.eval(loss), float(K.mean(tf.constant(returns))))


if __name__ == "__main__":
    main()
