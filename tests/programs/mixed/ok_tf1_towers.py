# requires: tensorflow-gpu==1.15
import argparse
import glob
import os

import tensorflow as tf

HW = 224


class lazy(object):
    def __init__(self, fn):
        self.fn, self.slot = fn, "_lazy_" + fn.__name__

    def __get__(self, obj, cls=None):
        if not hasattr(obj, self.slot):
            setattr(obj, self.slot, self.fn(obj))
        return getattr(obj, self.slot)


def feature_spec():
    return {"jpeg": tf.io.FixedLenFeature([], tf.string), "label": tf.io.FixedLenFeature([], tf.int64)}


def parse(training, raw):
    f = tf.io.parse_single_example(raw, feature_spec())
    img = tf.image.decode_jpeg(f["jpeg"], 3)
    if training:
        side = tf.random.uniform([], HW, 2 * HW, tf.int32)
        img = tf.image.random_crop(tf.cast(tf.image.resize(img, tf.stack([side, side])), tf.uint8), [HW, HW, 3])
        img = tf.image.random_flip_left_right(img)
    else:
        img = tf.cast(tf.image.resize(img, [HW, HW]), tf.uint8)
    return img, f["label"]


def pipeline(pattern, batch, training, workers):
    ds = tf.data.Dataset.list_files(pattern, shuffle=training)
    ds = ds.apply(tf.data.experimental.parallel_interleave(tf.data.TFRecordDataset, 8, sloppy=training))
    if training:
        ds = ds.shuffle(4096).repeat()
    kw = dict(batch_size=batch, num_parallel_calls=workers, drop_remainder=True)
    ds = ds.apply(tf.data.experimental.map_and_batch(lambda r: parse(training, r), **kw))
    return ds.prefetch(2)


def backbone(img, classes):
    x = tf.cast(img, tf.float32) / 127.5 - 1.0
    for i, ch in enumerate((32, 64, 128, 256, 512)):
        x = tf.layers.conv2d(x, ch, 3, 2, "same", activation=tf.nn.relu, name="conv%d" % i)
    return tf.layers.dense(tf.reduce_mean(x, [1, 2]), classes, name="fc")


class Towers(object):
    def __init__(self, it, gpus, classes, lr):
        self.opt, self.losses, self.hits = tf.train.MomentumOptimizer(lr, 0.9), [], []
        grads = []
        for g in range(gpus):
            with tf.device("/gpu:%d" % g), tf.variable_scope("net", reuse=tf.AUTO_REUSE):
                x, y = it.get_next()
                z = backbone(x, classes)
                loss = tf.losses.sparse_softmax_cross_entropy(y, z)
                self.losses.append(loss)
                self.hits.append(tf.reduce_mean(tf.cast(tf.equal(tf.argmax(z, 1), y), tf.float32)))
                grads.append(self.opt.compute_gradients(loss))
        self.grads = grads
        self.step = tf.train.get_or_create_global_step()

    @lazy
    def train_op(self):
        avg = [(tf.add_n([g for g, _ in gv]) / len(gv), gv[0][1]) for gv in zip(*self.grads)]
        return self.opt.apply_gradients(avg, self.step)

    @lazy
    def loss(self):
        return tf.add_n(self.losses) / len(self.losses)

    @lazy
    def accuracy(self):
        return tf.reduce_mean(tf.stack(self.hits))


def scalar(writer, step, **values):
    writer.add_summary(tf.Summary(value=[tf.Summary.Value(tag=k, simple_value=v) for k, v in values.items()]), step)


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("mode", choices=("train", "sweep"))
    ap.add_argument("data")
    ap.add_argument("out")
    ap.add_argument("--gpus", type=int, default=4)
    a = ap.parse_args()
    ds = pipeline(a.data, 64, a.mode == "train", 16)
    it = tf.compat.v1.data.make_initializable_iterator(ds)
    net = Towers(it, a.gpus, 1000, 0.1)
    fetch = {"loss": net.loss, "acc": net.accuracy}
    saver, writer = tf.train.Saver(max_to_keep=50), tf.summary.FileWriter(a.out)
    cfg = tf.ConfigProto(allow_soft_placement=True)
    with tf.Session(config=cfg) as sess:
        if a.mode == "train":
            net.train_op
            sess.run([tf.global_variables_initializer(), it.initializer])
            for n in range(1, 400001):
                sess.run(net.train_op)
                if n % 100 == 0:
                    scalar(writer, n, **sess.run({"loss": net.loss, "acc": net.accuracy}))
                if n % 10000 == 0:
                    saver.save(sess, os.path.join(a.out, "m"), n)
            return
        for ck in sorted(glob.glob(os.path.join(a.out, "m-*.index"))):
            saver.restore(sess, ck[:-len(".index")])
            sess.run(it.initializer)
            accs = []
            while True:
                try:
                    accs.append(sess.run(fetch)["acc"])
                except tf.errors.OutOfRangeError:
                    break
            print(ck, sum(accs) / max(1, len(accs)))


if __name__ == "__main__":
    main()
