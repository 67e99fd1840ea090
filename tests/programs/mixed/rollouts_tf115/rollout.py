"""Policies saved by the trainer, replayed in the simulator, with image preprocessing."""
import argparse
import glob
import os

import gym
import numpy as np
import tensorflow as tf


def resize_frames(frames, side):
    out = []
    for frame in frames:
        g = tf.Graph()
        with g.as_default():
            small = tf.image.resize_images(tf.constant(frame), [side, side])
            with tf.Session(graph=g) as sess:  # finding: session-per-step
                out.append(sess.run(small))
    return np.stack(out)


class Policy:
    def __init__(self, actions):
        self.graph = tf.Graph()
        with self.graph.as_default():
            self.obs = tf.placeholder(tf.float32, [None, 84, 84, 4])
            h = tf.layers.conv2d(self.obs, 32, 8, 4, activation=tf.nn.relu)
            h = tf.layers.conv2d(h, 64, 4, 2, activation=tf.nn.relu)
            self.logits = tf.layers.dense(tf.layers.flatten(h), actions)
            self.saver = tf.train.Saver()

    def act(self, path, obs):
        with self.graph.as_default():
            sess = tf.Session()  # finding: session-per-step
            self.saver.restore(sess, path)
            logits = sess.run(self.logits, {self.obs: obs[None]})
            sess.close()
        return int(logits.argmax())

    def open(self, path):
        session = tf.Session(graph=self.graph)
        self.saver.restore(session, path)
        return session


def episode(env, policy, path):
    obs, done, total = env.reset(), False, 0.0
    while not done:
        obs, reward, done, _ = env.step(policy.act(path, obs))
        total += reward
    return total


def fast_episode(env, policy, session):
    obs, done, total = env.reset(), False, 0.0
    while not done:
        logits = session.run(policy.logits, {policy.obs: obs[None]})
        obs, reward, done, _ = env.step(int(logits.argmax()))
        total += reward
    return total


def compare(env, policy, folder):
    """One session per checkpoint, thousands of steps each."""
    scores = {}
    for path in sorted(glob.glob(os.path.join(folder, "*.index"))):
        session = policy.open(path[: -len(".index")])
        scores[path] = np.mean([fast_episode(env, policy, session) for _ in range(30)])
        session.close()
    return scores


def entropy(values):
    p = tf.nn.softmax(values)  # finding: graph-growth
    h = -tf.reduce_sum(p * tf.log(p))  # finding: graph-growth
    return h.eval(session=tf.Session())  # finding: session-per-step


class Monitor:
    def __init__(self):
        self.history = []

    def __call__(self, local, _globals):
        self.history.append(entropy(local["logits"]))
        return True


def train(env, policy, steps, callback):
    obs = env.reset()
    session = policy.open("start")
    for step in range(steps):
        logits = session.run(policy.logits, {policy.obs: obs[None]})[0]
        if not callback(locals(), globals()):
            break
        obs, _, done, _ = env.step(int(logits.argmax()))
        if done:
            obs = env.reset()


def video(env, policy, path):
    frames = [env.render("rgb_array") for _ in range(500)]
    np.save(path, resize_frames(frames, 84))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder")
    parser.add_argument("--slow", action="store_true")
    args = parser.parse_args()
    env = gym.make("PongNoFrameskip-v4")
    policy = Policy(env.action_space.n)
    if args.slow:
        for path in glob.glob(args.folder + "/*.ckpt"):
            print(path, episode(env, policy, path))
    else:
        print(compare(env, policy, args.folder))
    train(env, policy, 10**6, Monitor())
    video(env, policy, "frames.npy")


if __name__ == "__main__":
    main()
