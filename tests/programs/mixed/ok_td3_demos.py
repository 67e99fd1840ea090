# requires: tensorflow==2.3
import collections
import glob
import sys

import gym
import numpy as np
import tensorflow as tf
from tensorflow import keras

PAR = {"num_parallel_calls": tf.data.experimental.AUTOTUNE}


def mlp(n_in, n_out, act=None):
    return keras.Sequential([keras.layers.Dense(256, "relu", input_shape=(n_in,)),
                             keras.layers.Dense(256, "relu"), keras.layers.Dense(n_out, act)])


def demo_batches(pattern, n_obs, n_act, batch):
    width = 2 * n_obs + n_act + 2

    def decode(line):
        row = tf.io.decode_raw(tf.io.decode_base64(line), tf.float32)
        return tf.ensure_shape(row, [width])

    def split(rows):
        return tf.split(rows, [n_obs, n_act, 1, n_obs, 1], 1)

    files = tf.data.Dataset.from_tensor_slices(sorted(glob.glob(pattern)))
    ds = files.interleave(lambda f: tf.data.TextLineDataset(f, "GZIP"), cycle_length=4, **PAR)
    ds = ds.map(decode, **PAR).cache().shuffle(50000).repeat()
    return ds.batch(batch).map(lambda r: tuple(split(r)), **PAR).prefetch(1)


class Agent:
    def __init__(self, n_obs, n_act, tau=0.005, gamma=0.99):
        self.tau, self.gamma, self.count = tau, gamma, 0
        self.nets = {}
        for side in ("live", "slow"):
            self.nets[side] = dict(pi=mlp(n_obs, n_act, "tanh"), q1=mlp(n_obs + n_act, 1), q2=mlp(n_obs + n_act, 1))
        for k, net in self.nets["live"].items():
            self.nets["slow"][k].set_weights(net.get_weights())
        self.opts = {k: keras.optimizers.Adam(3e-4) for k in ("pi", "q")}
        self.ops = {f.__name__: tf.function(f) for f in (self._critic, self._actor, self._soft, self._act)}

    def _act(self, o):
        return self.nets["live"]["pi"](o)

    def targets(self, r, o2, d):
        slow = self.nets["slow"]
        a2 = slow["pi"](o2)
        a2 = tf.clip_by_value(a2 + tf.clip_by_value(tf.random.normal(tf.shape(a2), 0.0, 0.2), -0.5, 0.5), -1.0, 1.0)
        x = tf.concat([o2, a2], 1)
        return r + self.gamma * (1.0 - d) * tf.minimum(slow["q1"](x), slow["q2"](x))

    def _critic(self, o, a, r, o2, d):
        y = self.targets(r, o2, d)
        live = self.nets["live"]
        v = live["q1"].trainable_variables + live["q2"].trainable_variables
        with tf.GradientTape() as t:
            x = tf.concat([o, a], 1)
            loss = tf.add_n([tf.reduce_mean((live[k](x) - y) ** 2) for k in ("q1", "q2")])
        self.opts["q"].apply_gradients(zip(t.gradient(loss, v), v))
        return loss

    def _actor(self, o):
        live = self.nets["live"]
        v = live["pi"].trainable_variables
        with tf.GradientTape() as t:
            loss = -tf.reduce_mean(live["q1"](tf.concat([o, live["pi"](o)], 1)))
        self.opts["pi"].apply_gradients(zip(t.gradient(loss, v), v))

    def _soft(self):
        for k in ("pi", "q1", "q2"):
            for a, b in zip(self.nets["slow"][k].variables, self.nets["live"][k].variables):
                a.assign(self.tau * b + (1.0 - self.tau) * a)

    def act(self, o, noise):
        a = self.ops["_act"](tf.constant(o[None], tf.float32))[0].numpy()
        return np.clip(a + noise * np.random.randn(*a.shape), -1, 1)

    def learn(self, batch):
        self.count += 1
        loss = self.ops["_critic"](*batch)
        if self.count % 2 == 0:
            self.ops["_actor"](batch[0])
            self.ops["_soft"]()
        return loss


def sample(mem, n):
    rows = [mem[i] for i in np.random.randint(len(mem), size=n)]
    return [np.asarray(c, np.float32).reshape(n, -1) for c in zip(*rows)]


def main(pattern, steps=300000):
    env = gym.make("Walker2d-v3")
    n_obs, n_act = env.observation_space.shape[0], env.action_space.shape[0]
    agent, mem = Agent(n_obs, n_act), collections.deque(maxlen=int(1e6))
    demos = iter(demo_batches(pattern, n_obs, n_act, 64))
    o, total = env.reset(), 0.0
    for t in range(steps):
        a = agent.act(o, 0.1)
        o2, r, done, info = env.step(a)
        mem.append((o, a, r, o2, float(done and not info.get("TimeLimit.truncated", False))))
        o, total = o2, total + r
        if done:
            print(t, total)
            o, total = env.reset(), 0.0
        if len(mem) >= 1000:
            mine = sample(mem, 192)
            agent.learn([tf.concat([m, d], 0) for m, d in zip(mine, next(demos))])


if __name__ == "__main__":
    main(sys.argv[1])
