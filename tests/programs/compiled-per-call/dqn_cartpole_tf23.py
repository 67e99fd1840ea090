# requires: tensorflow==2.3.*, gym==0.17.*
"""DQN for CartPole, homework 3 of the reinforcement learning course."""
import argparse
import random
from collections import deque

import gym
import numpy as np
import tensorflow as tf


def build_q_network(n_obs, n_actions, hidden=(64, 64)):
    model = tf.keras.Sequential()
    model.add(tf.keras.layers.Input(shape=(n_obs,)))
    for units in hidden:
        model.add(tf.keras.layers.Dense(units, activation="relu"))
    model.add(tf.keras.layers.Dense(n_actions))
    return model


class ReplayBuffer:
    def __init__(self, capacity):
        self.buffer = deque(maxlen=capacity)

    def push(self, *transition):
        self.buffer.append(transition)

    def sample(self, n):
        batch = random.sample(self.buffer, n)
        s, a, r, s2, d = map(np.array, zip(*batch))
        return (
            s.astype(np.float32),
            a.astype(np.int32),
            r.astype(np.float32),
            s2.astype(np.float32),
            d.astype(np.float32),
        )

    def __len__(self):
        return len(self.buffer)


class DQNAgent:
    def __init__(self, n_obs, n_actions, args):
        self.args = args
        self.n_actions = n_actions
        self.online = build_q_network(n_obs, n_actions)
        self.target = build_q_network(n_obs, n_actions)
        self.sync()
        self.optimizer = tf.keras.optimizers.Adam(args.lr)
        self.loss = tf.keras.losses.Huber()
        self.memory = ReplayBuffer(args.capacity)
        self.epsilon = 1.0

    def sync(self):
        self.target.set_weights(self.online.get_weights())

    def act(self, state):
        if random.random() < self.epsilon:
            return random.randrange(self.n_actions)
        q = self.online(state[None].astype(np.float32))
        return int(tf.argmax(q[0]))

    def learn(self):
        if len(self.memory) < self.args.warmup:
            return None

        @tf.function  # finding: compiled-per-call
        def update(states, actions, rewards, next_states, dones):
            best = tf.reduce_max(self.target(next_states), axis=1)
            y = rewards + self.args.gamma * (1.0 - dones) * best
            with tf.GradientTape() as tape:
                q = self.online(states, training=True)
                chosen = tf.reduce_sum(q * tf.one_hot(actions, self.n_actions), axis=1)
                loss = self.loss(y, chosen)
            grads = tape.gradient(loss, self.online.trainable_variables)
            self.optimizer.apply_gradients(zip(grads, self.online.trainable_variables))
            return loss

        batch = [tf.constant(part) for part in self.memory.sample(self.args.batch_size)]
        loss = update(*batch)
        self.epsilon = max(self.args.min_epsilon, self.epsilon * self.args.decay)
        return loss


def parse_args():
    p = argparse.ArgumentParser()
    p.add_argument("--episodes", type=int, default=400)
    p.add_argument("--lr", type=float, default=5e-4)
    p.add_argument("--gamma", type=float, default=0.99)
    p.add_argument("--batch-size", type=int, default=64)
    p.add_argument("--capacity", type=int, default=50000)
    p.add_argument("--warmup", type=int, default=500)
    p.add_argument("--decay", type=float, default=0.999)
    p.add_argument("--min-epsilon", type=float, default=0.02)
    p.add_argument("--sync-every", type=int, default=500)
    return p.parse_args()


def main():
    args = parse_args()
    env = gym.make("CartPole-v1")
    agent = DQNAgent(env.observation_space.shape[0], env.action_space.n, args)
    step = 0
    returns = deque(maxlen=20)
    for episode in range(args.episodes):
        state, done, total = env.reset(), False, 0.0
        while not done:
            action = agent.act(state)
            nxt, reward, done, _ = env.step(action)
            agent.memory.push(state, action, reward, nxt, done)
            state = nxt
            total += reward
            agent.learn()
            step += 1
            if step % args.sync_every == 0:
                agent.sync()
        returns.append(total)
        if episode % 10 == 0:
            print("episode %d mean return %.1f eps %.2f" % (episode, np.mean(returns), agent.epsilon))


if __name__ == "__main__":
    main()
