# requires: tensorflow==1.13.1
import numpy as np
import tensorflow as tf


class Agent:
    def __init__(self, states, actions):
        self.actions = actions
        self.graph = tf.Graph()
        with self.graph.as_default():
            self.state = tf.placeholder(tf.float32, [None, states])
            self.q = tf.layers.dense(self.state, actions)
            self.saver = tf.train.Saver()

    def act(self, state, epsilon):
        if np.random.rand() < epsilon:
            return np.random.randint(self.actions)
        with tf.Session(graph=self.graph) as session:  # finding: session-per-step
            self.saver.restore(session, "agent/q")
            values = session.run(self.q, {self.state: state[None]})
        return int(values.argmax())


def play(env, agent, episodes):
    for _ in range(episodes):
        state, done = env.reset(), False
        while not done:
            state, _, done, _ = env.step(agent.act(state, 0.05))


if __name__ == "__main__":
    import gym

    play(gym.make("LunarLander-v2"), Agent(8, 4), 100)
