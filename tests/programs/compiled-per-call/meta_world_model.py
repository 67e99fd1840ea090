"""World model with imagination rollouts: TF 2, eager outer loop."""
import collections

import numpy as np
import tensorflow as tf

Step = collections.namedtuple("Step", ["obs", "action", "reward"])


class WorldModel(tf.keras.Model):
    def __init__(self, obs_dim, hidden=200):
        super().__init__()
        self.cell = tf.keras.layers.GRUCell(hidden)
        self.out = tf.keras.layers.Dense(obs_dim + 1)

    def call(self, inputs, state):
        h, state = self.cell(inputs, state)
        return self.out(h), state


class Planner:
    def __init__(self, model, act_dim, horizon=12, candidates=500):
        self.model, self.act_dim = model, act_dim
        self.horizon, self.candidates = horizon, candidates

    def plan(self, obs, state):
        @tf.function(experimental_relax_shapes=True)  # finding: compiled-per-call
        def imagine(obs, state, actions):
            total = tf.zeros([tf.shape(actions)[0]])
            for t in range(self.horizon):
                out, state = self.model(tf.concat([obs, actions[:, t]], -1), state)
                obs, total = out[:, :-1], total + out[:, -1]
            return total

        actions = tf.random.uniform([self.candidates, self.horizon, self.act_dim], -1, 1)
        returns = imagine(tf.repeat(obs[None], self.candidates, 0), tf.repeat(state, self.candidates, 0), actions)
        return actions[tf.argmax(returns), 0]


def train_model(model, opt, episodes):
    losses = []
    for episode in episodes:
        with tf.GradientTape() as tape:
            state, loss = tf.zeros([1, 200]), 0.0
            for now, nxt in zip(episode, episode[1:]):
                out, state = model(tf.concat([now.obs, now.action], -1)[None], [state])
                state = state[0]
                loss += tf.reduce_sum((out[0] - tf.concat([nxt.obs, [now.reward]], -1)) ** 2)
        opt.apply_gradients(zip(tape.gradient(loss, model.trainable_variables), model.trainable_variables))
        losses.append(float(loss))
    return np.mean(losses)


def run(env, model, act_dim, episodes=300):
    planner, opt, memory = Planner(model, act_dim), tf.keras.optimizers.Adam(1e-3), []
    for number in range(episodes):
        obs, done, steps = env.reset(), False, []
        while not done:
            action = planner.plan(tf.constant(obs, tf.float32), tf.zeros([1, 200])).numpy()
            nxt, reward, done, _ = env.step(action)
            steps.append(Step(np.float32(obs), np.float32(action), np.float32(reward)))
            obs = nxt
        memory.append(steps)
        print(number, sum(s.reward for s in steps), train_model(model, opt, memory[-10:]))
