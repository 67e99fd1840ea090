import gym
import numpy as np
import tensorflow as tf

from net import Net, centered_ranks, score


def noise_like(shapes):
    return [np.random.randn(*shape) for shape in shapes]


def evolve(generations=500, population=64, sigma=0.05, rate=0.02):
    env = gym.make("LunarLander-v2")
    net = Net(8, 4)
    weights = noise_like(net.shapes())
    for generation in range(generations):
        rewards, noises = [], []
        for _ in range(population):
            noise = noise_like(net.shapes())
            net.load_slowly([w + sigma * n for w, n in zip(weights, noise)])
            rewards.append(score(env, net))
            noises.append(noise)
        ranks = centered_ranks(np.array(rewards))
        for i in range(len(weights)):
            step = sum(r * n[i] for r, n in zip(ranks, noises))
            weights[i] = weights[i] + rate / (population * sigma) * step
        net.load(weights)
        print(generation, np.mean(rewards), score(env, net))
    return weights


def evaluate(graph, saver, path):
    sess = tf.Session(graph=graph)  # finding: session-per-step
    saver.restore(sess, path)
    value = sess.run("score:0")
    sess.close()
    return value


def evaluate_all(paths):
    graph = tf.Graph()
    with graph.as_default():
        saver = tf.train.import_meta_graph(paths[0] + ".meta")
    return max((evaluate(graph, saver, path), path) for path in paths)


def evaluate_all_at_once(paths):
    saver = tf.train.import_meta_graph(paths[0] + ".meta")
    with tf.Session() as sess:
        best = []
        for path in paths:
            saver.restore(sess, path)
            best.append((sess.run("score:0"), path))
    return max(best)


def watch(folder):
    seen = None
    sess = tf.Session()
    while True:
        newest = tf.train.latest_checkpoint(folder)
        if newest and newest != seen:
            saver = tf.train.Saver()  # finding: graph-growth
            saver.restore(sess, newest)
            print(newest, sess.run("score:0"))
            seen = newest


def weight_table(net):
    for variable in net.variables:
        value = net.sess.run(variable)
        print(variable.name, value.shape, np.abs(value).max())


if __name__ == "__main__":
    evolve()
