# requires: tensorflow==1.15
"""One session for each process, training or checkpoint; nothing here opens one per step."""

import functools
import multiprocessing
import os
import time

import numpy as np
import tensorflow as tf

flags = tf.app.flags
flags.DEFINE_string("job", "worker", "ps, worker, folds, watch or export")
flags.DEFINE_integer("task", 0, "index of the task")
flags.DEFINE_integer("steps", 20000, "steps of a training")
flags.DEFINE_string("logdir", "/tmp/run", "")
FLAGS = flags.FLAGS


def model(x):
    hidden = tf.layers.dense(x, 128, tf.nn.relu)
    return tf.layers.dense(hidden, 10)


def train_op(x, y):
    loss = tf.losses.sparse_softmax_cross_entropy(y, model(x))
    step = tf.train.get_or_create_global_step()
    return loss, tf.train.AdamOptimizer(1e-3).minimize(loss, global_step=step)


def run_worker(server):
    x = tf.placeholder(tf.float32, [None, 64])
    y = tf.placeholder(tf.int64, [None])
    loss, op = train_op(x, y)
    data = np.load("train.npz")
    hooks = [tf.train.StopAtStepHook(last_step=FLAGS.steps)]
    with tf.train.MonitoredTrainingSession(
        master=server.target, is_chief=FLAGS.task == 0, hooks=hooks, checkpoint_dir=FLAGS.logdir
    ) as sess:
        while not sess.should_stop():
            rows = np.random.randint(len(data["x"]), size=64)
            sess.run([loss, op], {x: data["x"][rows], y: data["y"][rows]})


def run_fold(fold, data):
    with tf.Graph().as_default(), tf.Session() as sess:
        x = tf.placeholder(tf.float32, [None, 64])
        y = tf.placeholder(tf.int64, [None])
        loss, op = train_op(x, y)
        sess.run(tf.global_variables_initializer())
        train = np.where(data["fold"] != fold)[0]
        for _ in range(FLAGS.steps):
            rows = np.random.choice(train, 64)
            value, _ = sess.run([loss, op], {x: data["x"][rows], y: data["y"][rows]})
    return value


def run_folds():
    data = np.load("train.npz")
    losses = [run_fold(fold, data) for fold in range(10)]
    print("mean loss", np.mean(losses))


def watch():
    """Waits for checkpoints and tests each of them on the whole set."""
    x = tf.placeholder(tf.float32, [None, 64])
    best = tf.argmax(model(x), axis=1)
    saver = tf.train.Saver()
    data = np.load("test.npz")
    seen = None
    while True:
        path = tf.train.latest_checkpoint(FLAGS.logdir)
        if path == seen:
            time.sleep(60)
            continue
        with tf.Session() as sess:
            saver.restore(sess, path)
            parts = [sess.run(best, {x: part}) for part in np.array_split(data["x"], 50)]
        print(path, np.mean(np.concatenate(parts) == data["y"]))
        seen = path


class Predictor(object):
    """The session is opened by the first question and kept."""

    _instance = None

    def __init__(self, path):
        self.path = path
        self._sess = None

    @classmethod
    def get(cls):
        if cls._instance is None:
            cls._instance = cls(FLAGS.logdir)
        return cls._instance

    @property
    def sess(self):
        if self._sess is None:
            self._sess = tf.Session(graph=tf.Graph())
            tf.saved_model.loader.load(self._sess, ["serve"], self.path)
        return self._sess

    def __call__(self, rows):
        return self.sess.run("scores:0", {"x:0": rows})


@functools.lru_cache(maxsize=4)
def session_of(path):
    graph = tf.Graph()
    sess = tf.Session(graph=graph)
    with graph.as_default():
        tf.saved_model.loader.load(sess, ["serve"], path)
    return sess


def handle(message):
    if message.get("model"):
        return session_of(message["model"]).run("scores:0", {"x:0": message["rows"]})
    return Predictor.get()(message["rows"])


def export():
    with tf.Session(graph=tf.Graph()) as sess:
        x = tf.placeholder(tf.float32, [None, 64], name="x")
        tf.nn.softmax(model(x), name="scores")
        tf.train.Saver().restore(sess, tf.train.latest_checkpoint(FLAGS.logdir))
        tf.saved_model.simple_save(sess, os.path.join(FLAGS.logdir, "export"), {"x": x}, {})


def serve(inbox, outbox):
    for message in iter(inbox.get, None):
        outbox.put(handle(message))


class ModelTest(tf.test.TestCase):
    def test_scores_have_ten_columns(self):
        for rows in (1, 2, 7):
            with self.session(graph=tf.Graph()) as sess:
                scores = model(tf.zeros([rows, 64]))
                sess.run(tf.global_variables_initializer())
                self.assertEqual(sess.run(scores).shape, (rows, 10))


def main(_):
    if FLAGS.job == "folds":
        run_folds()
    elif FLAGS.job == "watch":
        watch()
    elif FLAGS.job == "export":
        export()
    elif FLAGS.job == "serve":
        serve(multiprocessing.Queue(), multiprocessing.Queue())
    else:
        cluster = tf.train.ClusterSpec({"ps": ["ps0:2222"], "worker": ["w0:2222", "w1:2222"]})
        server = tf.train.Server(cluster, job_name=FLAGS.job, task_index=FLAGS.task)
        server.join() if FLAGS.job == "ps" else run_worker(server)


if __name__ == "__main__":
    tf.app.run()
