# requires: tensorflow==1.15.*
"""A queue of jobs, each a model of its own in a graph of its own; results go back by a queue."""
import logging
import queue
import threading

import numpy as np
import tensorflow as tf

log = logging.getLogger("fitting")


class Job:
    def __init__(self, key, x, y, degree):
        self.key, self.x, self.y, self.degree = key, x, y, degree


def fit(job, steps=2000):
    graph = tf.Graph()
    with graph.as_default():
        x = tf.constant(np.vander(job.x, job.degree + 1), tf.float32)
        y = tf.constant(job.y, tf.float32)
        w = tf.get_variable("w", [job.degree + 1, 1])
        loss = tf.losses.huber_loss(y[:, None], tf.matmul(x, w))
        step = tf.train.AdamOptimizer(0.05).minimize(loss)
        init = tf.global_variables_initializer()
    with tf.Session(graph=graph) as sess:
        sess.run(init)
        for _ in range(steps):
            sess.run(step)
        return sess.run([w, loss])


def worker(jobs, results):
    while True:
        job = jobs.get()
        if job is None:
            break
        weights, loss = fit(job)
        log.info("%s done, loss %.4f", job.key, loss)
        results.put((job.key, weights, loss))


def main(path="curves.npz", threads=4):
    logging.basicConfig(level=logging.INFO)
    table = np.load(path)
    jobs, results = queue.Queue(), queue.Queue()
    pool = [threading.Thread(target=worker, args=(jobs, results)) for _ in range(threads)]
    for thread in pool:
        thread.start()
    for key in table.files:
        jobs.put(Job(key, table[key][0], table[key][1], 5))
    for _ in pool:
        jobs.put(None)
    for thread in pool:
        thread.join()
    while not results.empty():
        key, weights, loss = results.get()
        np.save("fit-%s.npy" % key, weights)


if __name__ == "__main__":
    main()
