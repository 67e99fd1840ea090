# requires: tensorflow==1.13.*
"""Evolution strategy on a policy: weights are written into the graph for each candidate."""
import argparse

import gym
import numpy as np
import tensorflow as tf


class Policy:
    def __init__(self, observations, actions, hidden=16):
        self.observation = tf.placeholder(tf.float32, [None, observations])
        h = tf.layers.dense(self.observation, hidden, tf.nn.tanh)
        self.action = tf.layers.dense(h, actions, tf.nn.tanh)
        self.variables = tf.trainable_variables()
        self.shapes = [v.shape.as_list() for v in self.variables]
        self.size = sum(int(np.prod(s)) for s in self.shapes)

    def split(self, flat):
        start = 0
        for shape in self.shapes:
            count = int(np.prod(shape))
            yield flat[start:start + count].reshape(shape)
            start += count

    def set_weights(self, sess, flat):
        for variable, value in zip(self.variables, self.split(flat)):
            sess.run(tf.assign(variable, value))  # finding: graph-growth

    def act(self, sess, observation):
        return sess.run(self.action, {self.observation: observation[None]})[0]


def rollout(sess, env, policy, limit=1000):
    total, observation = 0.0, env.reset()
    for _ in range(limit):
        observation, reward, done, _ = env.step(policy.act(sess, observation))
        total += reward
        if done:
            break
    return total


class Strategy:
    def __init__(self, size, population=64, sigma=0.1, rate=0.02):
        self.mean = np.zeros(size)
        self.population, self.sigma, self.rate = population, sigma, rate

    def ask(self):
        self.noise = np.random.randn(self.population, len(self.mean))
        return self.mean + self.sigma * self.noise

    def tell(self, rewards):
        ranks = np.argsort(np.argsort(rewards)) / (len(rewards) - 1) - 0.5
        self.mean += self.rate / (self.population * self.sigma) * self.noise.T.dot(ranks)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--env", default="BipedalWalker-v2")
    parser.add_argument("--generations", type=int, default=500)
    args = parser.parse_args()
    env = gym.make(args.env)
    policy = Policy(env.observation_space.shape[0], env.action_space.shape[0])
    strategy = Strategy(policy.size)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        for generation in range(args.generations):
            rewards = []
            for candidate in strategy.ask():
                policy.set_weights(sess, candidate)
                rewards.append(rollout(sess, env, policy))
            strategy.tell(np.array(rewards))
            print(generation, np.mean(rewards), np.max(rewards))


if __name__ == "__main__":
    main()
