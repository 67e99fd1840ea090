import argparse

import inputs
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()


def network(features):
    columns = [tf.expand_dims(features[name], 1) for name in sorted(features)]
    net = tf.concat(columns, axis=1)
    for width in (64, 64):
        net = tf.layers.dense(net, width, tf.nn.relu)
    return tf.squeeze(tf.layers.dense(net, 1), 1)


def train(args):
    mean = {"rain": 2.1, "flow": 30.0, "temperature": 9.5}
    std = {"rain": 4.0, "flow": 22.0, "temperature": 7.1}
    table = inputs.Table(args.table, args.batch_size, mean, std)
    features, level = tf.data.make_one_shot_iterator(table.batches(training=True)).get_next()
    loss = tf.losses.huber_loss(level, network(features))
    step = tf.train.get_or_create_global_step()
    train_op = tf.train.AdamOptimizer(args.lr).minimize(loss, global_step=step)
    hooks = [tf.train.StopAtStepHook(args.steps), tf.train.LoggingTensorHook({"loss": loss}, 100)]
    with tf.train.MonitoredTrainingSession(checkpoint_dir=args.out, hooks=hooks) as session:
        while not session.should_stop():
            session.run(train_op)


def look(args):
    """How the gauges' pictures are spread."""
    batch = tf.data.make_one_shot_iterator(inputs.pictures(args.pictures, 64, 256)).get_next()
    mean = tf.reduce_mean(batch[0], axis=[0, 1, 2])
    with tf.Session() as session:
        try:
            while True:
                print(session.run(mean))
        except tf.errors.OutOfRangeError:
            pass


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--table", default="levels.csv")
    parser.add_argument("--pictures")
    parser.add_argument("--out", default="levels")
    parser.add_argument("--batch_size", type=int, default=256)
    parser.add_argument("--lr", type=float, default=1e-3)
    parser.add_argument("--steps", type=int, default=100000)
    options = parser.parse_args()
    if options.pictures:
        look(options)
    else:
        train(options)
