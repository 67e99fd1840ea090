"""Double DQN with a target network."""
import collections
import random

import gym
import numpy as np
import tensorflow as tf

Transition = collections.namedtuple("Transition", "state action reward after done")


class Network:
    def __init__(self, scope, size, actions):
        self.scope = scope
        with tf.variable_scope(scope):
            self.state = tf.placeholder(tf.float32, [None, size])
            hidden = tf.layers.dense(self.state, 64, tf.nn.relu)
            hidden = tf.layers.dense(hidden, 64, tf.nn.relu)
            self.q = tf.layers.dense(hidden, actions)

    @property
    def variables(self):
        return tf.get_collection(tf.GraphKeys.GLOBAL_VARIABLES, self.scope)


class Agent:
    def __init__(self, size, actions, gamma=0.99):
        self.gamma, self.actions = gamma, actions
        self.online = Network("online", size, actions)
        self.target = Network("target", size, actions)
        self.action = tf.placeholder(tf.int32, [None])
        self.goal = tf.placeholder(tf.float32, [None])
        chosen = tf.reduce_sum(self.online.q * tf.one_hot(self.action, actions), 1)
        self.loss = tf.reduce_mean(tf.square(self.goal - chosen))
        self.train = tf.train.AdamOptimizer(1e-3).minimize(self.loss, var_list=self.online.variables)
        self.session = tf.Session()
        self.session.run(tf.global_variables_initializer())
        self.replay = collections.deque(maxlen=50000)
        self.soft = [
            t.assign(0.01 * o + 0.99 * t) for o, t in zip(self.online.variables, self.target.variables)
        ]

    def hard_sync(self):
        for o, t in zip(self.online.variables, self.target.variables):
            self.session.run(tf.assign(t, o))  # finding: graph-growth

    def soft_sync(self):
        self.session.run(self.soft)

    def act(self, state, epsilon):
        if random.random() < epsilon:
            return random.randrange(self.actions)
        best = tf.argmax(self.online.q, axis=1)  # finding: graph-growth
        return int(self.session.run(best, {self.online.state: state[None]})[0])

    def learn(self, count):
        rows = random.sample(self.replay, count)
        batch = Transition(*map(np.array, zip(*rows)))
        after = self.session.run(self.target.q, {self.target.state: batch.after})
        goal = batch.reward + self.gamma * (1 - batch.done) * after.max(1)
        feed = {self.online.state: batch.state, self.action: batch.action, self.goal: goal}
        loss, _ = self.session.run([self.loss, self.train], feed)
        return loss

    def save(self, path):
        tf.train.Saver().save(self.session, path)  # finding: graph-growth


def play(agent, env, epsilon):
    state, total, done = env.reset(), 0.0, False
    while not done:
        action = agent.act(state, epsilon)
        after, reward, done, _ = env.step(action)
        agent.replay.append(Transition(state, action, reward, after, float(done)))
        state, total = after, total + reward
        if len(agent.replay) > 1000:
            agent.learn(64)
            agent.soft_sync()
    return total


def main():
    env = gym.make("CartPole-v1")
    agent = Agent(env.observation_space.shape[0], env.action_space.n)
    best = -np.inf
    for episode in range(2000):
        score = play(agent, env, max(0.02, 1 - episode / 500))
        if episode % 20 == 0:
            agent.hard_sync()
        if score > best:
            best = score
            agent.save("best/model")
        print(episode, score)


if __name__ == "__main__":
    main()
