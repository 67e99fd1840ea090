# requires: tensorflow==2.9.*
"""Offline reinforcement learning (CQL) on transitions that were written as records."""
import argparse
import dataclasses
from pathlib import Path

import numpy as np
import tensorflow as tf


@dataclasses.dataclass(frozen=True)
class Spec:
    observation: int = 17
    action: int = 6
    discount: float = 0.99

    def features(self):
        return {
            "observation": tf.io.FixedLenFeature([self.observation], tf.float32),
            "next_observation": tf.io.FixedLenFeature([self.observation], tf.float32),
            "action": tf.io.FixedLenFeature([self.action], tf.float32),
            "reward": tf.io.FixedLenFeature([1], tf.float32),
            "done": tf.io.FixedLenFeature([1], tf.int64),
        }


class Transitions:
    def __init__(self, folder, spec, scale=1.0, with_next=True):
        self.paths = [str(p) for p in sorted(Path(folder).glob("*.tfrecord"))]
        self.spec = spec
        self.scale = scale
        self.with_next = with_next

    def _read(self, serialized):
        parsed = tf.io.parse_single_example(serialized, self.spec.features())
        reward = tf.squeeze(parsed["reward"]) * self.scale
        keep = 1.0 - tf.cast(tf.squeeze(parsed["done"]), tf.float32)
        state = tf.clip_by_value(parsed["observation"], -10.0, 10.0)
        if not self.with_next:
            return state, parsed["action"], reward
        following = tf.clip_by_value(parsed["next_observation"], -10.0, 10.0)
        return state, parsed["action"], reward, keep * self.spec.discount, following

    def dataset(self, batch_size):
        shards = tf.data.Dataset.from_tensor_slices(self.paths)
        ds = shards.interleave(
            tf.data.TFRecordDataset, cycle_length=4, num_parallel_calls=tf.data.AUTOTUNE
        )
        ds = ds.cache().shuffle(100_000).repeat()
        ds = ds.map(self._read, num_parallel_calls=tf.data.AUTOTUNE)  # finding: map-before-batch
        ds = ds.batch(batch_size, drop_remainder=True)
        return ds.prefetch(tf.data.AUTOTUNE)


def mlp(inputs, outputs, width=256):
    return tf.keras.Sequential([
        tf.keras.layers.InputLayer((inputs,)),
        tf.keras.layers.Dense(width, activation="relu"),
        tf.keras.layers.Dense(width, activation="relu"),
        tf.keras.layers.Dense(outputs),
    ])


class CQL:
    def __init__(self, spec, alpha=5.0, samples=10):
        self.spec, self.alpha, self.samples = spec, alpha, samples
        self.q = mlp(spec.observation + spec.action, 1)
        self.target = mlp(spec.observation + spec.action, 1)
        self.policy = mlp(spec.observation, spec.action)
        self.q_opt = tf.keras.optimizers.Adam(3e-4)
        self.pi_opt = tf.keras.optimizers.Adam(1e-4)

    def value(self, net, state, action):
        return tf.squeeze(net(tf.concat([state, action], -1)), -1)

    @tf.function
    def update(self, state, action, reward, discount, following):
        with tf.GradientTape(persistent=True) as tape:
            chosen = tf.tanh(self.policy(following))
            goal = tf.stop_gradient(reward + discount * self.value(self.target, following, chosen))
            q = self.value(self.q, state, action)
            other = tf.random.uniform((self.samples, tf.shape(state)[0], self.spec.action), -1, 1)
            pushed = tf.reduce_logsumexp(
                tf.stack([self.value(self.q, state, a) for a in tf.unstack(other)]), 0
            )
            q_loss = tf.reduce_mean(tf.square(q - goal)) + self.alpha * tf.reduce_mean(pushed - q)
            pi_loss = -tf.reduce_mean(self.value(self.q, state, tf.tanh(self.policy(state))))
        self.q_opt.minimize(q_loss, self.q.trainable_variables, tape=tape)
        self.pi_opt.minimize(pi_loss, self.policy.trainable_variables, tape=tape)
        for source, copy in zip(self.q.variables, self.target.variables):
            copy.assign(0.995 * copy + 0.005 * source)
        return q_loss, pi_loss


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("folder")
    parser.add_argument("--steps", type=int, default=500_000)
    args = parser.parse_args()
    spec = Spec()
    agent = CQL(spec)
    losses = []
    for step, batch in enumerate(Transitions(args.folder, spec).dataset(256).take(args.steps)):
        losses.append(agent.update(*batch)[0])
        if step % 5000 == 0:
            print(step, np.mean([float(x) for x in losses[-100:]]))
