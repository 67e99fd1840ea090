# requires: tensorflow==1.4.*
"""REINFORCE; the policy class opens a session when it is asked for an action."""
import gym
import numpy as np
import tensorflow as tf


class Policy(object):
    def __init__(self, n_in, n_out, folder):
        self.folder = folder
        self.graph = tf.Graph()
        with self.graph.as_default():
            self.state = tf.placeholder(tf.float32, [None, n_in])
            self.action = tf.placeholder(tf.int32, [None])
            self.gain = tf.placeholder(tf.float32, [None])
            h = tf.layers.dense(self.state, 64, tf.nn.tanh)
            logits = tf.layers.dense(h, n_out)
            self.probs = tf.nn.softmax(logits)
            nll = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=self.action, logits=logits)
            self.train_op = tf.train.AdamOptimizer(1e-2).minimize(tf.reduce_mean(nll * self.gain))
            self.init = tf.global_variables_initializer()
            self.saver = tf.train.Saver()
        with tf.Session(graph=self.graph) as sess:
            sess.run(self.init)
            self.saver.save(sess, folder + "/policy")

    def probabilities(self, state):
        with tf.Session(graph=self.graph) as sess:  # finding: session-per-step
            self.saver.restore(sess, self.folder + "/policy")
            return sess.run(self.probs, {self.state: state[None]})[0]

    def update(self, states, actions, gains):
        with tf.Session(graph=self.graph) as sess:  # finding: session-per-step
            self.saver.restore(sess, self.folder + "/policy")
            sess.run(self.train_op, {self.state: states, self.action: actions, self.gain: gains})
            self.saver.save(sess, self.folder + "/policy")


def discounted(rewards, gamma=0.99):
    out, total = np.zeros(len(rewards)), 0.0
    for i in reversed(range(len(rewards))):
        total = rewards[i] + gamma * total
        out[i] = total
    return (out - out.mean()) / (out.std() + 1e-8)


def episode(env, policy, limit=500):
    s, states, actions, rewards = env.reset(), [], [], []
    for _ in range(limit):
        p = policy.probabilities(s)
        a = np.random.choice(len(p), p=p)
        states.append(s)
        actions.append(a)
        s, r, done, _ = env.step(a)
        rewards.append(r)
        if done:
            break
    return np.array(states), np.array(actions), np.array(rewards)


def main():
    env = gym.make("CartPole-v1")
    policy = Policy(env.observation_space.shape[0], env.action_space.n, "/tmp/reinforce")
    for i in range(500):
        states, actions, rewards = episode(env, policy)
        policy.update(states, actions, discounted(rewards))
        if i % 10 == 0:
            print(i, rewards.sum())


if __name__ == "__main__":
    main()
