# requires: tensorflow==1.8.*
"""A3C on Pong: one session, shared by the workers; evaluation has its own graph and session."""
import argparse
import threading
import time

import gym
import numpy as np
import tensorflow as tf

GAMMA, T_MAX = 0.99, 20


class ActorCritic(object):
    def __init__(self, scope, actions, optimizer=None, shared=None):
        with tf.variable_scope(scope):
            self.s = tf.placeholder(tf.float32, [None, 80, 80, 1])
            h = tf.layers.conv2d(self.s, 16, 8, 4, activation=tf.nn.relu)
            h = tf.layers.conv2d(h, 32, 4, 2, activation=tf.nn.relu)
            h = tf.layers.dense(tf.layers.flatten(h), 256, tf.nn.relu)
            self.policy = tf.nn.softmax(tf.layers.dense(h, actions))
            self.value = tf.layers.dense(h, 1)[:, 0]
        self.weights = tf.trainable_variables(scope)
        if shared is None:
            return
        self.a = tf.placeholder(tf.int32, [None])
        self.r = tf.placeholder(tf.float32, [None])
        advantage = self.r - self.value
        log_p = tf.log(tf.reduce_sum(self.policy * tf.one_hot(self.a, actions), 1) + 1e-8)
        entropy = -tf.reduce_sum(self.policy * tf.log(self.policy + 1e-8))
        loss = -tf.reduce_sum(log_p * tf.stop_gradient(advantage))
        loss += 0.5 * tf.reduce_sum(advantage ** 2) - 0.01 * entropy
        grads, _ = tf.clip_by_global_norm(tf.gradients(loss, self.weights), 40.)
        self.update = optimizer.apply_gradients(zip(grads, shared.weights))
        self.pull = [w.assign(s) for w, s in zip(self.weights, shared.weights)]


def preprocess(frame):
    frame = frame[35:195][::2, ::2, 0].astype(np.float32)
    frame[(frame == 144) | (frame == 109)] = 0
    frame[frame != 0] = 1
    return frame[..., None]


class Worker(threading.Thread):
    def __init__(self, name, sess, net, coord):
        super(Worker, self).__init__(name=name)
        self.sess, self.net, self.coord = sess, net, coord
        self.env = gym.make('Pong-v0')
        self.daemon = True

    def run(self):
        with self.coord.stop_on_exception():
            state = preprocess(self.env.reset())
            while not self.coord.should_stop():
                self.sess.run(self.net.pull)
                states, actions, rewards, done = [], [], [], False
                while len(states) < T_MAX and not done:
                    p = self.sess.run(self.net.policy, {self.net.s: state[None]})[0]
                    action = np.random.choice(len(p), p=p)
                    frame, reward, done, _ = self.env.step(action)
                    states.append(state)
                    actions.append(action)
                    rewards.append(reward)
                    state = preprocess(self.env.reset() if done else frame)
                value = 0. if done else self.sess.run(self.net.value, {self.net.s: state[None]})[0]
                returns = []
                for reward in rewards[::-1]:
                    value = reward + GAMMA * value
                    returns.append(value)
                feed = {self.net.s: states, self.net.a: actions, self.net.r: returns[::-1]}
                self.sess.run(self.net.update, feed)


def evaluate_forever(logdir, coord, pause=600):
    """Restores the newest checkpoint every ten minutes, in a graph of its own."""
    with tf.Graph().as_default():
        net = ActorCritic('shared', 6)
        saver = tf.train.Saver()
        with tf.Session(config=tf.ConfigProto(device_count={'GPU': 0})) as sess:
            env = gym.make('Pong-v0')
            while not coord.should_stop():
                checkpoint = tf.train.latest_checkpoint(logdir)
                if checkpoint:
                    saver.restore(sess, checkpoint)
                    state, total, done = env.reset(), 0, False
                    while not done:
                        p = sess.run(net.policy, {net.s: preprocess(state)[None]})[0]
                        state, reward, done, _ = env.step(p.argmax())
                        total += reward
                    print('%s: %d' % (checkpoint, total))
                time.sleep(pause)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--workers', type=int, default=8)
    parser.add_argument('--logdir', default='/tmp/a3c')
    args = parser.parse_args()
    optimizer = tf.train.RMSPropOptimizer(7e-4, 0.99)
    shared = ActorCritic('shared', 6)
    coord = tf.train.Coordinator()
    nets = [ActorCritic('worker%d' % i, 6, optimizer, shared) for i in range(args.workers)]
    saver = tf.train.Saver(shared.weights)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        workers = [Worker('w%d' % i, sess, net, coord) for i, net in enumerate(nets)]
        for worker in workers:
            worker.start()
        threading.Thread(target=evaluate_forever, args=(args.logdir, coord), daemon=True).start()
        while not coord.should_stop():
            time.sleep(300)
            saver.save(sess, args.logdir + '/model')


if __name__ == '__main__':
    main()
