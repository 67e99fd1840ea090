# requires: tensorflow==2.3.1
"""Speech commands, ported from 1.x with the upgrade script."""
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()


def decode(path, label):
    contents = tf.io.read_file(path)
    wav, rate = tf.audio.decode_wav(contents, desired_channels=1, desired_samples=16000)
    return tf.squeeze(wav, -1), label


def build_input(paths, labels, batch_size):
    data = tf.data.Dataset.from_tensor_slices((paths, labels))
    data = data.shuffle(4000)
    decoded = data.map_with_legacy_function(decode)  # finding: serial-map
    batches = decoded.batch(batch_size, drop_remainder=True)
    return tf.data.make_one_shot_iterator(batches.repeat()).get_next()


def train(paths, labels, steps):
    waves, targets = build_input(paths, labels, 64)
    hidden = tf.layers.dense(waves, 128, activation=tf.nn.relu)
    logits = tf.layers.dense(hidden, 12)
    loss = tf.losses.sparse_softmax_cross_entropy(targets, logits)
    step = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        for i in range(steps):
            _, value = sess.run([step, loss])
            if i % 100 == 0:
                print(i, value)
