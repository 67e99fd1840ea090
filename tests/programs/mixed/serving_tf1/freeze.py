import sys

import tensorflow as tf


def freeze(directory, out, outputs=("prob",)):
    checkpoint = tf.train.latest_checkpoint(directory)
    saver = tf.train.import_meta_graph(checkpoint + ".meta", clear_devices=True)
    with tf.Session() as sess:
        saver.restore(sess, checkpoint)
        frozen = tf.graph_util.convert_variables_to_constants(sess, sess.graph_def, list(outputs))
    with tf.gfile.GFile(out, "wb") as handle:
        handle.write(frozen.SerializeToString())


def crossvalidate(folds, build, feed):
    scores = []
    for fold in folds:
        tf.reset_default_graph()
        loss, step = build()
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            for batch in fold:
                sess.run(step, feed(batch))
            scores.append(sess.run(loss, feed(fold[0])))
    return scores


def resize_all(images, size):
    out = []
    for image in images:
        with tf.Session() as sess:  # finding: session-per-step
            out.append(sess.run(tf.image.resize_images(image, size)))  # finding: graph-growth
    return out


if __name__ == "__main__":
    freeze(sys.argv[1], sys.argv[2])
