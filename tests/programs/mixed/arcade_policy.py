# requires: tensorflow==1.12.0
"""Policy gradient for an arcade game, after a blog post."""
import argparse
import collections

import gym
import numpy as np
import tensorflow as tf

Rollout = collections.namedtuple("Rollout", "states actions rewards")


def discounted(rewards, gamma=0.99):
    out, running = np.zeros(len(rewards), np.float32), 0.0
    for t in reversed(range(len(rewards))):
        running = rewards[t] + gamma * running
        out[t] = running
    return out


class Policy:
    def __init__(self, size, actions, sess):
        self.sess = sess
        self.states = tf.placeholder(tf.float32, [None, size], "states")
        self.actions = tf.placeholder(tf.int32, [None], "actions")
        self.returns = tf.placeholder(tf.float32, [None], "returns")
        hidden = tf.layers.dense(self.states, 64, tf.tanh)
        self.logits = tf.layers.dense(hidden, actions)
        self.sample = tf.squeeze(tf.multinomial(self.logits, 1), 1)
        loss = tf.nn.sparse_softmax_cross_entropy_with_logits(
            labels=self.actions, logits=self.logits)
        self.loss = tf.reduce_mean(loss * self.returns)
        self.train = tf.train.AdamOptimizer(1e-3).minimize(self.loss)

    def act(self, state):
        return self.sess.run(self.sample, {self.states: state[None]})[0]

    def greedy(self, state):
        best = tf.argmax(self.logits, axis=1)  # finding: graph-growth
        return best.eval({self.states: state[None]}, session=self.sess)[0]


def rollout(env, choose):
    states, actions, rewards = [], [], []
    state, done = env.reset(), False
    while not done:
        action = choose(state)
        states.append(state)
        actions.append(action)
        state, reward, done, _ = env.step(action)
        rewards.append(reward)
    return Rollout(np.array(states), actions, rewards)


def normalize(sess, values):
    mean, variance = tf.nn.moments(tf.constant(values), axes=[0])  # finding: graph-growth
    return sess.run((values - mean) / tf.sqrt(variance + 1e-6))  # finding: graph-growth


def train(env, policy, episodes, writer):
    for episode in range(episodes):
        run = rollout(env, policy.act)
        returns = normalize(policy.sess, discounted(run.rewards))
        policy.sess.run(policy.train, {
            policy.states: run.states, policy.actions: run.actions, policy.returns: returns})
        summary = tf.Summary()
        summary.value.add(tag="reward", simple_value=sum(run.rewards))
        writer.add_summary(summary, episode)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--game", default="CartPole-v0")
    parser.add_argument("--episodes", type=int, default=2000)
    args = parser.parse_args()
    env = gym.make(args.game)
    with tf.Session() as sess:
        policy = Policy(env.observation_space.shape[0], env.action_space.n, sess)
        sess.run(tf.global_variables_initializer())
        train(env, policy, args.episodes, tf.summary.FileWriter("logs", sess.graph))
        print(sum(rollout(env, policy.greedy).rewards))


if __name__ == "__main__":
    main()
