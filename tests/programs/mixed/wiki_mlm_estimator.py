# requires: tensorflow==1.15.5
"""Small masked language model trained with tf.estimator."""
import functools

import tensorflow as tf

flags = tf.app.flags
flags.DEFINE_string("shards", "gs://corpus/wiki-*.tfrecord.gz", "")
flags.DEFINE_string("model_dir", "/tmp/mlm", "")
flags.DEFINE_integer("seq", 128, "")
flags.DEFINE_integer("batch", 256, "")
FLAGS = flags.FLAGS

VOCAB, MASK = 30522, 103


def spec(seq):
    return {
        "ids": tf.FixedLenFeature([seq], tf.int64),
        "segment": tf.FixedLenFeature([seq], tf.int64),
        "doc": tf.FixedLenFeature([], tf.int64),
    }


def decode(blob, schema):
    ex = tf.parse_single_example(blob, schema)
    return {k: tf.cast(v, tf.int32) for k, v in ex.items()}


def hide(features, rate=0.15):
    ids = features["ids"]
    picked = tf.random.uniform(tf.shape(ids)) < rate
    features["target"] = ids
    features["weight"] = tf.cast(picked, tf.float32)
    features["ids"] = tf.where(picked, tf.fill(tf.shape(ids), MASK), ids)
    return features


def open_shard(name):
    return tf.data.TFRecordDataset(name, compression_type="GZIP", buffer_size=8 << 20)


class InputFn(object):
    def __init__(self, pattern, training):
        self.pattern = pattern
        self.training = training
        self.par = dict(num_parallel_calls=16)

    def __call__(self, params):
        files = tf.data.Dataset.list_files(self.pattern, shuffle=self.training)
        records = files.interleave(open_shard, cycle_length=8, block_length=16)  # finding: serial-map
        if self.training:
            records = records.repeat().shuffle(50000)
        reader = functools.partial(decode, schema=spec(params["seq"]))
        out = records.map(reader, **self.par)  # finding: map-before-batch
        out = out.batch(params["batch"], drop_remainder=True)
        return out.map(hide, **self.par).prefetch(4)


def block(x, width, heads):
    q, k, v = [tf.layers.dense(x, width) for _ in range(3)]
    split = lambda t: tf.stack(tf.split(t, heads, -1), 1)
    att = tf.matmul(split(q), split(k), transpose_b=True) / (width // heads) ** 0.5
    mixed = tf.matmul(tf.nn.softmax(att), split(v))
    mixed = tf.concat(tf.unstack(mixed, axis=1), -1)
    x = tf.contrib.layers.layer_norm(x + tf.layers.dense(mixed, width), begin_norm_axis=-1)
    h = tf.layers.dense(tf.layers.dense(x, 4 * width, tf.nn.relu), width)
    return tf.contrib.layers.layer_norm(x + h, begin_norm_axis=-1)


def model_fn(features, mode, params):
    table = tf.get_variable("emb", [VOCAB, 256])
    seg = tf.get_variable("seg", [2, 256])
    pos = tf.get_variable("pos", [params["seq"], 256])
    x = tf.gather(table, features["ids"]) + tf.gather(seg, features["segment"]) + pos
    for _ in range(params["layers"]):
        x = block(x, 256, 4)
    logits = tf.einsum("bsd,vd->bsv", x, table)
    loss = tf.losses.sparse_softmax_cross_entropy(features["target"], logits, features["weight"])
    opt = tf.train.AdamOptimizer(1e-4)
    train = opt.minimize(loss, tf.train.get_or_create_global_step())
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train)


def main(_):
    est = tf.estimator.Estimator(
        model_fn, FLAGS.model_dir, params=dict(seq=FLAGS.seq, batch=FLAGS.batch, layers=4))
    est.train(InputFn(FLAGS.shards, True), max_steps=200000)


if __name__ == "__main__":
    tf.app.run()
